import { on, once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { describe, expect, it, onTestFinished } from "vitest";
import { WebSocket } from "ws";
import { createRuntime, defineTool } from "../../../src/index.ts";
import { startServer } from "../../../src/node/index.ts";
import { acceptSockets } from "../../../src/node/serve/sockets.ts";
import { createLock } from "../../../src/transports/http/lock.ts";
import type { Socket } from "../../../src/transports/native/socket.ts";
import { echo, serveForTest, type Serving, TOKEN, waitingTool } from "./serving.ts";

interface Dialled {
  readonly protocols?: readonly string[];
  readonly headers?: Readonly<Record<string, string>>;
  readonly path?: string;
}

const BEARER = { authorization: `Bearer ${TOKEN}` };

function dial({ url }: Pick<Serving, "url">, { protocols = [], headers = {}, path = "/ws" }: Dialled = {}): WebSocket {
  const socket = new WebSocket(url.replace("http", "ws") + path, [...protocols], { headers });
  onTestFinished(() => socket.terminate());
  return socket;
}

/** The status that a handshake is refused with, or 101. */
async function statusOf(socket: WebSocket): Promise<number> {
  const refused = once(socket, "unexpected-response").then(
    ([, answer]) => (answer as { statusCode: number }).statusCode,
  );
  return Promise.race([refused, once(socket, "open").then(() => 101)]);
}

/** Reads what comes, message by message. */
function reader(socket: WebSocket): () => Promise<any> {
  const messages = on(socket, "message")[Symbol.asyncIterator]();
  return async () => {
    const [data] = (await messages.next()).value as [Buffer];
    return JSON.parse(data.toString());
  };
}

describe("the handshake of a WebSocket", () => {
  it("A4-37: needs the token and an origin that is allowed, as everything else", async () => {
    const server = await serveForTest();
    const status = (dialled: Dialled) => statusOf(dial(server, dialled));
    expect(await status({})).toBe(401);
    expect(await status({ headers: { authorization: "Bearer wrong" } })).toBe(401);
    expect(await status({ path: `/ws?token=${TOKEN}` })).toBe(401);
    for (const origin of ["http://evil.example", "null", `http://localhost:${server.port + 1}`])
      expect(await status({ headers: { ...BEARER, origin } })).toBe(403);
    expect(await status({ headers: { ...BEARER, host: "evil.example" } })).toBe(403);
    expect(await status({ headers: BEARER, path: "/mcp" })).toBe(404);
    expect(await status({ headers: BEARER, protocols: ["chat"] })).toBe(400);
    expect(await status({ headers: { ...BEARER, origin: server.url } })).toBe(101);
  });

  it("takes the token of a browser as a protocol, and never says it back", async () => {
    const server = await serveForTest();
    const socket = dial(server, { protocols: ["pegboard", `bearer.${TOKEN}`], headers: { origin: server.url } });
    expect(await statusOf(socket)).toBe(101);
    expect(socket.protocol).toBe("pegboard");
    expect(await statusOf(dial(server, { protocols: ["pegboard", "bearer.wrong"] }))).toBe(401);
  });

  it("takes the cookie of a browser that a link let in", async () => {
    const server = await serveForTest();
    const entered = await server.ask(new URL(server.link()).pathname, { token: undefined });
    const cookie = (entered.headers["set-cookie"] as readonly string[])[0]!.split(";", 1)[0]!;
    expect(await statusOf(dial(server, { headers: { cookie, origin: server.url } }))).toBe(101);
    expect(await statusOf(dial(server, { headers: { cookie, origin: "http://evil.example" } }))).toBe(403);
  });
});

describe("a WebSocket", () => {
  it("speaks our own protocol, to whoever offers it or nothing", async () => {
    const server = await serveForTest();
    for (const protocols of [[], ["pegboard"], ["mcp2", "pegboard"]]) {
      const socket = dial(server, { headers: BEARER, protocols });
      const next = reader(socket);
      expect(await next()).toMatchObject({ type: "connected", final: true });
      socket.send(JSON.stringify({ id: 1, type: "tools.call", params: { tool: "echo", input: { text: "hello" } } }));
      let last: any;
      do last = await next();
      while (!last.final);
      expect(JSON.stringify(last)).toContain("hello");
    }
  });

  it("A4-25: greets, answers pings and unknown commands by their ids, stays open, and is closed with 4004 for no session", async () => {
    const server = await serveForTest();
    const socket = dial(server, { headers: BEARER });
    const next = reader(socket);
    expect(await next()).toMatchObject({ type: "connected", data: { protocol: 1, version: expect.any(String) } });
    const asked = [
      [
        { id: "a", type: "ping" },
        { id: "a", type: "pong" },
      ],
      [
        { id: "b", type: "tools.lst" },
        { id: "b", type: "error", data: { code: "not_found" } },
      ],
      [
        { id: "c", type: "cancel" },
        { id: "c", data: { cancelled: 0, message: "There is nothing to cancel" } },
      ],
    ];
    for (const [command, answer] of asked) {
      socket.send(JSON.stringify(command));
      expect(await next()).toMatchObject(answer!);
    }
    expect(socket.readyState).toBe(WebSocket.OPEN);
    const [code] = (await once(dial(server, { headers: BEARER, path: "/ws?session=none" }), "close")) as [number];
    expect(code).toBe(4004);
  });

  it("speaks MCP to whoever offers it", async () => {
    const server = await serveForTest();
    const socket = dial(server, { headers: BEARER, protocols: ["mcp"] });
    const next = reader(socket);
    await once(socket, "open");
    expect(socket.protocol).toBe("mcp");
    const params = { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "t", version: "1" } };
    socket.send(JSON.stringify({ jsonrpc: "2.0", id: 1, method: "initialize", params }));
    expect(await next()).toMatchObject({ id: 1, result: { serverInfo: { name: "pegboard" } } });
    socket.send(JSON.stringify({ jsonrpc: "2.0", method: "notifications/initialized" }));
    const call = { name: "echo", arguments: { text: "hello" } };
    socket.send(JSON.stringify({ jsonrpc: "2.0", id: 2, method: "tools/call", params: call }));
    expect(await next()).toMatchObject({ id: 2, result: { content: [{ type: "text", text: "hello" }] } });
    socket.send("{nope");
    expect(await next()).toMatchObject({ error: { code: -32700 } });
  });

  it("is told when there are too many sessions, and when messages are none or too long", async () => {
    const server = await serveForTest({ sessions: 1 });
    const first = dial(server, { headers: BEARER, protocols: ["mcp"] });
    await once(first, "open");
    const [code, reason] = (await once(dial(server, { headers: BEARER, protocols: ["mcp"] }), "close")) as [
      number,
      Buffer,
    ];
    expect([code, reason.toString()]).toEqual([1013, expect.stringContaining("open sessions")]);
    first.send(Buffer.from("{}"), { binary: true });
    expect((await once(first, "close"))[0]).toBe(1003);
    const long = dial(server, { headers: BEARER });
    await once(long, "open");
    long.send("x".repeat(16 * 1024 * 1024 + 1));
    expect((await once(long, "close"))[0]).toBe(1009);
  });

  it("cancels what its client asked for when the client leaves", async () => {
    const { wait, started, aborted } = waitingTool();
    const server = await serveForTest({}, { tools: [wait] });
    const socket = dial(server, { headers: BEARER });
    await once(socket, "open");
    socket.send(JSON.stringify({ id: 1, type: "tools.call", params: { tool: "wait" } }));
    await started;
    socket.terminate();
    await expect(aborted).resolves.toBeUndefined();
  });

  it("is let go when its client is gone without a word, and kept when it only says nothing", async () => {
    const server = createServer().listen(0, "127.0.0.1");
    await once(server, "listening");
    const lock = createLock({ recognise: () => ({ id: "ann" }) });
    const { promise: left, resolve } = Promise.withResolvers<string>();
    const door = (name: string) => (socket: Socket) => socket.onClose(() => resolve(name));
    const sockets = acceptSockets(server, {
      lock,
      path: "/ws",
      heartbeatMs: 20,
      doors: { quiet: door("quiet"), gone: door("gone") },
    });
    onTestFinished(() => {
      sockets.close();
      server.close();
    });
    const url = `ws://127.0.0.1:${(server.address() as AddressInfo).port}/ws`;
    const quiet = new WebSocket(url, ["quiet"], { headers: BEARER });
    await once(quiet, "open");
    await once(quiet, "ping");
    const gone = new WebSocket(url, ["gone"], { headers: BEARER, autoPong: false });
    gone.on("error", () => {});
    expect(await left).toBe("gone");
    expect(quiet.readyState).toBe(WebSocket.OPEN);
    quiet.terminate();
  });

  it("is told that the server goes away", async () => {
    const runtime = createRuntime({ tools: [echo] });
    const server = await startServer(runtime, { token: TOKEN, port: 0 });
    const socket = dial(server, { headers: BEARER });
    await once(socket, "open");
    const closed = once(socket, "close");
    await server.close();
    expect((await closed)[0]).toBe(1001);
    await runtime.close();
  });

  it.for(["mcp", "pegboard"])(
    "has an answer to each of its calls before the server goes away: %s",
    async (protocol) => {
      const never = defineTool({
        name: "never",
        description: "Never ends",
        input: {},
        approval: "preApproved",
        execute: () => new Promise(() => {}),
      });
      const runtime = createRuntime({ tools: [never] });
      const server = await startServer(runtime, { token: TOKEN, port: 0 });
      const socket = dial(server, { headers: BEARER, protocols: [protocol] });
      await once(socket, "open");
      const answered: unknown[] = [];
      socket.on("message", (data: Buffer) => {
        const { id, method, final } = JSON.parse(data.toString()) as { id: unknown; method?: string; final?: boolean };
        if (method === undefined && final !== false && typeof id === "number") answered.push(id);
      });
      const toCall = (id: number) =>
        protocol === "mcp"
          ? { jsonrpc: "2.0", id, method: "tools/call", params: { name: "never", arguments: {} } }
          : { id, type: "tools.call", params: { tool: "never" } };
      if (protocol === "mcp") {
        const params = { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "t", version: "1" } };
        socket.send(JSON.stringify({ jsonrpc: "2.0", id: "first", method: "initialize", params }));
        await once(socket, "message");
        socket.send(JSON.stringify({ jsonrpc: "2.0", method: "notifications/initialized" }));
      }
      const ids = Array.from({ length: 100 }, (_, index) => index + 1);
      for (const id of ids) socket.send(JSON.stringify(toCall(id)));
      const health = async () => {
        const answer = await fetch(`${server.url}/health`, { headers: BEARER });
        return ((await answer.json()) as { work: number }).work;
      };
      await expect.poll(health, { timeout: 10_000 }).toBe(100);
      const closed = once(socket, "close");
      await server.close(AbortSignal.abort());
      expect((await closed)[0]).toBe(1001);
      expect([...answered].sort((a, b) => Number(a) - Number(b))).toEqual(ids);
      await runtime.close();
    },
  );
});
