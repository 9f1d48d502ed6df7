import { randomBytes } from "node:crypto";
import { close, constants, fchmod, fchown, fstatSync, fsync, mkdir, open, rename, unlink, write } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { refuse, toFileError } from "./file-error.ts";
import { type Held, hold, holdEntry, holdExisting, leadsOut, verifyStill } from "./held.ts";
import { typeOf } from "./read-inside.ts";
import { namesBelow, type Place } from "./root.ts";

const system = {
  close: promisify(close),
  fchmod: promisify(fchmod),
  fchown: promisify(fchown),
  fsync: promisify(fsync),
  mkdir: promisify(mkdir),
  open: promisify(open),
  rename: promisify(rename),
  unlink: promisify(unlink),
  write: promisify(write),
};

/** Where something is to be written or removed: a folder that is held, a name in it, and what has that name now. */
export interface Target {
  readonly folder: Held;
  readonly name: string;
  readonly entry: Held | undefined;
  /** The real path, also when nothing is there yet. */
  readonly real: string;
  readonly path: string;
  release(): void;
}

/** How a target is looked for. */
export interface TargetOptions {
  /** Makes the folders that are missing. */
  readonly make?: boolean;
  /** Whether a link stands for what it leads to. */
  readonly follow?: boolean;
  /** Throws for a real path that must not be reached by these names. Asked before anything is made. */
  check?(real: string, names: readonly string[]): void;
}

/**
 * Finds where a place would be written. Rejects with `denied` when it leads out of the root, with `not_found` when its
 * folder is missing and is not to be made.
 */
export async function toTarget(place: Place, options: TargetOptions = {}): Promise<Target> {
  const { follow = true, check } = options;
  const name = place.names.at(-1);
  if (name === undefined) throw refuse("invalid_input", place.path, "it is a folder that is mounted, not a file");
  const folder = await holdFolder({ ...place, names: place.names.slice(0, -1) }, options);
  const found = await entryOf(folder, name, place.path, () => check?.(join(folder.real, name), place.names));
  if (!follow || !found.entry?.stats.isSymbolicLink()) return found;
  found.release();
  return linkTarget(place, options);
}

/** Writes all of a file at once: whoever reads it gets the old or the new text, and a crash leaves one of them. */
export async function replaceFile({ folder, name, entry, path }: Target, bytes: Uint8Array): Promise<void> {
  const draft = `${folder.self}/.pegboard-${randomBytes(9).toString("hex")}.tmp`;
  try {
    verifyStill(folder, path);
    const fd = await system.open(
      draft,
      constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | (constants.O_NOFOLLOW ?? 0),
      0o666,
    );
    try {
      if (entry) await keepRights(fd, entry);
      for (let at = 0; at < bytes.length;) at += (await system.write(fd, bytes, at)).bytesWritten;
      await system.fsync(fd);
    } finally {
      await system.close(fd);
    }
    verifyStill(folder, path);
    await system.rename(draft, `${folder.self}/${name}`);
    await syncFolder(folder);
  } catch (error) {
    await system.unlink(draft).catch(() => {});
    throw toFileError(error, path);
  }
}

/** Removes a file, or a link itself and never what it leads to. */
export async function removeEntry({ folder, name, path }: Target): Promise<void> {
  try {
    verifyStill(folder, path);
    await system.unlink(`${folder.self}/${name}`);
    await syncFolder(folder);
  } catch (error) {
    throw toFileError(error, path);
  }
}

/** Holds a folder. What is missing of it is made level by level, each held before the next. */
async function holdFolder(place: Place, { make = false, check }: TargetOptions): Promise<Held> {
  let depth = place.names.length;
  let folder = make ? await hold(place) : await holdExisting(place);
  while (!folder && depth > 0) folder = await hold({ ...place, names: place.names.slice(0, --depth) });
  if (!folder) throw refuse("not_found", place.path, "the folder that is mounted there is gone");
  try {
    check?.(folder.real, place.names.slice(0, depth));
    for (const name of place.names.slice(depth)) {
      const next = await makeFolder(needFolder(folder, place.path), name.normalize("NFC"), place.path);
      folder.release();
      folder = next;
    }
    return needFolder(folder, place.path);
  } catch (error) {
    folder.release();
    throw error;
  }
}

async function makeFolder(above: Held, name: string, path: string): Promise<Held> {
  try {
    verifyStill(above, path);
    await system.mkdir(`${above.self}/${name}`);
  } catch (error) {
    // Somebody else may have made it just now. What it is, is seen when it is held.
    if ((error as { code?: unknown }).code !== "EEXIST") throw toFileError(error, path);
  }
  const made = await holdEntry(above, name, path);
  if (made && !made.stats.isSymbolicLink()) return made;
  made?.release();
  throw leadsOut(path);
}

/** The target of a link: the folder and the name of what it really leads to. */
async function linkTarget(place: Place, { check }: TargetOptions): Promise<Target> {
  const held = await hold(place);
  if (!held) throw leadsOut(place.path);
  held.release();
  check?.(held.real, place.names);
  const names = namesBelow(place.root, held.real);
  const name = names.at(-1);
  if (name === undefined) throw refuse("invalid_input", place.path, "it leads to a folder, not to a file");
  const folder = await holdFolder({ ...place, names: names.slice(0, -1) }, {});
  const found = await entryOf(folder, name, place.path);
  // What was checked is what is changed: the same path, and no second link.
  if (found.real === held.real && found.entry && !found.entry.stats.isSymbolicLink()) return found;
  found.release();
  throw leadsOut(place.path);
}

/** What has a name in a folder that is held. The folder goes with it: it is released when this fails. */
async function entryOf(folder: Held, asked: string, path: string, check: () => void = () => {}): Promise<Target> {
  try {
    check();
    const entry = await holdEntry(folder, asked, path);
    // A new file is called by the composed spelling; one that is there keeps the name it has.
    const name = entry?.name ?? asked.normalize("NFC");
    const release = () => {
      entry?.release();
      folder.release();
    };
    return { folder, name, entry, real: join(folder.real, name), path, release };
  } catch (error) {
    folder.release();
    throw error;
  }
}

function needFolder(held: Held, path: string): Held {
  if (held.stats.isDirectory()) return held;
  throw refuse("invalid_input", path, `what should be a folder on its way is a ${typeOf(held.stats)}`);
}

// Mode and owner of what is replaced, where they differ; the owner only where the system lets us.
async function keepRights(fd: number, { stats }: Held): Promise<void> {
  const { mode, uid, gid } = fstatSync(fd);
  if (uid !== stats.uid || gid !== stats.gid) await system.fchown(fd, stats.uid, stats.gid).catch(() => {});
  if ((mode & 0o777) !== (stats.mode & 0o777)) await system.fchmod(fd, stats.mode & 0o777);
}

async function syncFolder(folder: Held): Promise<void> {
  if (process.platform === "win32") return;
  const fd = await system.open(folder.self, constants.O_RDONLY | constants.O_DIRECTORY);
  try {
    await system.fsync(fd);
  } finally {
    await system.close(fd);
  }
}
