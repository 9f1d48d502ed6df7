import type { Json, McpServer } from "@pegboard/contract";
import { readEntry } from "../../sources/mcp/config-entry.ts";

/** What an entry of an agent's toolsets says of an MCP server: one that it brings, the mere name of one, or nothing. */
export function agentServer(entry: Json): McpServer | "named" | undefined {
  const { mcp } = Object(entry) as { mcp?: unknown };
  if (mcp === undefined) return undefined;
  if (mcp === true || typeof mcp === "string") return "named";
  const read = readEntry(mcp);
  return "server" in read ? read.server : undefined;
}
