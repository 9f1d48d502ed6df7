import type { Library } from "../library.ts";

/** Tools for agents of Mastra. */
export const mastra: Library = {
  title: "@mastra/mcp",
  cancels: ["standard streams", "HTTP"],
  listsOnce: true,
  async open(load, reach) {
    const { MCPClient } = await load("@mastra/mcp");
    const server =
      reach.url === undefined ? reach : { url: new URL(reach.url), requestInit: { headers: reach.headers } };
    const client = new MCPClient({ servers: { pegboard: server } });
    const tools = async (): Promise<Record<string, any>> => {
      const { pegboard } = await client.listToolsets();
      return pegboard;
    };
    return {
      async list() {
        const entries = Object.entries(await tools());
        return entries.map(([name, { inputSchema }]) => ({
          name,
          schema: inputSchema["~standard"].jsonSchema.input({ target: "draft-2020-12" }),
        }));
      },
      call: async (name, input, abortSignal) => (await tools())[name].execute(input, { abortSignal }),
      close: () => client.disconnect(),
    };
  },
};
