import type { Library } from "../library.ts";

/** Tools for TanStack AI. */
export const tanstack: Library = {
  title: "@tanstack/ai-mcp",
  cancels: ["standard streams", "HTTP"],
  async open(load, reach) {
    const { createMCPClient } = await load("@tanstack/ai-mcp");
    const { stdioTransport } = await load("@tanstack/ai-mcp/stdio");
    const transport = reach.url === undefined ? stdioTransport(reach) : { type: "http", ...reach };
    const client = await createMCPClient({ transport });
    const tools = async (): Promise<any[]> => client.tools();
    return {
      list: async () => (await tools()).map(({ name, inputSchema }) => ({ name, schema: inputSchema })),
      async call(name, input, abortSignal) {
        const tool = (await tools()).find((one) => one.name === name);
        return tool.execute(input, { toolCallId: "1", abortSignal });
      },
      close: () => client.close(),
    };
  },
};
