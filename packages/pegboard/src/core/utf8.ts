const encoder = new TextEncoder();
// A mark at the beginning is a character like any other.
const decoder = new TextDecoder("utf-8", { ignoreBOM: true });

// An array of its own for each text would take longer than what is done with it.
const scratch = new Uint8Array(256 * 1024);

/** The bytes of a text, in UTF-8. They are good only until the next call: use them at once, or copy them. */
export function toPassingBytes(text: string): Uint8Array<ArrayBuffer> {
  if (text.length * 3 > scratch.length) return encoder.encode(text);
  return scratch.subarray(0, encoder.encodeInto(text, scratch).written);
}

/** A copy of a text: a slice would keep the text alive that it is of. Comes out well-formed. */
export function detach(text: string): string {
  return decoder.decode(toPassingBytes(text));
}
