import { Client } from "@modelcontextprotocol/client";
import { fromJsonSchema, InMemoryTransport, McpServer } from "@modelcontextprotocol/server";
import { DESCRIPTION, INPUT, search, type SearchInput, toolName, toSchema } from "../search-tool.ts";
import type { Peer } from "./peer.ts";

/** A server and a client of the MCP SDK 2, linked in memory. */
export async function connectMcp2(tools: number): Promise<{ readonly server: McpServer; readonly client: Client }> {
  const server = new McpServer({ name: "bench", version: "1.0.0" });
  for (let index = 0; index < tools; index++) {
    const inputSchema = fromJsonSchema<SearchInput>(toSchema());
    server.registerTool(toolName(index), { description: DESCRIPTION, inputSchema }, async (input) => ({
      content: [{ type: "text", text: await search(input) }],
    }));
  }
  const client = new Client({ name: "bench", version: "1.0.0" });
  const [near, far] = InMemoryTransport.createLinkedPair();
  await Promise.all([server.connect(far), client.connect(near)]);
  return { server, client };
}

/** A call from client to server over the SDK's in-memory transport, which passes objects and makes no text of them. */
export async function mcp2Peer(tools = 1): Promise<Peer> {
  const { client, server } = await connectMcp2(tools);
  return {
    name: "MCP SDK 2",
    async call(index) {
      const { content, isError } = await client.callTool({ name: toolName(index), arguments: INPUT });
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
