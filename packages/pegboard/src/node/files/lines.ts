import { type OpenFile, readAt } from "./read-inside.ts";
import { decodeText, type FileText, refuseBinaryBytes } from "./text.ts";

/** Some lines of a file. */
export interface Lines extends FileText {
  /** How many lines there are in the text. */
  readonly lines: number;
  /** How many the file has; undefined when it was not read to its end. */
  readonly total?: number;
  /** How much comes behind: lines where the total is known, else bytes. */
  readonly left: number;
  /** Whether the last line was cut. */
  readonly cut: boolean;
}

const LINE_FEED = 0x0a;
const CHUNK = 256 * 1024;
/** What is given of a big file at once: little enough for a result that is not cut. */
const MAX_PART_BYTES = 512 * 1024;

/** Takes some lines out of a text. */
export function takeLines({ text, mark, lossy }: FileText, offset: number, limit: number): Lines {
  const total = countLines(text);
  if (offset === 0 && limit >= total) return { text, mark, lossy, lines: total, total, left: 0, cut: false };
  const start = endOfLines(text, 0, offset);
  const end = endOfLines(text, start, limit);
  const lines = Math.max(0, Math.min(limit, total - offset));
  return {
    text: text.slice(start, end),
    mark,
    lossy,
    lines,
    total,
    left: Math.max(0, total - offset - lines),
    cut: false,
  };
}

/** Reads some lines of a file of any size. Memory is bounded by what it gives; the file is read no further than needed. */
export async function readLines(
  { fd, size }: OpenFile,
  offset: number,
  limit: number,
  path: string,
  signal: AbortSignal,
): Promise<Lines> {
  const parts: Buffer[] = [];
  const buffer = Buffer.allocUnsafeSlow(CHUNK);
  let position = 0;
  let kept = 0;
  let skip = offset;
  let lines = 0;
  for (let first = true; lines < limit && kept < MAX_PART_BYTES; first = false) {
    signal.throwIfAborted();
    const { bytesRead } = await readAt(fd, buffer, 0, path);
    if (bytesRead === 0) break;
    const chunk = buffer.subarray(0, bytesRead);
    if (first) refuseBinaryBytes(chunk, path);
    let at = 0;
    while (at < chunk.length && lines < limit && kept < MAX_PART_BYTES) {
      const feed = chunk.indexOf(LINE_FEED, at);
      const end = Math.min(feed < 0 ? chunk.length : feed + 1, skip > 0 ? Infinity : at + MAX_PART_BYTES - kept);
      if (skip === 0) {
        parts.push(Buffer.from(chunk.subarray(at, end)));
        kept += end - at;
      }
      const ended = feed >= 0 && end === feed + 1;
      if (ended && skip > 0) skip--;
      else if (ended) lines++;
      at = end;
    }
    position += at;
  }
  const bytes = Buffer.concat(parts);
  const open = bytes.length > 0 && bytes.at(-1) !== LINE_FEED;
  return toLines(bytes, lines, open, Math.max(0, size - position), path);
}

function toLines(bytes: Buffer, lines: number, open: boolean, left: number, path: string): Lines {
  // A part that had to stop within a line ends before that line, unless it is all there is.
  const whole = open && left > 0 && lines > 0 ? bytes.subarray(0, bytes.lastIndexOf(LINE_FEED) + 1) : bytes;
  refuseBinaryBytes(whole, path);
  const cut = open && left > 0 && lines === 0;
  return {
    ...decodeText(whole),
    lines: lines + (open && whole === bytes ? 1 : 0),
    left: left + bytes.length - whole.length,
    cut,
  };
}

function countLines(text: string): number {
  let count = 0;
  for (let at = text.indexOf("\n"); at >= 0; at = text.indexOf("\n", at + 1)) count++;
  return text === "" || text.endsWith("\n") ? count : count + 1;
}

function endOfLines(text: string, start: number, lines: number): number {
  let at = start;
  for (let line = 0; line < lines && at < text.length; line++) {
    const feed = text.indexOf("\n", at);
    at = feed < 0 ? text.length : feed + 1;
  }
  return at;
}
