import { createHash } from "node:crypto";
import { opendir } from "node:fs/promises";
import { join } from "node:path";
import { PegboardError } from "../../core/error.ts";
import { refuse, toFileError } from "../files/file-error.ts";
import { hold } from "../files/held.ts";
import { type FileType, needFile, readWhole, typeOf, withHeldFile } from "../files/read-inside.ts";
import { type Root, toRoot } from "../files/root.ts";

/** A folder that is read and that nothing leads out of: neither a path nor a link. Paths in it have `/` and no start. */
export interface PluginFolder {
  /** Where it really is. */
  readonly root: string;
  /** The text of a regular file; undefined when there is none. Rejects with `denied` for one that a link leads out to. */
  read(path: string): Promise<string | undefined>;
  /** The bytes of one, under the same rules, without counting as read. Rejects with `not_found`. */
  readBytes(path: string): Promise<Uint8Array>;
  /** What is in a folder, in the order of names; undefined when there is none. Links are told as what they lead to. */
  list(path: string): Promise<readonly FolderEntry[] | undefined>;
  /** What is at a path, links followed; undefined when nothing is. Rejects with `denied` when a link leads out to it. */
  typeOf(path: string): Promise<FileType | undefined>;
  /** The absolute path of something in it, for people and programs. */
  absolute(path: string): string;
  /** The digest of everything that was read so far. */
  digest(): string;
}

export interface FolderEntry {
  readonly name: string;
  /** `link` is one that leads out, or nowhere. */
  readonly type: FileType;
}

/** More than this is no file that somebody wrote. */
const MAX_BYTES = 2 * 1024 * 1024;
const MAX_ENTRIES = 10_000;

/** Opens a folder for reading. Throws `invalid_config` when there is none. */
export function openPluginFolder(folder: string): PluginFolder {
  const root = toRoot(folder);
  const read = new Map<string, string>();
  const bytesOf = async (path: string): Promise<Uint8Array | undefined> => {
    const held = await hold(toPlace(root, path));
    if (!held) return undefined;
    try {
      needFile(held, path);
      return await withHeldFile(held, path, (file) => readWhole(file, MAX_BYTES, path));
    } finally {
      held.release();
    }
  };
  const opened: PluginFolder = {
    root: root.real,
    async read(path) {
      const bytes = await bytesOf(path);
      if (!bytes) return undefined;
      read.set(path, createHash("sha256").update(bytes).digest("hex"));
      return new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes);
    },
    async readBytes(path) {
      const bytes = await bytesOf(path);
      if (bytes) return bytes;
      throw refuse("not_found", path, "there is no such file");
    },
    async list(path) {
      const entries = await entriesIn(root, path);
      for (const [index, { name, type }] of entries?.entries() ?? []) {
        if (type !== "link") continue;
        const target = await opened.typeOf(path === "" ? name : `${path}/${name}`).catch(() => undefined);
        entries![index] = { name, type: target ?? "link" };
      }
      return entries;
    },
    async typeOf(path) {
      const held = await hold(toPlace(root, path));
      held?.release();
      return held && typeOf(held.stats);
    },
    absolute: (path) => join(root.real, path),
    digest() {
      const lines = [...read].sort(([a], [b]) => (a < b ? -1 : 1)).map(([path, hash]) => `${hash} ${path}\n`);
      return `sha256:${createHash("sha256").update(lines.join("")).digest("hex")}`;
    },
  };
  return opened;
}

function toPlace(root: Root, path: string) {
  return { root, path, names: path.split("/").filter((name) => name !== "" && name !== ".") };
}

async function entriesIn(root: Root, path: string): Promise<FolderEntry[] | undefined> {
  const held = await hold(toPlace(root, path));
  if (!held) return undefined;
  const entries: FolderEntry[] = [];
  try {
    if (!held.stats.isDirectory()) throw refuse("invalid_input", path, `it is a ${typeOf(held.stats)}, not a folder`);
    for await (const entry of await opendir(held.self)) {
      if (entries.push({ name: entry.name, type: typeOf(entry) }) > MAX_ENTRIES)
        throw new PegboardError("invalid_config", `${path}: it holds more than ${MAX_ENTRIES} entries`);
    }
  } catch (error) {
    throw toFileError(error, path);
  } finally {
    held.release();
  }
  return entries.sort((a, b) => (a.name < b.name ? -1 : 1));
}
