import { ProtocolError, ProtocolErrorCode, type Server } from "@modelcontextprotocol/server";
import type { Skill } from "@pegboard/contract";
import type { Session } from "../../core/session.ts";
import type { Shelf } from "../../core/shelf.ts";
import { toBase64 } from "../../core/to-json.ts";
import { ANYTHING } from "./anything.ts";
import type { McpResource, McpResourceContent, McpResources } from "./resources.ts";
import type { McpSeat } from "./seat.ts";
import { MANIFEST, type SkillFolder, skillFolders } from "./skill-folder.ts";

/** Where skills are. */
export type Skills = Pick<Shelf<Skill>, "list">;

/** The extension by which clients find skills. */
export const SKILLS_EXTENSION = "io.modelcontextprotocol/skills";

const FOLDER = "inode/directory";
/** More than these are not listed with their digests: clients read such a skill file by file. */
const MOST_FILES = 512;
const MOST_BYTES = 16 * 1024 * 1024;
const FRESH = { ttlMs: 10_000, cacheScope: "private" } as const;

/** Lets a server offer skills. Their files are resources: see `skillResources`. */
export function serveSkills(server: Server, { session }: McpSeat, skills: Skills): void {
  const folders = () => skillFolders(skills, session);
  server.setRequestHandler("skills/list", { params: ANYTHING }, async () => ({
    skills: await Promise.all(folders().map(toEntry)),
    ...FRESH,
  }));
  server.setRequestHandler("skills/get", { params: ANYTHING }, async (params) => {
    const uri = uriOf(params);
    const found = folders().find((folder) => `${folder.uri}/${MANIFEST}` === uri);
    if (!found) throw unknown(uri, "skill");
    return { skill: await toEntry(found), ...FRESH };
  });
  server.setRequestHandler("resources/directory/read", { params: ANYTHING }, async (params) => {
    const uri = uriOf(params);
    const place = uri.replace(/\/$/, "");
    const found = folders().find((folder) => place === folder.uri || place.startsWith(`${folder.uri}/`));
    const resources = found && childrenOf(found, place, await found.paths());
    if (!resources || resources.length === 0) throw unknown(uri, "folder");
    return { resources, ...FRESH };
  });
}

/** The files of skills as resources; only the texts of skills are listed. */
export function skillResources(skills: Skills): McpResources {
  return {
    list: async (session) => skillFolders(skills, session).map((folder) => toResource(folder, MANIFEST)),
    async read(session: Session, uri): Promise<readonly McpResourceContent[] | undefined> {
      for (const folder of skillFolders(skills, session)) {
        if (!uri.startsWith(`${folder.uri}/`)) continue;
        const paths = await folder.paths();
        const path = paths.find((one) => toUri(folder, one) === uri);
        const bytes = path === undefined ? undefined : await folder.read(path);
        return bytes && [{ uri, mimeType: typeOf(path!), ...toContent(bytes) }];
      }
      return undefined;
    },
  };
}

async function toEntry(folder: SkillFolder) {
  const { name, description } = folder.skill;
  return {
    uri: toUri(folder, MANIFEST),
    frontmatter: { name, description },
    resources: await toManifestOf(folder),
  };
}

async function toManifestOf(folder: SkillFolder) {
  const paths = await folder.paths();
  if (paths.length > MOST_FILES) return "dynamic" as const;
  const entries: { readonly uri: string; readonly digest: string; readonly size: number }[] = [];
  let left = MOST_BYTES;
  for (const path of paths) {
    const bytes = await folder.read(path);
    if (!bytes) continue;
    if ((left -= bytes.length) < 0) return "dynamic" as const;
    const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", new Uint8Array(bytes)));
    const hex = Array.from(digest, (byte) => byte.toString(16).padStart(2, "0")).join("");
    entries.push({ uri: toUri(folder, path), digest: `sha256:${hex}`, size: bytes.length });
  }
  return entries;
}

/** What is in a folder of a skill; a folder in it is listed once. */
function childrenOf(folder: SkillFolder, place: string, paths: readonly string[]): readonly McpResource[] {
  const children = new Map<string, McpResource>();
  for (const path of paths) {
    const uri = toUri(folder, path);
    if (!uri.startsWith(`${place}/`)) continue;
    const [name = "", ...deeper] = uri.slice(place.length + 1).split("/");
    const at = `${place}/${name}`;
    if (deeper.length === 0) children.set(at, toResource(folder, path));
    else if (!children.has(at)) children.set(at, { uri: at, name: decodeURIComponent(name), mimeType: FOLDER });
  }
  return [...children.values()];
}

function toResource(folder: SkillFolder, path: string): McpResource {
  const { name, description } = folder.skill;
  const uri = toUri(folder, path);
  return path === MANIFEST
    ? { uri, name, description, mimeType: typeOf(path) }
    : { uri, name: path.slice(path.lastIndexOf("/") + 1), mimeType: typeOf(path) };
}

function toUri({ uri }: SkillFolder, path: string): string {
  return [uri, ...path.split("/").map(encodeURIComponent)].join("/");
}

function toContent(bytes: Uint8Array): { readonly text: string } | { readonly blob: string } {
  try {
    return { text: new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes) };
  } catch {
    return { blob: toBase64(bytes) };
  }
}

const TYPES: Readonly<Record<string, string>> = {
  md: "text/markdown",
  txt: "text/plain",
  json: "application/json",
  yaml: "application/yaml",
  yml: "application/yaml",
  html: "text/html",
  js: "text/javascript",
  py: "text/x-python",
  sh: "text/x-shellscript",
  png: "image/png",
  jpg: "image/jpeg",
};

function typeOf(path: string): string {
  const ending = path.slice(path.lastIndexOf(".") + 1).toLowerCase();
  return Object.hasOwn(TYPES, ending) ? TYPES[ending]! : "application/octet-stream";
}

function uriOf(params: unknown): string {
  return String((Object(params) as { uri?: unknown }).uri ?? "");
}

function unknown(uri: string, what: string): ProtocolError {
  return new ProtocolError(ProtocolErrorCode.InvalidParams, `There is no such ${what}: ${uri.slice(0, 200)}`, { uri });
}
