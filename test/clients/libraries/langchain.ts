import type { Library } from "../library.ts";

/** Tools for LangChain. */
export const langchain: Library = {
  title: "@langchain/mcp-adapters",
  cancels: ["standard streams", "HTTP"],
  listsOnce: true,
  async open(load, reach) {
    const { MultiServerMCPClient } = await load("@langchain/mcp-adapters");
    const pegboard =
      reach.url === undefined
        ? { transport: "stdio", ...reach, stderr: "ignore" }
        : { transport: "http", ...reach, automaticSSEFallback: false };
    const client = new MultiServerMCPClient({ mcpServers: { pegboard }, prefixToolNameWithServerName: false });
    const tools = async (): Promise<any[]> => client.getTools();
    return {
      list: async () => (await tools()).map(({ name, schema }) => ({ name, schema })),
      async call(name, input, signal) {
        const tool = (await tools()).find((one) => one.name === name);
        return tool.invoke({ id: "1", type: "tool_call", name, args: input }, { signal });
      },
      close: () => client.close(),
    };
  },
};
