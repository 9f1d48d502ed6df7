import { isUtf8 } from "node:buffer";
import { extname } from "node:path";
import { refuse } from "./file-error.ts";

/** The text of a file, and what must be known to write it back as it was. */
export interface FileText {
  readonly text: string;
  /** Whether it begins with a byte order mark, which is not in the text. */
  readonly mark: boolean;
  /** Whether bytes that are no UTF-8 stand in the text as U+FFFD. */
  readonly lossy: boolean;
}

const MARK = Buffer.from([0xef, 0xbb, 0xbf]);
const SAMPLE = 8_000;
const BINARY =
  /^\.(png|jpe?g|gif|webp|avif|bmp|ico|tiff?|heic|psd|mp[34]|m4[av]|wav|flac|ogg|opus|avi|mov|mkv|webm|pdf|docx?|xlsx?|pptx?|od[tsp]|epub|zip|gz|tgz|bz2|xz|zst|7z|rar|tar|jar|war|apk|dmg|iso|exe|dll|so|dylib|a|o|obj|lib|class|pyc|pyo|wasm|node|bin|dat|db|sqlite3?|woff2?|ttf|otf|eot)$/i;

/** Throws `invalid_input`, with a hint, for a name that only binary files have. */
export function refuseBinaryName(path: string): void {
  const ending = extname(path);
  if (BINARY.test(ending)) throw binary(path, `its name ends in ${ending}`);
}

/** Throws `invalid_input`, with a hint, for bytes that are no text. */
export function refuseBinaryBytes(bytes: Buffer, path: string): void {
  const why = binaryProblem(bytes);
  if (why) throw binary(path, why);
}

/** Why bytes are no text, by a look at the first of them; undefined when they are. */
export function binaryProblem(bytes: Buffer): string | undefined {
  if (bytes.length >= 2 && ((bytes[0] === 0xff && bytes[1] === 0xfe) || (bytes[0] === 0xfe && bytes[1] === 0xff)))
    return "it is UTF-16";
  const sample = bytes.subarray(0, SAMPLE);
  if (sample.includes(0)) return "it holds bytes of value 0";
  let controls = 0;
  // By index: to iterate takes several times as long.
  for (let at = 0; at < sample.length; at++) if (sample[at]! < 0x20 && !isBlank(sample[at]!)) controls++;
  return controls > sample.length / 10 ? "more than a tenth of it are control characters" : undefined;
}

/** The text that bytes are. */
export function decodeText(bytes: Buffer): FileText {
  const mark = bytes.subarray(0, 3).equals(MARK);
  const body = mark ? bytes.subarray(3) : bytes;
  return { text: body.toString("utf8"), mark, lossy: !isUtf8(body) };
}

/** The bytes of a text, with a byte order mark where there was one. */
export function encodeText(text: string, mark: boolean): Buffer {
  const body = Buffer.from(text);
  return mark ? Buffer.concat([MARK, body]) : body;
}

// Tab, line feed, vertical tab, form feed, return, and the escape of coloured output.
function isBlank(byte: number): boolean {
  return (byte >= 0x09 && byte <= 0x0d) || byte === 0x1b || byte === 0x08;
}

function binary(path: string, why: string): Error {
  return refuse(
    "invalid_input",
    path,
    `it is binary (${why}), and only text is read; file_info tells its size, and a program that knows its format can make text of it`,
  );
}
