import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { getRequestListener } from "@hono/node-server";
import { createMcpHandler, Server, type Transport } from "@modelcontextprotocol/server";
import { serveStdio } from "@modelcontextprotocol/server/stdio";
import { type WebSocket, WebSocketServer } from "ws";
import { RESULT, TOOL } from "./served-tool.ts";
import { tellWeight } from "./weight.ts";

/**
 * A bare server of the SDK with one tool: over HTTP, and with `socket` over WebSockets, it prints its port; with `stdio` it
 * speaks on standard streams.
 */
function createSdkServer(): Server {
  const server = new Server({ name: "bare", version: "1.0.0" }, { capabilities: { tools: {} } });
  server.setRequestHandler("tools/list", () => ({ tools: [TOOL as never] }));
  server.setRequestHandler("tools/call", () => ({ content: [{ type: "text", text: RESULT }] }));
  return server;
}

/** The SDK has no transport for WebSockets: the least that one can be. */
function toTransport(socket: WebSocket): Transport {
  const transport: Transport = {
    async start() {
      socket.on("message", (data: Buffer) => transport.onmessage?.(JSON.parse(data.toString())));
      socket.on("close", () => transport.onclose?.());
    },
    send: async (message) => socket.send(JSON.stringify(message)),
    close: async () => socket.close(),
  };
  return transport;
}

if (process.argv[2] === "stdio") serveStdio(createSdkServer);
else if (process.argv[2] === "socket") {
  const sockets = new WebSocketServer({ host: "127.0.0.1", port: 0 });
  sockets.on("connection", (socket) => void serveStdio(createSdkServer, { transport: toTransport(socket) }));
  sockets.on("listening", () => console.log((sockets.address() as AddressInfo).port));
  tellWeight();
} else {
  const handler = createMcpHandler(createSdkServer);
  const answer = getRequestListener((request) => handler.fetch(request));
  const listening = createServer((incoming, outgoing) => void answer(incoming, outgoing));
  listening.listen(0, "127.0.0.1", () => console.log((listening.address() as AddressInfo).port));
}
