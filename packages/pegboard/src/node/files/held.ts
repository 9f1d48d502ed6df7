import {
  closeSync,
  constants,
  fstatSync,
  lstatSync,
  open as openCallback,
  readlinkSync,
  realpathSync,
  type Stats,
} from "node:fs";
import { basename, join } from "node:path";
import { promisify } from "node:util";
import { isMissing, refuse, toFileError } from "./file-error.ts";
import { isInside, joinBelow, type Place, type Root } from "./root.ts";

/** Something inside a root, held so that no renaming can put anything else in its place. Whoever holds it releases it. */
export interface Held {
  readonly root: Root;
  /** The name under which it was found. */
  readonly name: string;
  /** Where it really is. */
  readonly real: string;
  readonly stats: Stats;
  /** A path to this very thing, for as long as it is held. */
  readonly self: string;
  release(): void;
}

const open = promisify(openCallback);

// Node does not name it. It opens the place and not the thing: no device is touched, no FIFO waits.
const O_PATH = 0o10000000;
// Windows has neither.
const { O_NONBLOCK = 0, O_NOFOLLOW = 0 } = constants as Partial<typeof constants>;

/**
 * Holds what a place leads to; links are followed as long as they stay inside the root. Resolves to undefined when nothing
 * is there; rejects with `denied` when it leads out.
 */
export async function hold(place: Place): Promise<Held | undefined> {
  const { root } = place;
  for (const names of spellings(place.names.join("/"))) {
    const path = joinBelow(root, names === "" ? [] : names.split("/"));
    try {
      const held = root.exact
        ? await holdDescriptor(root, path, true)
        : holdPath(root, realpathSync.native(path), basename(path));
      if (isInside(root, held.real)) return held;
      held.release();
      throw leadsOut(place.path);
    } catch (error) {
      if (!isMissing(error)) throw toFileError(error, place.path);
    }
  }
  return undefined;
}

/** Like `hold`, but what is not there is `not_found`; not even that is told about places outside of the root. */
export async function holdExisting(place: Place): Promise<Held> {
  const held = await hold(place);
  if (held) return held;
  for (let depth = place.names.length - 1; depth >= 0; depth--) {
    const above = await hold({ ...place, names: place.names.slice(0, depth) });
    if (!above) continue;
    const entry = await holdEntry(above, place.names[depth]!, place.path).finally(() => above.release());
    entry?.release();
    if (entry?.stats.isSymbolicLink()) throw leadsOut(place.path);
    break;
  }
  throw refuse("not_found", place.path, "there is no such file or folder");
}

/** Holds an entry of a folder that is held. A link is not followed: what is held then is the link. */
export async function holdEntry(folder: Held, name: string, path: string): Promise<Held | undefined> {
  if (!folder.stats.isDirectory()) return undefined;
  for (const spelling of spellings(name)) {
    try {
      if (folder.root.exact) return await holdDescriptor(folder.root, `${folder.self}/${spelling}`, false);
      verifyStill(folder, path);
      return holdPath(folder.root, join(folder.real, spelling), spelling);
    } catch (error) {
      if (!isMissing(error)) throw toFileError(error, path);
    }
  }
  return undefined;
}

/** Opens what is held, and nothing else. Never waits for the other end of a FIFO. */
export async function openHeld(held: Held, flags: number, path: string): Promise<number> {
  const { root, self, stats } = held;
  const fd = await open(self, flags | O_NONBLOCK | (root.exact ? 0 : O_NOFOLLOW)).catch((error: unknown) => {
    throw toFileError(error, path);
  });
  if (root.exact) return fd;
  try {
    verifyStill(held, path);
    if (isSame(fstatSync(fd), stats)) return fd;
    throw exchanged(path);
  } catch (error) {
    closeSync(fd);
    throw error;
  }
}

/** Throws `denied` when what is held is no longer where it was found. */
export function verifyStill({ root, real, self, stats }: Held, path: string): void {
  try {
    if (root.exact ? readlinkSync(self) === real : realpathSync.native(real) === real && isSame(lstatSync(real), stats))
      return;
  } catch (error) {
    throw toFileError(error, path);
  }
  throw exchanged(path);
}

/** The refusal of a path that leads out of its root. */
export function leadsOut(path: string): Error {
  return refuse("denied", path, "a link in it leads out of the folders that are mounted, or nowhere");
}

async function holdDescriptor(root: Root, path: string, follow: boolean): Promise<Held> {
  const fd = await open(path, O_PATH | (follow ? 0 : O_NOFOLLOW));
  let held = true;
  // Only once: the number may be that of another file by then.
  const release = () => {
    if (held) closeSync(fd);
    held = false;
  };
  try {
    const self = `/proc/self/fd/${fd}`;
    // Neither goes to the disk: the one reads the kernel's memory, the other what opening has just brought there.
    return { root, self, name: basename(path), real: readlinkSync(self), stats: fstatSync(fd), release };
  } catch (error) {
    release();
    throw error;
  }
}

function holdPath(root: Root, real: string, name: string): Held {
  return { root, self: real, name, real, stats: lstatSync(real), release: () => {} };
}

function isSame(a: Stats, b: Stats): boolean {
  return a.ino === b.ino && a.dev === b.dev;
}

function exchanged(path: string): Error {
  return refuse("denied", path, "it was moved, or exchanged for something else, just now");
}

/** The ways in which a name may be written on the disk: as it was given, composed, decomposed. */
function spellings(text: string): readonly string[] {
  // oxlint-disable-next-line no-control-regex
  return /^[\x00-\x7f]*$/.test(text) ? [text] : [...new Set([text, text.normalize("NFC"), text.normalize("NFD")])];
}
