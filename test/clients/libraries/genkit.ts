import type { Library } from "../library.ts";

/** Tools for Google's Genkit. */
export const genkit: Library = {
  title: "@genkit-ai/mcp",
  cancels: [],
  async open(load, reach) {
    const { genkit: makeGenkit } = await load("genkit");
    const { createMcpClient } = await load("@genkit-ai/mcp");
    const mcpServer = reach.url === undefined ? reach : { url: reach.url, requestInit: { headers: reach.headers } };
    const ai = makeGenkit({});
    const client = createMcpClient({ name: "pegboard", mcpServer });
    await client.ready();
    const tools = async (): Promise<any[]> => client.getActiveTools(ai);
    return {
      list: async () =>
        (await tools()).map(({ __action }) => ({
          name: __action.name.replace("pegboard/", ""),
          schema: __action.inputJsonSchema,
        })),
      async call(name, input) {
        const tool = (await tools()).find(({ __action }) => __action.name === `pegboard/${name}`);
        return tool(input);
      },
      close: () => client.disable(),
    };
  },
};
