/** What comes of lines. */
export interface LineReader {
  /** A line that is well-formed, without its end; never empty. Reading goes on when it resolves. */
  line(text: string): Promise<void> | void;
  /** A line that is no UTF-8. */
  broken(): void;
  /** A line that is longer than allowed; the rest of it is dropped as it comes. */
  tooLong(): void;
}

const NEWLINE = 0x0a;

/**
 * Reads lines until the input ends. Never holds more than the longest line and a chunk; what is left behind the last line
 * end is a line too. Rejects when the input fails.
 */
export async function readLines(input: AsyncIterable<Uint8Array>, longest: number, reader: LineReader): Promise<void> {
  const decoder = new TextDecoder("utf-8", { fatal: true });
  let parts: Uint8Array[] = [];
  let length = 0;
  let dropping = false;

  function keep(part: Uint8Array): void {
    if (dropping || part.length === 0) return;
    length += part.length;
    if (length > longest) {
      dropping = true;
      parts = [];
    } else parts.push(part);
  }

  function end(): Promise<void> | void {
    const whole = parts.length === 1 ? parts[0]! : Buffer.concat(parts);
    const dropped = dropping;
    parts = [];
    length = 0;
    dropping = false;
    if (dropped) return reader.tooLong();
    let text: string;
    try {
      text = decoder.decode(whole);
    } catch {
      return reader.broken();
    }
    if (text.trim() !== "") return reader.line(text);
  }

  for await (const chunk of input) {
    let from = 0;
    for (let at = chunk.indexOf(NEWLINE); at !== -1; at = chunk.indexOf(NEWLINE, from)) {
      keep(chunk.subarray(from, at));
      from = at + 1;
      await end();
    }
    keep(chunk.subarray(from));
  }
  if (length > 0) await end();
}
