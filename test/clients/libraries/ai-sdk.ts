import type { Library } from "../library.ts";

/** Tools for the Vercel AI SDK. */
export const aiSdk: Library = {
  title: "@ai-sdk/mcp",
  cancels: ["HTTP"],
  async open(load, reach) {
    const { createMCPClient } = await load("@ai-sdk/mcp");
    const { StdioMCPTransport } = await load("@ai-sdk/mcp/mcp-stdio");
    const transport =
      reach.url === undefined ? new StdioMCPTransport({ ...reach, stderr: "ignore" }) : { type: "http", ...reach };
    const client = await createMCPClient({ transport });
    return {
      async list() {
        const tools = Object.entries<any>(await client.tools());
        return Promise.all(
          tools.map(async ([name, { inputSchema }]) => ({ name, schema: await inputSchema.jsonSchema })),
        );
      },
      async call(name, input, abortSignal) {
        const tools = await client.tools();
        return tools[name].execute(input, { toolCallId: "1", messages: [], abortSignal });
      },
      close: () => client.close(),
    };
  },
};
