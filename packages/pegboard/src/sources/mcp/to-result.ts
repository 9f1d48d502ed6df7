import type { Json } from "@pegboard/contract";
import type { CallToolResult } from "@modelcontextprotocol/client";
import { STRUCTURED_META } from "../../core/mcp-names.ts";

/** What a server answered, as a tool returns it. Blocks and structured content stay as they are. */
export function toReturn({ content, structuredContent, isError, _meta = {} }: CallToolResult): unknown {
  const { [STRUCTURED_META]: kept, ...about } = _meta;
  const structured = structuredContent ?? kept;
  // What the protocol itself says there is about the connection, not about the answer.
  const meta = Object.entries(about).filter(([key]) => !key.startsWith("io.modelcontextprotocol/"));
  return {
    ok: isError !== true,
    content,
    ...(structured !== undefined && { structured }),
    ...(meta.length > 0 && { meta: { mcp: Object.fromEntries(meta) as Json } }),
  };
}
