import { refuse } from "./file-error.ts";

const MAX_BYTES = 4096;

/** Characters that nobody sees, and which could make a path look like another one. */
const INVISIBLE = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/u;
const DRIVE = /^[A-Za-z]:(\/|$)/;
const HOME = /^~[\w-]*$/;
/** On Windows alone these mean something else than a name: devices, streams, and what ends in a dot or a blank. */
const WINDOWS = /^(con|prn|aux|nul|com[0-9¹²³]|lpt[0-9¹²³]|conin\$|conout\$) *(\.|$)|[:<>"|?*]|[. ]$/i;

/**
 * The names that a path is made of, from the virtual root on; `.` and `..` are resolved by their text and `%` is never
 * decoded. A path without a leading slash starts at `from`. Throws `invalid_input` for what is no path, and `denied` when
 * it goes above the root.
 */
export function parseFilePath(
  path: string,
  from: readonly string[] = [],
  platform: string = process.platform,
): string[] {
  if (path.length > MAX_BYTES || Buffer.byteLength(path) > MAX_BYTES)
    throw refuse("invalid_input", path, `it is longer than ${MAX_BYTES} bytes`);
  if (path.includes("\\")) throw refuse("invalid_input", path, "separate folders with /, not with a backslash");
  if (INVISIBLE.test(path)) throw refuse("invalid_input", path, "it holds a character that nobody can see");
  if (DRIVE.test(path)) throw refuse("invalid_input", path, "there are no drives here; paths begin with /");
  const names = path.startsWith("/") ? [] : [...from];
  for (const part of path.split("/")) {
    if (part === "" || part === ".") continue;
    if (part !== "..") names.push(part);
    else if (names.pop() === undefined) throw refuse("denied", path, "it goes above the root of the files");
  }
  if (!path.startsWith("/") && HOME.test(path.split("/")[0]!))
    throw refuse("invalid_input", path, "~ is no home folder here");
  const reserved = platform === "win32" ? names.find((name) => WINDOWS.test(name)) : undefined;
  if (reserved !== undefined) throw refuse("invalid_input", path, `"${reserved}" is no name of a file on Windows`);
  return names;
}

/** The path that names make. */
export function toFilePath(names: readonly string[]): string {
  return `/${names.join("/")}`;
}
