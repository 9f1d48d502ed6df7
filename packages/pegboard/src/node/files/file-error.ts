import type { ErrorCode } from "@pegboard/contract";
import { messageOf, PegboardError } from "../../core/error.ts";

const SAID: Readonly<Record<string, readonly [code: ErrorCode, what: string]>> = {
  ENOENT: ["not_found", "there is no such file or folder"],
  ENOTDIR: ["not_found", "there is no such file or folder"],
  ELOOP: ["denied", "its links lead in a circle, or one was put in its place just now"],
  ENAMETOOLONG: ["invalid_input", "a name in it, or the whole path, is longer than the system allows"],
  EACCES: ["denied", "the system does not permit it"],
  EPERM: ["denied", "the system does not permit it"],
  EROFS: ["denied", "its disk is read-only"],
  EISDIR: ["invalid_input", "it is a folder, not a file"],
  ENOSPC: ["unavailable", "the disk is full"],
  EDQUOT: ["unavailable", "the disk quota is used up"],
  EMFILE: ["unavailable", "too many files are open"],
  ENFILE: ["unavailable", "too many files are open"],
};

/** What the system said about a path, as an error of the table. Errors of ours stay as they are. */
export function toFileError(error: unknown, path: string): PegboardError {
  if (error instanceof PegboardError) return error;
  const { code: errno } = Object(error) as { code?: unknown };
  const [code, what] = SAID[String(errno)] ?? (["unavailable", messageOf(error)] as const);
  return new PegboardError(code, `${show(path)}: ${what}`, { cause: error, retryable: code === "unavailable" });
}

/** The refusal of something about a path. */
export function refuse(code: ErrorCode, path: string, why: string): PegboardError {
  return new PegboardError(code, `${show(path)}: ${why}`);
}

/** A path for people and models: what nobody could see in it is escaped, and a long one is cut. */
export function show(path: string): string {
  const start = path.length > 200 ? `${path.slice(0, 200)}…` : path;
  return start.replace(
    /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu,
    (character) => `\\u{${character.codePointAt(0)!.toString(16)}}`,
  );
}

/** Whether the system says that nothing is there. */
export function isMissing(error: unknown): boolean {
  const { code } = Object(error) as { code?: unknown };
  return code === "ENOENT" || code === "ENOTDIR";
}
