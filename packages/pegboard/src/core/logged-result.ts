import type { Content, Result } from "@pegboard/contract";
import { bytesIn } from "./base64.ts";
import type { LoggedResult } from "./event.ts";
import { withoutCredentials } from "./credential.ts";
import { canonicalJson, exceeds, sha256 } from "./json.ts";
import { mapTexts } from "./map-texts.ts";
import { textOf } from "./result.ts";
import { detach } from "./utf8.ts";

/**
 * A result as the log keeps it: bytes as a line that tells their kind, size and digest; the rest whole up to so many
 * characters, else the size, digest and beginning of its text, a line end and the canonical JSON of the rest.
 */
export function toLogged(result: Result, most: number): LoggedResult | Promise<LoggedResult> {
  return isSmall(result, most) ? result : shorten(result, most);
}

async function shorten(result: Result, most: number): Promise<LoggedResult> {
  const content = await Promise.all(result.content.map(toPlaceholder));
  const logged = { ...result, content };
  // Before it is cut: half a credential would not be found.
  const text = toText(mapTexts(logged, withoutCredentials));
  if (text.length <= most) return logged;
  const digesting = sha256(text);
  const preview = detach(text.slice(0, most));
  return { cut: true, characters: text.length, sha256: await digesting, preview };
}

// Its text as it is: as JSON, which escapes it, it would cost several times as much. The lengths tell the texts apart.
function toText(result: Result): string {
  const content = result.content.map((block) =>
    block.type === "text" ? { ...block, text: block.text.length } : block,
  );
  return `${textOf(result)}\n${canonicalJson({ ...result, content })}`;
}

async function toPlaceholder(block: Content): Promise<Content> {
  const bytes =
    block.type === "image" || block.type === "audio"
      ? block.data
      : block.type === "resource"
        ? block.resource.blob
        : undefined;
  if (bytes === undefined) return block;
  const mimeType =
    block.type === "resource"
      ? (block.resource.mimeType ?? "application/octet-stream")
      : (block as { mimeType: string }).mimeType;
  return {
    type: "text",
    text: `[${block.type} ${mimeType}, ${bytesIn(bytes)} bytes, sha256 ${await sha256(bytes)}]`,
  };
}

function isSmall({ content, structured }: Result, most: number): boolean {
  let characters = 0;
  for (const block of content) {
    if (block.type !== "text") return false;
    characters += block.text.length;
  }
  return characters < most / 2 && !exceeds(structured, most / 4);
}
