import { setTimeout as pause } from "node:timers/promises";
import { describe, expect, it, onTestFinished } from "vitest";
import { attachMcpServer, createMcpPool, createRuntime, type McpPool } from "../../src/index.ts";
import { createLocalMcpPool } from "../../src/node/index.ts";
import { complete, listenAlone, type LoneAnswer, send, toEvent } from "../fixtures/mcp/lone-server.ts";
import { until } from "../fixtures/mcp/place.ts";

const DONE = { content: [{ type: "text", text: "done" }] };
const EVENTS = { "content-type": "text/event-stream" };

const POOLS: readonly (readonly [string, () => McpPool])[] = [
  ["fetch", () => createMcpPool()],
  ["connections that are kept", () => createLocalMcpPool()],
];

describe.each(POOLS)("a call to an address of the new era, by %s", (_, createPool) => {
  async function open(answer: LoneAnswer, inputSchema?: object) {
    const pool = createPool();
    const runtime = createRuntime({ builtins: false });
    onTestFinished(async () => {
      await runtime.close();
      await pool[Symbol.asyncDispose]();
    });
    const url = await listenAlone(answer, inputSchema);
    const server = { url, type: "http", headers: { "X-Team": "blue" } } as const;
    const attached = attachMcpServer(runtime.tools, "up", server, { pool });
    await attached.ready;
    expect(attached.problem).toBeUndefined();
    return runtime.open({ approve: "all" });
  }

  it("says who calls, and what, in its body and in its headers", async () => {
    const schema = { type: "object", properties: { at: { type: "object", properties: { place: PLACE } } } };
    const seen: object[] = [];
    const session = await open(({ id, params, http }, response) => {
      seen.push(params["_meta"] as object, http.headers);
      complete(response, id, DONE);
    }, schema);
    expect(await session.call("up__go", { at: { place: "Köln" } })).toMatchObject({ ok: true, ...DONE });
    expect(seen[0]).toMatchObject({
      "io.modelcontextprotocol/protocolVersion": "2026-07-28",
      "io.modelcontextprotocol/clientInfo": { name: "pegboard" },
    });
    expect(seen[1]).toMatchObject({
      "x-team": "blue",
      "mcp-protocol-version": "2026-07-28",
      "mcp-method": "tools/call",
      "mcp-name": "go",
      "mcp-param-place": "=?base64?S8O2bG4=?=",
    });
  });

  it("hears on its stream how far it is, and its result", async () => {
    const session = await open(({ id, params }, response) => {
      const { progressToken } = params["_meta"];
      const progress = { progressToken, progress: 1, total: 2, message: "half" };
      response.writeHead(200, EVENTS);
      response.write(": hello\n\n");
      response.write("data: {not a message\n\n");
      response.write(toEvent({ method: "notifications/progress", params: progress }));
      response.end(toEvent({ id, result: { resultType: "complete", ...DONE } }));
    });
    const reports: unknown[] = [];
    session.listen((event) => event.type === "call-progress" && reports.push(event.data));
    expect(await session.call("up__go", {})).toMatchObject({ ok: true, ...DONE });
    expect(reports).toEqual([expect.objectContaining({ message: "half", current: 1, total: 2 })]);
  });

  it("closes its stream when it is cancelled", async () => {
    let isOpen = false;
    const session = await open((_call, response) => {
      isOpen = true;
      response.on("close", () => (isOpen = false));
      response.writeHead(200, EVENTS).flushHeaders();
    });
    const control = new AbortController();
    const called = session.call("up__go", {}, { signal: control.signal });
    await until(() => isOpen);
    control.abort();
    expect(await called).toMatchObject({ ok: false, error: { code: "cancelled" } });
    await until(() => !isOpen);
  });

  it.each<[string, LoneAnswer, object]>([
    [
      "a stream that ends without an answer",
      (_call, response) => response.writeHead(200, EVENTS).end(),
      { code: "unavailable", retryable: false },
    ],
    [
      "a line that breaks",
      (_call, response) => {
        response.writeHead(200, { "content-type": "application/json", "content-length": 100 }).write("{");
        setTimeout(() => response.destroy(), 20);
      },
      { code: "unavailable" },
    ],
    [
      "a message that is too long",
      async (_call, response) => {
        response.writeHead(200, EVENTS).write("data: ");
        while (!response.destroyed) {
          response.write("x".repeat(1024 * 1024));
          await pause(1);
        }
      },
      { code: "unavailable", message: expect.stringContaining("longer than 16777216 bytes") as string },
    ],
    [
      "a type of result that nobody knows",
      ({ id }, response) => send(response, { id, result: { resultType: "riddle" } }),
      { code: "invalid_output", message: expect.stringContaining("riddle") as string },
    ],
    [
      "content of a type that nobody knows",
      ({ id }, response) => complete(response, id, { content: [{ type: "smell" }] }),
      { code: "invalid_output" },
    ],
    [
      "no message at all",
      (_call, response) => response.writeHead(200, { "content-type": "text/html" }).end("<p>Hello"),
      { code: "unavailable", message: expect.stringContaining("text/html") as string },
    ],
    [
      "JSON that is no message",
      (_call, response) => response.writeHead(200, { "content-type": "application/json" }).end('{"ok":true}'),
      { code: "invalid_output" },
    ],
    [
      "that the client would have to be able to do more",
      ({ id }, response) => {
        const data = { requiredCapabilities: { sampling: {} } };
        send(response, { id, error: { code: -32021, message: "more", data } }, 400);
      },
      { code: "unavailable", details: { requiredCapabilities: { sampling: {} } } },
    ],
    [
      "that it does not know who calls",
      (_call, response) => response.writeHead(401, { "www-authenticate": "Bearer" }).end(),
      { code: "unavailable", message: expect.stringContaining("(OAuth)") as string },
    ],
    [
      "that something went wrong with it",
      (_call, response) => response.writeHead(500).end("the disk is on fire"),
      { code: "unavailable", message: expect.stringContaining("the disk is on fire") as string },
    ],
  ])("fails with %s", async (_what, answer, error) => {
    const session = await open(answer);
    expect((await session.call("up__go", {})).error).toMatchObject(error);
  });

  it("follows a redirect to the same server, and to no other", async () => {
    let elsewhere = 0;
    const other = await listenAlone(({ id }, response) => {
      elsewhere++;
      complete(response, id, DONE);
    });
    let location = "/moved";
    const session = await open(({ id, http }, response) => {
      if (http.url === "/moved") return complete(response, id, DONE);
      return response.writeHead(307, { location }).end();
    });
    expect(await session.call("up__go", {})).toMatchObject({ ok: true, ...DONE });
    location = other;
    expect(await session.call("up__go", {})).toMatchObject({ ok: false, error: { code: "unavailable" } });
    expect(elsewhere).toBe(0);
  });
});

const PLACE = { type: "string", "x-mcp-header": "Place" };
