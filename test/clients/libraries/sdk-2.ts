import type { Load } from "../../install.ts";
import type { Library, Reach } from "../library.ts";

/** The official SDK, which looks for the newest revision first. */
export const sdk2: Library = {
  title: "@modelcontextprotocol/client",
  cancels: ["standard streams", "HTTP"],
  async open(load, reach) {
    const { Client } = await load("@modelcontextprotocol/client");
    const client = new Client({ name: "sdk-2", version: "1.0.0" }, { versionNegotiation: { mode: "auto" } });
    await client.connect(await toTransport(load, reach));
    return {
      async list() {
        const { tools } = await client.listTools();
        return tools.map(({ name, inputSchema }: any) => ({ name, schema: inputSchema }));
      },
      call: (name, input, signal) => client.callTool({ name, arguments: input }, { signal }),
      close: () => client.close(),
    };
  },
};

async function toTransport(load: Load, reach: Reach): Promise<any> {
  if (reach.url === undefined) {
    const { StdioClientTransport } = await load("@modelcontextprotocol/client/stdio");
    return new StdioClientTransport({ ...reach, stderr: "ignore" });
  }
  const { StreamableHTTPClientTransport } = await load("@modelcontextprotocol/client");
  return new StreamableHTTPClientTransport(new URL(reach.url), { requestInit: { headers: reach.headers } });
}
