import { closeSync, constants, type Dirent, fstatSync, read as readCallback, type Stats } from "node:fs";
import { promisify } from "node:util";
import { refuse, toFileError } from "./file-error.ts";
import { type Held, holdExisting, openHeld } from "./held.ts";
import { type Place, toRoot } from "./root.ts";

const read = promisify(readCallback);

/**
 * Opens a regular file below a folder, and only there: it is found, checked by what was opened rather than by its path,
 * and then opened for real. Links that stay inside are followed. Resolves to a descriptor that the caller closes.
 */
export async function openInside(folder: string, path: string, flags: number = constants.O_RDONLY): Promise<number> {
  const held = await holdExisting({
    root: toRoot(folder),
    names: path.split("/").filter((name) => name !== "" && name !== "."),
    path,
  });
  try {
    return await openHeld(needFile(held, path), flags, path);
  } finally {
    held.release();
  }
}

/** A file that is open for reading, and how big it was when it was opened. */
export interface OpenFile {
  readonly fd: number;
  readonly size: number;
  /** How many names the file has; with more than one, some may be anywhere. */
  readonly links: number;
  readonly real: string;
}

/** Opens a regular file for the time of `use`. */
export async function withFile<T>(place: Place, use: (file: OpenFile) => Promise<T>): Promise<T> {
  const held = await holdExisting(place);
  try {
    return await withHeldFile(held, place.path, use);
  } finally {
    held.release();
  }
}

/** The same for what is held already. */
export async function withHeldFile<T>(held: Held, path: string, use: (file: OpenFile) => Promise<T>): Promise<T> {
  const { size, nlink } = needFile(held, path).stats;
  const fd = await openHeld(held, constants.O_RDONLY, path);
  try {
    return await use({ fd, size, links: nlink, real: held.real });
  } finally {
    closeSync(fd);
  }
}

/** The bytes of an open file, at most `most`; one that holds more is refused. */
export async function readWhole({ fd, size }: OpenFile, most: number, path: string): Promise<Buffer> {
  if (size > most) throw tooBig(path, size, most);
  // One byte more than there should be: a file that grew meanwhile is noticed, one that did not is read in one go.
  let buffer = Buffer.allocUnsafeSlow(size + 1);
  let length = 0;
  for (;;) {
    const { bytesRead } = await readAt(fd, buffer, length, path);
    if (bytesRead === 0) return buffer.subarray(0, length);
    length += bytesRead;
    if (length > most) throw tooBig(path, length, most);
    if (length === buffer.length) buffer = Buffer.concat([buffer, Buffer.allocUnsafeSlow(Math.max(length, 65_536))]);
    else if (length === size) {
      // The common case: all that was announced has come. Asking once more would cost as much as the read itself.
      if (fstatSync(fd).size === size) return buffer.subarray(0, length);
    }
  }
}

/** Reads on in an open file, behind what has been read. */
export async function readAt(fd: number, buffer: Buffer, offset: number, path: string): Promise<{ bytesRead: number }> {
  try {
    return await read(fd, buffer, offset, buffer.length - offset, null);
  } catch (error) {
    throw toFileError(error, path);
  }
}

/** What is held, if it is a regular file. Throws `denied`, or `invalid_input` for a folder. */
export function needFile(held: Held, path: string): Held {
  const type = typeOf(held.stats);
  if (type === "file") return held;
  throw refuse(
    type === "folder" ? "invalid_input" : "denied",
    path,
    type === "folder"
      ? "it is a folder; list_files shows what is in it"
      : `it is a ${type}, and only regular files are used`,
  );
}

/** What kind of thing something is. */
export type FileType = "file" | "folder" | "link" | "fifo" | "socket" | "device";

/** The kind of what is held, or of an entry of a folder. */
export function typeOf(stats: Stats | Dirent): FileType {
  if (stats.isFile()) return "file";
  if (stats.isDirectory()) return "folder";
  if (stats.isSymbolicLink()) return "link";
  if (stats.isFIFO()) return "fifo";
  return stats.isSocket() ? "socket" : "device";
}

function tooBig(path: string, size: number, most: number): Error {
  return refuse(
    "invalid_input",
    path,
    `it has ${size} bytes, and at most ${most} are read at once; read a part of it with offset and limit`,
  );
}
