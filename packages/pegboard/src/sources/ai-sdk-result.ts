import type { ToolResultOutput } from "@ai-sdk/provider-utils";
import type { Content, Result } from "@pegboard/contract";

/** A result as a model of the AI SDK reads it: text, text and files, or the text of what went wrong. */
export function toModelOutput({ ok, content, error }: Result): ToolResultOutput {
  const parts = content.map(toPart);
  const text = parts.flatMap((part) => (part.type === "text" ? part.text : [])).join("\n");
  if (!ok) return { type: "error-text", value: text || (error?.message ?? "The tool failed without saying why") };
  return parts.every(({ type }) => type === "text") ? { type: "text", value: text } : { type: "content", value: parts };
}

type Part = Extract<Extract<ToolResultOutput, { type: "content" }>["value"][number], { type: "text" | "file" }>;

function toPart(block: Content): Part {
  switch (block.type) {
    case "text":
      return { type: "text", text: block.text };
    case "image":
    case "audio":
      return toFile(block.data, block.mimeType);
    case "resource": {
      const { uri, mimeType = "application/octet-stream", text, blob } = block.resource;
      return blob === undefined ? { type: "text", text: text ?? uri } : toFile(blob, mimeType);
    }
    case "resource_link":
      return { type: "text", text: `${block.name}: ${block.uri}` };
  }
}

function toFile(data: string, mediaType: string): Part {
  return { type: "file", mediaType, data: { type: "data", data } };
}
