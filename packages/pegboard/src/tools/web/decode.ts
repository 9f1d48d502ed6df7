/** What a body is, as far as reading goes. */
export type BodyKind = "html" | "text" | "binary" | "unknown";

const TEXT =
  /^text\/|[/+](?:json|xml|yaml|x-yaml|toml|javascript|ecmascript|x-javascript|typescript|graphql|sql|x-ndjson|ndjson|jsonl|json-seq|x-sh|rtf|x-www-form-urlencoded)$/;

/** What a content type says; `unknown` when it says nothing. */
export function kindOf(contentType: string): BodyKind {
  const type = essenceOf(contentType);
  if (type === "") return "unknown";
  if (type === "text/html" || type === "application/xhtml+xml") return "html";
  return TEXT.test(type) ? "text" : "binary";
}

/** What a body is, by its content type and, where that says nothing, by how it begins. */
export function sniff(contentType: string, bytes: Uint8Array): BodyKind {
  const kind = kindOf(contentType);
  // Text in UTF-16 is full of zeros too, and says so.
  if (
    kind !== "binary" &&
    bytes.subarray(0, 4096).includes(0) &&
    !/utf-?16/i.test(charsetOf(contentType, bytes, false))
  )
    return "binary";
  if (kind !== "unknown") return kind;
  return /^\s*<(?:!doctype html|html|head|body)\b/i.test(beginning(bytes)) ? "html" : "text";
}

/** The text of a body: by the mark at its beginning, the content type, or what HTML says of itself; else UTF-8. Never throws. */
export function decode(contentType: string, bytes: Uint8Array, isHtml: boolean): string {
  return new TextDecoder(charsetOf(contentType, bytes, isHtml)).decode(bytes);
}

/** The media type alone, in small letters. */
export function essenceOf(contentType: string): string {
  return contentType.split(";", 1)[0]!.trim().toLowerCase();
}

function charsetOf(contentType: string, bytes: Uint8Array, isHtml: boolean): string {
  const marked =
    bytes[0] === 0xfe && bytes[1] === 0xff
      ? "utf-16be"
      : bytes[0] === 0xff && bytes[1] === 0xfe
        ? "utf-16le"
        : undefined;
  if (marked) return marked;
  if (bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf) return "utf-8";
  const said = /;\s*charset\s*=\s*"?([^\s";]+)/i.exec(contentType)?.[1];
  const meta = isHtml ? /<meta[^>]{0,200}?charset\s*=\s*["']?\s*([\w:.-]+)/i.exec(beginning(bytes))?.[1] : undefined;
  return (
    [said, meta && /^utf-?16/i.test(meta) ? "utf-8" : meta].find((label) => label !== undefined && isKnown(label)) ??
    "utf-8"
  );
}

function isKnown(label: string): boolean {
  try {
    return new TextDecoder(label).encoding !== "";
  } catch {
    return false;
  }
}

// Enough for what has to stand in the first 1,024 bytes, and ASCII in every charset that it could name.
function beginning(bytes: Uint8Array): string {
  return new TextDecoder("latin1").decode(bytes.subarray(0, 1024));
}
