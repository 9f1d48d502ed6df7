import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { getRequestListener } from "@hono/node-server";
import { createMcpHandler, Server } from "@modelcontextprotocol/server";
import { serveStdio } from "@modelcontextprotocol/server/stdio";
import { RESULT, TOOL } from "./served-tool.ts";

/** A bare server of the SDK with one tool: over HTTP it prints its port, with `stdio` it speaks on standard streams. */
function createSdkServer(): Server {
  const server = new Server({ name: "bare", version: "1.0.0" }, { capabilities: { tools: {} } });
  server.setRequestHandler("tools/list", () => ({ tools: [TOOL as never] }));
  server.setRequestHandler("tools/call", () => ({ content: [{ type: "text", text: RESULT }] }));
  return server;
}

if (process.argv[2] === "stdio") serveStdio(createSdkServer);
else {
  const handler = createMcpHandler(createSdkServer);
  const answer = getRequestListener((request) => handler.fetch(request));
  const listening = createServer((incoming, outgoing) => void answer(incoming, outgoing));
  listening.listen(0, "127.0.0.1", () => console.log((listening.address() as AddressInfo).port));
}
