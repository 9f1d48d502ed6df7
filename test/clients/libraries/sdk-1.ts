import type { Load } from "../../install.ts";
import type { Library, Reach } from "../library.ts";

/** The official SDK, before its second version; many libraries and programs are built on it. */
export const sdk1: Library = {
  title: "@modelcontextprotocol/sdk",
  cancels: ["standard streams", "HTTP"],
  async open(load, reach) {
    const client = await connectSdk1(load, reach);
    return {
      async list() {
        const { tools } = await client.listTools();
        return tools.map(({ name, inputSchema }: any) => ({ name, schema: inputSchema }));
      },
      call: (name, input, signal) => client.callTool({ name, arguments: input }, undefined, { signal }),
      close: () => client.close(),
    };
  },
};

/** A connected client of the SDK. */
export async function connectSdk1(load: Load, reach: Reach): Promise<any> {
  const { Client } = await load("@modelcontextprotocol/sdk/client/index.js");
  const client = new Client({ name: "sdk-1", version: "1.0.0" });
  await client.connect(await sdk1Transport(load, reach));
  return client;
}

/** A transport of the SDK, for libraries that take one. */
export async function sdk1Transport(load: Load, reach: Reach): Promise<any> {
  if (reach.url === undefined) {
    const { StdioClientTransport } = await load("@modelcontextprotocol/sdk/client/stdio.js");
    return new StdioClientTransport({ ...reach, stderr: "ignore" });
  }
  const { StreamableHTTPClientTransport } = await load("@modelcontextprotocol/sdk/client/streamableHttp.js");
  return new StreamableHTTPClientTransport(new URL(reach.url), { requestInit: { headers: reach.headers } });
}
