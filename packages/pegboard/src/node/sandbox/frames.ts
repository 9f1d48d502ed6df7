// Held from the start: code that patches these in its own process must not change what this side says or hears.
const { parse, stringify } = JSON;
const { byteLength, concat } = Buffer;

/** The most bytes of one message. */
export const MAX_FRAME = 128 * 1024 * 1024;

/** A message as bytes: its length, then its JSON. Undefined when it is too big. */
export function toFrame(message: unknown): Buffer | undefined {
  const text = stringify(message);
  const length = byteLength(text);
  if (length > MAX_FRAME) return undefined;
  const frame = Buffer.allocUnsafe(4 + length);
  frame.writeUInt32LE(length);
  frame.write(text, 4);
  return frame;
}

/** Takes bytes as they come and hands on each whole message. Throws for what is too big or not JSON. */
export function createFrameReader(receive: (message: unknown) => void): (chunk: Buffer) => void {
  let chunks: Buffer[] = [];
  let held = 0;
  return (chunk) => {
    chunks.push(chunk);
    held += chunk.length;
    while (held >= 4) {
      const first = chunks[0]!.length >= 4 ? chunks[0]! : concat(chunks);
      const length = first.readUInt32LE();
      if (length > MAX_FRAME) throw new RangeError(`A message of ${length} bytes is too big`);
      if (held < 4 + length) return;
      const whole = chunks.length === 1 ? first : concat(chunks);
      const rest = whole.subarray(4 + length);
      chunks = rest.length > 0 ? [rest] : [];
      held = rest.length;
      receive(parse(whole.toString("utf8", 4, 4 + length)));
    }
  };
}
