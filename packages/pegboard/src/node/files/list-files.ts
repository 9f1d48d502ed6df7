import { defineTool, type Tool } from "@pegboard/contract";
import { matchesPath } from "../../core/glob.ts";
import type { FileAccess } from "./access.ts";
import { show } from "./file-error.ts";
import { toFilePath } from "./file-path.ts";
import { locate, type Mount } from "./mounts.ts";
import type { FileType } from "./read-inside.ts";
import { MAX_DEPTH, walk } from "./walk.ts";

/** How many entries a listing shows, and how many are looked at to find what a pattern matches. */
const MOST = 10_000;
const MOST_LOOKED_AT = 200_000;
const IGNORED = [".git", ".pegboard", "node_modules"];

/** The folder to start in, as tools take it. */
export const FOLDER = {
  type: "string",
  description: "Folder to start in, such as /src; absent is all that is mounted",
} as const;
export const EVERYTHING = { type: "boolean", description: `Look into ${IGNORED.join(", ")} too` } as const;

/** The folders that are left out unless everything is asked for. */
export function ignores(everything: boolean | undefined): (name: string) => boolean {
  return (name) => everything !== true && IGNORED.includes(name);
}

/** Where to start when no folder is named: at the root, else at every mount. */
export function startsOf(mounts: readonly Mount[], path: string | undefined): readonly string[] {
  if (path !== undefined) return [path];
  const root = mounts.some(({ at }) => at.length === 0);
  return root ? ["/"] : mounts.map(({ at }) => toFilePath(at));
}

interface Shown {
  readonly path: string;
  readonly type: FileType;
}

/** The tool that lists a folder. */
export function listFilesTool({ mounts }: FileAccess): Tool {
  return defineTool({
    name: "list_files",
    description: "List what is in a folder, and with depth in the folders below. Links are named and not followed",
    input: {
      type: "object",
      properties: {
        path: FOLDER,
        depth: { type: "integer", minimum: 1, maximum: MAX_DEPTH, default: 1, description: "How many levels" },
      },
      additionalProperties: false,
    },
    capabilities: ["read"],
    async execute({ path, depth }, { signal }) {
      const current = mounts();
      const starts = startsOf(current, path);
      // Several mounts and no root: what is mounted is what there is to see.
      if (starts.length > 1 && depth === 1)
        return toListing(
          starts.map((at) => ({ path: at, type: "folder" })),
          true,
        );
      const entries: Shown[] = [];
      let complete = true;
      for (const start of starts) {
        const walked = await walk(
          current,
          locate(current, start),
          { depth, most: MOST - entries.length, signal },
          ({ names, type }) => {
            entries.push({ path: toFilePath(names), type });
            return true;
          },
        );
        complete &&= walked.complete;
      }
      return toListing(entries, complete);
    },
  });
}

/** The tool that finds files by a pattern of their paths. */
export function globTool({ mounts }: FileAccess): Tool {
  return defineTool({
    name: "glob",
    description:
      "Find files whose path matches a pattern: * is anything within a name, ** any number of folders, such as src/**/*.ts",
    input: {
      type: "object",
      properties: {
        pattern: { type: "string", minLength: 1, maxLength: 1000, description: "From the folder on, such as **/*.md" },
        path: FOLDER,
        everything: EVERYTHING,
      },
      required: ["pattern"],
      additionalProperties: false,
    },
    capabilities: ["read"],
    timeoutMs: 60_000,
    async execute({ pattern, path, everything }, { signal }) {
      const current = mounts();
      const found: Shown[] = [];
      let complete = true;
      const depth = pattern.includes("**") ? MAX_DEPTH : pattern.split("/").filter(Boolean).length;
      for (const start of startsOf(current, path)) {
        const place = locate(current, start);
        const above = place.mount.at.length + place.names.length;
        const walked = await walk(
          current,
          place,
          { depth, most: MOST_LOOKED_AT, signal, skip: ignores(everything) },
          ({ names, type }) => {
            if (type !== "folder" && matchesPath(pattern, names.slice(above).join("/")))
              found.push({ path: toFilePath(names), type });
            return found.length < MOST;
          },
        );
        complete &&= walked.complete;
      }
      return toListing(found, complete);
    },
  });
}

function toListing(entries: readonly Shown[], complete: boolean) {
  const lines = entries.map(
    ({ path, type }) => `${show(path)}${type === "file" ? "" : type === "folder" ? "/" : ` (${type})`}`,
  );
  const notes = [
    ...(complete ? [] : ["[not everything is shown: name a folder further down, or fewer levels]"]),
    ...(lines.length === 0 ? ["[nothing found]"] : []),
  ];
  return {
    content: [{ type: "text", text: [...lines, ...notes].join("\n") }],
    structured: { entries, complete },
    meta: { kind: "file_list" },
  };
}
