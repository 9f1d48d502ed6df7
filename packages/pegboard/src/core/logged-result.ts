import type { Content, Result } from "@pegboard/contract";
import type { LoggedResult } from "./event.ts";
import { withoutCredentials } from "./credential.ts";
import { canonicalJson, exceeds, sha256 } from "./json.ts";
import { mapTexts } from "./map-texts.ts";

/**
 * A result as the log keeps it: bytes as a line that tells their kind, size and digest; the rest whole up to so many
 * characters, else its size, digest and beginning.
 */
export function toLogged(result: Result, most: number): LoggedResult | Promise<LoggedResult> {
  return isSmall(result, most) ? result : shorten(result, most);
}

async function shorten(result: Result, most: number): Promise<LoggedResult> {
  const content = await Promise.all(result.content.map(toPlaceholder));
  const logged = { ...result, content };
  // Before it is cut: half a credential would not be found.
  const text = canonicalJson(mapTexts(logged, withoutCredentials));
  if (text.length <= most) return logged;
  return {
    cut: true,
    characters: text.length,
    sha256: await sha256(text),
    preview: text.slice(0, most).toWellFormed(),
  };
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
    text: `[${block.type} ${mimeType}, ${Math.floor((bytes.length * 3) / 4)} bytes, sha256 ${await sha256(bytes)}]`,
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
