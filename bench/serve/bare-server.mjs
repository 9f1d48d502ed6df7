// The least that an MCP server can be: plain JavaScript, as an install of the SDK has it.
import { Server } from "@modelcontextprotocol/server";
import { serveStdio } from "@modelcontextprotocol/server/stdio";

serveStdio(() => {
  const server = new Server({ name: "bare", version: "1.0.0" }, { capabilities: { tools: {} } });
  server.setRequestHandler("tools/list", () => ({
    tools: [{ name: "hello", description: "Say hello", inputSchema: { type: "object" } }],
  }));
  return server;
});
