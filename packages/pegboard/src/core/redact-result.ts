import type { Content, Result } from "@pegboard/contract";
import type { Redactor } from "./redact.ts";

/** A result without secrets, whatever part of it they are in; the very same when it holds none. */
export function redactResult(result: Result, redactor: Redactor): Result {
  const redacted = redactor.json(result);
  if (redacted === result) return result;
  return { ...redacted, content: redacted.content.map((block, index) => withoutBytes(block, result.content[index]!)) };
}

// Bytes with a hole in them are no image any more.
function withoutBytes(redacted: Content, original: Content): Content {
  if (bytesOf(redacted) === bytesOf(original)) return redacted;
  return { type: "text", text: `[${redacted.type} left out: it holds a secret]` };
}

function bytesOf(block: Content): string | undefined {
  if (block.type === "resource") return block.resource.blob;
  return block.type === "image" || block.type === "audio" ? block.data : undefined;
}
