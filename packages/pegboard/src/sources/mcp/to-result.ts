import type { Json } from "@pegboard/contract";
import type { CallToolResult } from "@modelcontextprotocol/client";

/** What a server answered, as a tool returns it. Blocks and structured content stay as they are. */
export function toReturn({ content, structuredContent, isError, _meta = {} }: CallToolResult): unknown {
  // What the protocol itself says there is about the connection, not about the answer.
  const meta = Object.entries(_meta).filter(([key]) => !key.startsWith("io.modelcontextprotocol/"));
  return {
    ok: isError !== true,
    content,
    ...(structuredContent !== undefined && { structured: structuredContent }),
    ...(meta.length > 0 && { meta: { mcp: Object.fromEntries(meta) as Json } }),
  };
}
