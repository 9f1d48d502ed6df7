import type { Library } from "../library.ts";
import { sdk1Transport } from "./sdk-1.ts";

/** Tools for agents of Strands. */
export const strands: Library = {
  title: "@strands-agents/sdk",
  cancels: ["standard streams", "HTTP"],
  async open(load, reach) {
    const { McpClient } = await load("@strands-agents/sdk");
    const client = new McpClient(reach.url === undefined ? { transport: await sdk1Transport(load, reach) } : reach);
    await client.connect();
    const tools = async (): Promise<any[]> => client.listTools();
    return {
      list: async () => (await tools()).map(({ name, toolSpec }) => ({ name, schema: toolSpec.inputSchema })),
      async call(name, input, signal) {
        const tool = (await tools()).find((one) => one.name === name);
        return client.callTool(tool, input, { signal });
      },
      close: () => client.disconnect(),
    };
  },
};
