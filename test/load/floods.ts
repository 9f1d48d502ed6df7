import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { WebSocket } from "ws";
import {
  get,
  type HttpRequest,
  INITIALIZE,
  INITIALIZED,
  modernCall,
  post,
  send,
  toBytes,
  TOKEN,
  toolCall,
} from "./requests.ts";
import { openSession } from "./slow-server-process.ts";

/** What a client asks for that reads nothing of it, and how it hangs up. */
export type Flood = (port: number) => Promise<() => void>;

/** The numbers from 1 to `count`. */
export const range = (count: number) => Array.from({ length: count }, (_, index) => index + 1);

/** A client on sockets of its own for each request, which reads or does not. */
export function ask(port: number, requests: readonly HttpRequest[], reads = false): () => void {
  const sockets = requests.map((request): Socket => {
    const socket = connect(port, "127.0.0.1");
    if (reads) socket.resume();
    else socket.pause();
    // A server may let such a client go.
    socket.on("error", () => {});
    socket.write(toBytes(request));
    return socket;
  });
  return () => sockets.forEach((socket) => socket.destroy());
}

/** A session of MCP in the old era, and the header that names it. */
export async function shakeHands(port: number): Promise<Readonly<Record<string, string>>> {
  const { headers } = await send(port, post("/mcp", INITIALIZE));
  const session = { "mcp-session-id": headers.get("mcp-session-id")! };
  await send(port, post("/mcp", INITIALIZED, session));
  return session;
}

/** A client on a WebSocket that says hello, where it has to, sends messages and reads nothing more. */
export async function onSocket(
  port: number,
  protocol: string,
  hello: object | undefined,
  messages: readonly object[],
): Promise<() => void> {
  const socket = new WebSocket(`ws://127.0.0.1:${port}/ws`, [protocol, `bearer.${TOKEN}`]);
  const greeted = once(socket, "message");
  await once(socket, "open");
  if (hello) socket.send(JSON.stringify(hello));
  await greeted;
  socket.pause();
  for (const message of messages) socket.send(JSON.stringify(message));
  return () => socket.terminate();
}

/** A client of HTTP and SSE that sends messages and reads no answer to them. */
export async function onSse(port: number, messages: readonly object[]): Promise<() => void> {
  const { body } = await send(port, get("/sse"));
  const reader = body!.getReader();
  const [, path = ""] = /data: (\S+)/.exec(new TextDecoder().decode((await reader.read()).value))!;
  await send(port, post(path, INITIALIZE));
  await reader.read();
  await send(port, post(path, INITIALIZED));
  const leave = ask(
    port,
    messages.map((message) => post(path, message)),
    true,
  );
  return () => {
    leave();
    void reader.cancel();
  };
}

/** A gigabyte on one connection, less where calls or connections alone would take long. */
export const FLOODS: Readonly<Record<string, Flood>> = {
  "results on a WebSocket of MCP": (port) =>
    onSocket(port, "mcp", INITIALIZE, [INITIALIZED, ...range(10_240).map((id) => toolCall(id, "long"))]),
  "log messages on a WebSocket of MCP": (port) => onSocket(port, "mcp", INITIALIZE, [INITIALIZED, toolCall(1, "logs")]),
  "results on a WebSocket of our own protocol": (port) =>
    onSocket(
      port,
      "pegboard",
      undefined,
      range(1_024).map((id) => ({ id, type: "tools.call", params: { tool: "megabyte" } })),
    ),
  async "the events of a session as SSE"(port) {
    const session = await openSession(port);
    const leave = ask(port, [get(`/v1/sessions/${session}/events?follow=true`)]);
    await (await send(port, post(`/v1/sessions/${session}/tools/megabytes`, {}))).text();
    return leave;
  },
  "results of MCP over HTTP and SSE": (port) =>
    onSse(
      port,
      range(512).map((id) => toolCall(id, "long")),
    ),
  "log messages of MCP over Streamable HTTP, new era": async (port) =>
    ask(port, [modernCall(1, "logs", {}, { "io.modelcontextprotocol/logLevel": "debug" })]),
  async "log messages of MCP over Streamable HTTP, old era"(port) {
    const session = await shakeHands(port);
    const stream = get("/mcp");
    return ask(port, [
      { ...stream, headers: { ...stream.headers, ...session } },
      post("/mcp", toolCall(1, "logs"), session),
    ]);
  },
  "results of MCP over Streamable HTTP, new era": async (port) =>
    ask(
      port,
      range(512).map((id) => modernCall(id, "long")),
    ),
  async "results of MCP over Streamable HTTP, old era"(port) {
    const session = await shakeHands(port);
    return ask(
      port,
      range(512).map((id) => post("/mcp", toolCall(id, "long"), session)),
    );
  },
  async "results of our own protocol over HTTP"(port) {
    const path = `/v1/sessions/${await openSession(port)}/tools/megabyte`;
    // One after the other: what many calls at once take is not what is meant here.
    const leaves: (() => void)[] = [];
    for (const _ of range(160)) {
      leaves.push(ask(port, [post(path, {})]));
      await new Promise((resolve) => setTimeout(resolve, 15));
    }
    return () => leaves.forEach((leave) => leave());
  },
};

/** Calls of a tool that reports as much as it can, on every door that tells of it over HTTP. */
export async function askForReports(port: number, reads: boolean): Promise<() => void> {
  const session = await shakeHands(port);
  const path = `/v1/sessions/${await openSession(port)}/tools/reports`;
  const requests = range(34).flatMap((id) => [
    modernCall(id, "reports", {}, { progressToken: id }),
    post("/mcp", toolCall(id, "reports", {}, { progressToken: id }), session),
    post(path, {}, { accept: id % 2 === 0 ? "application/x-ndjson" : "text/event-stream" }),
  ]);
  return ask(port, requests, reads);
}
