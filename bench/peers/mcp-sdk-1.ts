import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { InMemoryTransport } from "@modelcontextprotocol/sdk/inMemory.js";
import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import type { CallToolResult } from "@modelcontextprotocol/sdk/types.js";
import { DESCRIPTION, INPUT, search, toolName, toZodSchema } from "../search-tool.ts";
import type { Peer } from "./peer.ts";

/** A call from client to server of the MCP SDK 1 over its in-memory transport. It takes Zod schemas only. */
export async function mcp1Peer(): Promise<Peer> {
  const server = new McpServer({ name: "bench", version: "1.0.0" });
  server.registerTool(toolName(0), { description: DESCRIPTION, inputSchema: toZodSchema() }, async (input) => ({
    content: [{ type: "text", text: await search(input) }],
  }));
  const client = new Client({ name: "bench", version: "1.0.0" });
  const [near, far] = InMemoryTransport.createLinkedPair();
  await Promise.all([server.connect(far), client.connect(near)]);
  return {
    name: "MCP SDK 1",
    async call(index) {
      const answer = await client.callTool({ name: toolName(index), arguments: INPUT });
      const { content, isError } = answer as CallToolResult;
      const [block] = content;
      if (isError || block?.type !== "text") throw new Error(`The call failed: ${JSON.stringify(content)}`);
      return block.text;
    },
    async [Symbol.asyncDispose]() {
      await client.close();
      await server.close();
    },
  };
}
