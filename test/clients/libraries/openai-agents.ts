import type { Library } from "../library.ts";

/** Tools for agents of OpenAI's SDK. */
export const openaiAgents: Library = {
  title: "@openai/agents",
  cancels: ["standard streams", "HTTP"],
  async open(load, reach) {
    const sdk = await load("@openai/agents");
    const server =
      reach.url === undefined
        ? new sdk["MCPServerStdio"]({ name: "pegboard", ...reach })
        : new sdk["MCPServerStreamableHttp"]({
            name: "pegboard",
            url: reach.url,
            requestInit: { headers: reach.headers },
          });
    await server.connect();
    const tools = async (): Promise<any[]> => sdk["getAllMcpTools"]({ mcpServers: [server] });
    return {
      list: async () => (await tools()).map(({ name, parameters }) => ({ name, schema: parameters })),
      async call(name, input, signal) {
        const tool = (await tools()).find((one) => one.name === name);
        const runContext = new sdk["RunContext"]();
        return sdk["invokeFunctionTool"]({ tool, runContext, input: JSON.stringify(input), details: { signal } });
      },
      close: () => server.close(),
    };
  },
};
