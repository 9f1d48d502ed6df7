import { once } from "node:events";
import { createServer, type RequestListener } from "node:http";
import { type AddressInfo, connect } from "node:net";
import { text } from "node:stream/consumers";
import { describe, expect, it, onTestFinished } from "vitest";
import { WebSocket } from "ws";
import type { AnyTool } from "../../../src/core/registry.ts";
import { defineTool } from "../../../src/index.ts";
import { inTurn } from "../../../src/node/serve/in-turn.ts";
import { watchUnread } from "../../../src/node/serve/unread.ts";
import { echo, serveForTest, TOKEN } from "./serving.ts";

async function listen(listener: RequestListener) {
  const server = createServer(listener).listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { server, port: (server.address() as AddressInfo).port };
}

const asks = (count: number) =>
  Array.from(
    { length: count },
    (_, at) => `GET /${at} HTTP/1.1\r\nhost: x\r\n${at === count - 1 ? "connection: close\r\n" : ""}\r\n`,
  ).join("");

describe("requests that come at once on one connection", () => {
  it("are answered one after the other", async () => {
    const begun: string[] = [];
    const waiting = Promise.withResolvers<void>();
    const { port } = await listen(
      inTurn(({ url }, response) => {
        begun.push(url!);
        void waiting.promise.then(() => response.end(`<${url}>`));
      }),
    );
    const socket = connect(port, "127.0.0.1", () => socket.write(asks(3)));
    await expect.poll(() => begun).toEqual(["/0"]);
    waiting.resolve();
    expect((await text(socket)).match(/<.*?>/g)).toEqual(["</0>", "</1>", "</2>"]);
  });

  it("end the connection when they are more than anybody needs", async () => {
    let begun = 0;
    const { port } = await listen(inTurn(() => begun++));
    const socket = connect(port, "127.0.0.1", () => socket.write(asks(100)));
    socket.on("error", () => {});
    await once(socket, "close");
    expect(begun).toBe(1);
  });
});

it("clients that read nothing are let go when too much is unread, and no others", async () => {
  const big = Buffer.alloc(8 * 1024 * 1024);
  const { server, port } = await listen((_, response) => void response.end(big));
  const told: string[] = [];
  using _watching = watchUnread(server, ({ message }) => told.push(message));
  const lazy = Array.from({ length: 12 }, () => {
    const socket = connect(port, "127.0.0.1", () => socket.write("GET / HTTP/1.1\r\nhost: x\r\n\r\n"));
    socket.on("error", () => {}).pause();
    onTestFinished(() => void socket.destroy());
    return socket;
  });
  expect((await (await fetch(`http://127.0.0.1:${port}`)).arrayBuffer()).byteLength).toBe(big.length);
  await expect.poll(() => told.length, { timeout: 5_000 }).toBeGreaterThan(0);
  expect((await (await fetch(`http://127.0.0.1:${port}`)).arrayBuffer()).byteLength).toBe(big.length);
  expect(told.length).toBeLessThan(lazy.length);
});

describe("a client of MCP on a WebSocket that does not read", () => {
  async function open(tool: AnyTool) {
    const { url } = await serveForTest({}, { tools: [echo, tool] });
    const socket = new WebSocket(`${url.replace("http", "ws")}/ws`, ["mcp", `bearer.${TOKEN}`]);
    onTestFinished(() => socket.terminate());
    const send = (message: object) => socket.send(JSON.stringify({ jsonrpc: "2.0", ...message }));
    await once(socket, "open");
    const clientInfo = { name: "test", version: "1" };
    send({ id: 0, method: "initialize", params: { protocolVersion: "2025-11-25", capabilities: {}, clientInfo } });
    await once(socket, "message");
    send({ method: "notifications/initialized" });
    return { socket, call: (id: number, name: string) => send({ id, method: "tools/call", params: { name } }) };
  }

  const ready = { input: { type: "object" }, approval: "preApproved", description: "Says a lot" } as const;

  it("has its calls begun a few at a time, and gets every answer later", async () => {
    let begun = 0;
    const execute = () => {
      begun++;
      return "x".repeat(90_000);
    };
    const { socket, call } = await open(defineTool({ ...ready, name: "long", execute }));
    socket.pause();
    for (let id = 1; id <= 1_000; id++) call(id, "long");
    await new Promise((resolve) => setTimeout(resolve, 500));
    expect(begun).toBeLessThan(500);
    const ids = new Set<number>();
    socket.on("message", (data: Buffer) => ids.add((JSON.parse(data.toString()) as { id: number }).id));
    socket.resume();
    await expect.poll(() => ids.size, { timeout: 15_000 }).toBe(1_000);
  });

  it("misses log messages, and is told how many", async () => {
    const { socket, call } = await open(
      defineTool({
        ...ready,
        name: "logs",
        async execute(_, { client }) {
          for (let count = 0; count < 100; count++) client?.log("info", "x".repeat(100_000));
          await new Promise((resolve) => setTimeout(resolve, 300));
          client?.log("info", "the last");
          return "done";
        },
      }),
    );
    const said: string[] = [];
    socket.on("message", (data: Buffer) => said.push(String(JSON.parse(data.toString()).params?.data).slice(0, 40)));
    call(1, "logs");
    await expect.poll(() => said.at(-2)).toBe("the last");
    expect(said.length).toBeLessThan(30);
    expect(said).toContainEqual(expect.stringMatching(/^\d\d log messages are missing/));
  });
});
