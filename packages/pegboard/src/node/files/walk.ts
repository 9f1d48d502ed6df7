import { opendir } from "node:fs/promises";
import { PegboardError } from "../../core/error.ts";
import { refuse, toFileError } from "./file-error.ts";
import { toFilePath } from "./file-path.ts";
import { type Held, holdEntry, holdExisting } from "./held.ts";
import type { Mount, MountedPlace } from "./mounts.ts";
import { type FileType, typeOf } from "./read-inside.ts";

/** Something in a folder. */
export interface Entry {
  /** The names of its virtual path. */
  readonly names: readonly string[];
  readonly type: FileType;
  /** The folder that it is in, held for as long as the entry is visited; undefined for a mount. */
  readonly folder: Held | undefined;
}

/** How far to walk. */
export interface WalkOptions {
  /** 1 is the folder alone. */
  readonly depth: number;
  /** How many entries are looked at. */
  readonly most: number;
  readonly signal: AbortSignal;
  /** Whether to leave a folder out, with all that is in it. */
  skip?(name: string): boolean;
}

/** Whether a walk came to its end, or stopped at a limit. */
export interface Walked {
  readonly complete: boolean;
}

/** No deeper than this, whatever is asked: every level holds a descriptor. */
export const MAX_DEPTH = 64;

/**
 * Visits what is below a folder, in the order of the names, a folder before what is in it. Links are visited and never
 * followed; a mount hides what its path would lead to. `visit` says whether to go on.
 */
export async function walk(
  mounts: readonly Mount[],
  place: MountedPlace,
  options: WalkOptions,
  visit: (entry: Entry) => boolean | Promise<boolean>,
): Promise<Walked> {
  const { depth, most, signal, skip = () => false } = options;
  let left = most;
  let complete = true;

  async function enter(folder: Held, at: readonly string[], level: number): Promise<boolean> {
    const { entries, all } = await list(folder, mounts, at, left);
    left -= entries.length;
    if (!all) complete = false;
    for (const { name, type, mount } of entries) {
      signal.throwIfAborted();
      const names = [...at, name];
      if (type === "folder" && skip(name)) continue;
      if (!(await visit({ names, type, folder: mount ? undefined : folder }))) return false;
      if (type !== "folder" || level >= depth) continue;
      if (level >= MAX_DEPTH || left <= 0) complete = false;
      else if (!(await descend(folder, names, mount, level + 1))) return false;
    }
    return true;
  }

  async function descend(
    above: Held,
    names: readonly string[],
    mount: Mount | undefined,
    level: number,
  ): Promise<boolean> {
    const path = toFilePath(names);
    const folder = mount
      ? await holdExisting({ root: mount.root, names: [], path })
      : await holdEntry(above, names.at(-1)!, path);
    try {
      // What was a folder a moment ago may be gone, or a link by now.
      return folder?.stats.isDirectory() ? await enter(folder, names, level) : true;
    } catch (error) {
      // One folder that may not be read must not hide the others.
      if (!(error instanceof PegboardError) || error.code !== "denied") throw error;
      complete = false;
      return true;
    } finally {
      folder?.release();
    }
  }

  const start = await holdExisting(place);
  try {
    if (!start.stats.isDirectory())
      throw refuse("invalid_input", place.path, `it is a ${typeOf(start.stats)}, not a folder`);
    if (!(await enter(start, [...place.mount.at, ...place.names], 1))) complete = false;
  } finally {
    start.release();
  }
  return { complete };
}

interface Listed {
  readonly name: string;
  readonly type: FileType;
  readonly mount?: Mount;
}

async function list(
  folder: Held,
  mounts: readonly Mount[],
  at: readonly string[],
  most: number,
): Promise<{ entries: Listed[]; all: boolean }> {
  const inside = mounts.filter(
    (mount) => mount.at.length === at.length + 1 && at.every((name, index) => mount.at[index] === name),
  );
  const entries = inside.map((mount): Listed => ({ name: mount.at.at(-1)!, type: "folder", mount }));
  const hidden = new Set(entries.map(({ name }) => name));
  let all = true;
  try {
    for await (const entry of await opendir(folder.self, { bufferSize: 256 })) {
      all = entries.length < most;
      if (!all) break;
      if (!hidden.has(entry.name)) entries.push({ name: entry.name, type: typeOf(entry) });
    }
  } catch (error) {
    throw toFileError(error, toFilePath(at));
  }
  return { entries: entries.sort((a, b) => (a.name < b.name ? -1 : 1)), all };
}
