import { PegboardError } from "./error.ts";

const MAX_PATH_BYTES = 4096;
const MAX_SEGMENT_BYTES = 255;

/** Control, format (bidi, zero-width, byte order mark), line separators, lone surrogates: nobody sees them in a name. */
const INVISIBLE = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/u;
const DEVICE = /^(con|prn|aux|nul|com[0-9¹²³]|lpt[0-9¹²³]|conin\$|conout\$) *(\.|$)/i;

/**
 * The key of a virtual file: NFC, segments joined by single slashes, no leading slash, `.` and `..` resolved. Names are
 * case-sensitive and `%` is never decoded. Throws `invalid_input` for what leaves the root, names no file, or would be
 * another name on another system.
 */
export function parseVfsPath(input: unknown): string {
  const { segments, folder } = resolve(input, "path");
  if (segments.length === 0) throw invalid("path", input, "it names no file: give a path such as notes/a.md");
  if (folder) throw invalid("path", input, "it names a folder: leave out what follows the file name");
  return segments.join("/");
}

/** The key of a folder, by the same rules. Empty, `.` and `/` are the root: the empty key. Throws `invalid_input`. */
export function parseVfsPrefix(input: unknown): string {
  return resolve(input, "prefix").segments.join("/");
}

function resolve(input: unknown, what: string): { segments: string[]; folder: boolean } {
  if (typeof input !== "string") throw invalid(what, input, "it must be a string");
  // No text has fewer bytes than code units: a huge one is refused before any work is done on it.
  const path = input.length > MAX_PATH_BYTES ? input : input.normalize("NFC");
  if (path.length > MAX_PATH_BYTES || bytesOf(path) > MAX_PATH_BYTES) {
    throw invalid(what, input, `it is longer than ${MAX_PATH_BYTES} bytes`);
  }
  if (path.includes("\\")) throw invalid(what, input, "separate folders with /, not with a backslash");
  const hidden = INVISIBLE.exec(path)?.[0];
  if (hidden !== undefined) throw invalid(what, input, `it holds the invisible character ${nameOf(hidden)}`);

  const segments: string[] = [];
  const parts = path.split("/");
  for (const part of parts) {
    if (part === "" || part === ".") continue;
    if (part !== "..") segments.push(checkSegment(part, what, input));
    else if (segments.pop() === undefined) throw invalid(what, input, "it leaves the root of the virtual files");
  }
  if (segments[0]?.startsWith("~")) throw invalid(what, input, "it starts with ~, and there is no home folder here");
  return { segments, folder: ["", ".", ".."].includes(parts.at(-1)!) };
}

function checkSegment(segment: string, what: string, input: string): string {
  const quoted = JSON.stringify(segment);
  if (bytesOf(segment) > MAX_SEGMENT_BYTES)
    throw invalid(what, input, `a name is longer than ${MAX_SEGMENT_BYTES} bytes`);
  if (segment.includes(":"))
    throw invalid(what, input, `${quoted} holds a colon, which is a drive or a stream on Windows`);
  if (DEVICE.test(segment)) throw invalid(what, input, `${quoted} is the name of a device on Windows`);
  // Three dots or more are a plain name; any other name that ends in a dot or a blank loses it on Windows.
  if (/\s$/.test(segment) || (segment.endsWith(".") && !/^\.+$/.test(segment))) {
    throw invalid(what, input, `${quoted} ends in a dot or a blank`);
  }
  return segment;
}

function bytesOf(text: string): number {
  return new TextEncoder().encode(text).length;
}

function nameOf(character: string): string {
  return `U+${character.codePointAt(0)!.toString(16).toUpperCase().padStart(4, "0")}`;
}

function invalid(what: string, input: unknown, reason: string): PegboardError {
  return new PegboardError("invalid_input", `The ${what}${show(input)} is refused: ${reason}`);
}

/** A path for a message: its beginning, with nothing invisible in it. */
function show(input: unknown): string {
  if (typeof input !== "string") return "";
  const start = input.length > 80 ? `${input.slice(0, 80)}…` : input;
  return ` ${JSON.stringify(start.replace(new RegExp(INVISIBLE, "gu"), (character) => `<${nameOf(character)}>`))}`;
}
