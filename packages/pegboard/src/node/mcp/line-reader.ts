/** Splits a stream of bytes into lines. Throws when one is longer than `maxBytes`; then nothing more is to be given to it. */
export function createLineReader(maxBytes: number, line: (text: string) => void): (chunk: Buffer) => void {
  let held: Buffer[] = [];
  let size = 0;
  return (chunk) => {
    let start = 0;
    for (let end = chunk.indexOf(10); end >= 0; end = chunk.indexOf(10, start)) {
      held.push(chunk.subarray(start, end));
      const text = Buffer.concat(held).toString("utf8").trim();
      held = [];
      size = 0;
      start = end + 1;
      if (text !== "") line(text);
    }
    size += chunk.length - start;
    if (size > maxBytes) throw new RangeError(`a line is longer than ${maxBytes} bytes`);
    if (start < chunk.length) held.push(chunk.subarray(start));
  };
}
