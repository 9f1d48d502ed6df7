import { PegboardError } from "../../core/error.ts";

/** A file in an archive. */
export interface ArchiveEntry {
  /** From the root of the archive, with `/`; it leads nowhere else. */
  readonly path: string;
  readonly bytes: Uint8Array;
  readonly executable: boolean;
}

/** What an archive may hold at most. */
export interface ArchiveLimits {
  /** Bytes of all files together. */
  readonly total: number;
  /** Bytes of one file. */
  readonly entry: number;
  readonly entries: number;
  /** How many times larger than the archive its files may be together. */
  readonly ratio: number;
}

const MB = 1024 * 1024;

/** No plugin that somebody wrote is larger. */
export const ARCHIVE_LIMITS: ArchiveLimits = { total: 64 * MB, entry: 16 * MB, entries: 10_000, ratio: 100 };

/** How many bytes the files of an archive may have together. Small archives are not held to the ratio. */
export function mostBytes(archiveBytes: number, { total, ratio }: ArchiveLimits): number {
  return Math.min(total, Math.max(MB, archiveBytes * ratio));
}

/** The path of an entry, as it is used. Throws `invalid_config` for one that leads out of the archive, on any system. */
export function toEntryPath(written: string): string {
  const names = written.split("/").filter((name) => name !== "" && name !== ".");
  if (written.startsWith("/")) throw badEntry(written, "its path is absolute");
  // A backslash separates names, and a colon a drive, on Windows alone: what is refused must not depend on the system.
  if (/[\\:\0]/.test(written)) throw badEntry(written, "its path has a character that no path may have");
  if (names.includes("..")) throw badEntry(written, "its path leads out of the archive");
  return names.join("/");
}

/** The error of an entry that is not taken; with it, nothing of the archive is. */
export function badEntry(path: string, why: string): PegboardError {
  return badArchive(`${JSON.stringify(path.slice(0, 200))} is refused: ${why}`);
}

/** The error of an archive that is not taken. */
export function badArchive(why: string): PegboardError {
  return new PegboardError("invalid_config", `The archive is not unpacked, and nothing was written: ${why}`);
}
