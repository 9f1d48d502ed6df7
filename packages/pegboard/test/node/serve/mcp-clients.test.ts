import {
  Client,
  SSEClientTransport,
  StreamableHTTPClientTransport,
  type Transport,
} from "@modelcontextprotocol/client";
import { Client as OldClient } from "@modelcontextprotocol/sdk/client/index.js";
import { SSEClientTransport as OldSse } from "@modelcontextprotocol/sdk/client/sse.js";
import { StreamableHTTPClientTransport as OldHttp } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { ElicitRequestSchema } from "@modelcontextprotocol/sdk/types.js";
import { describe, expect, it } from "vitest";
import { WebSocket } from "ws";
import { defineTool } from "../../../src/index.ts";
import { danger, envelope } from "../../transports/mcp/stage.ts";
import { echo, serveForTest, type Serving, TOKEN } from "./serving.ts";

const headers = { authorization: `Bearer ${TOKEN}` };
const ELICITS = { capabilities: { elicitation: { form: {} } } };
const ALLOW = { action: "accept", content: { answer: "allow once" } } as const;

/** A client's end of a WebSocket. */
function socketTo({ port }: Serving): Transport {
  const socket = new WebSocket(`ws://127.0.0.1:${port}/ws`, ["mcp"], { headers });
  const transport: Transport = {
    start: () => new Promise((resolve, reject) => void socket.once("open", resolve).once("error", reject)),
    send: async (message) => socket.send(JSON.stringify(message)),
    close: async () => socket.close(),
  };
  socket.on("message", (data: Buffer) => transport.onmessage?.(JSON.parse(data.toString())));
  socket.on("close", () => transport.onclose?.());
  return transport;
}

const transports: Readonly<Record<string, (server: Serving) => Transport>> = {
  "Streamable HTTP": ({ url }) =>
    new StreamableHTTPClientTransport(new URL(`${url}/mcp`), { requestInit: { headers } }),
  WebSocket: socketTo,
  SSE({ url }) {
    const fetch = (to: string | URL, init: RequestInit = {}) =>
      globalThis.fetch(to, { ...init, headers: { ...Object.fromEntries(new Headers(init.headers)), ...headers } });
    return new SSEClientTransport(new URL(`${url}/sse`), { fetch, eventSourceInit: { fetch } });
  },
};

const MODES = { legacy: "legacy", auto: "auto", pinned: { pin: "2026-07-28" } } as const;
const pairs = Object.keys(transports).flatMap((way) =>
  Object.entries(MODES).flatMap(([name, mode]) => (way === "SSE" && name === "pinned" ? [] : [{ way, name, mode }])),
);

describe("a client of the SDK at a server", () => {
  it.each(pairs)("by $way, $name, lists, calls and is asked", async ({ way, mode }) => {
    const server = await serveForTest({}, { builtins: false, tools: [echo, danger] });
    const client = new Client({ name: "new", version: "1" }, { ...ELICITS, versionNegotiation: { mode } });
    client.setRequestHandler("elicitation/create", async () => ALLOW);
    await client.connect(transports[way]!(server));
    expect((await client.listTools()).tools.map(({ name }) => name)).toEqual(["danger", "echo"]);
    const result = await client.callTool({ name: "danger", arguments: { what: "it" } });
    expect(result.content).toEqual([{ type: "text", text: "it is gone" }]);
    await client.close();
  });

  it.each([
    ["Streamable HTTP", (url: string) => new OldHttp(new URL(`${url}/mcp`), { requestInit: { headers } })],
    ["SSE", (url: string) => new OldSse(new URL(`${url}/sse`), toOldSse())],
  ])("of the first version by %s lists, calls and is asked", async (_, connect) => {
    const server = await serveForTest({}, { builtins: false, tools: [echo, danger] });
    const client = new OldClient({ name: "old", version: "1" }, { capabilities: { elicitation: {} } });
    client.setRequestHandler(ElicitRequestSchema, async () => ALLOW);
    await client.connect(connect(server.url) as Parameters<typeof client.connect>[0]);
    expect((await client.listTools()).tools.map(({ name }) => name)).toEqual(["danger", "echo"]);
    const result = await client.callTool({ name: "danger", arguments: { what: "it" } });
    expect(result.content).toEqual([{ type: "text", text: "it is gone" }]);
    await client.close();
  });
});

function toOldSse() {
  const fetch = (to: string | URL, init: RequestInit = {}) =>
    globalThis.fetch(to, { ...init, headers: { ...Object.fromEntries(new Headers(init.headers)), ...headers } });
  return { fetch, eventSourceInit: { fetch } } as never;
}

describe("a client that hangs up", () => {
  it("cancels its call, before and after the first report", async () => {
    const seen: string[] = [];
    let arrived = Promise.withResolvers<void>();
    let aborted = Promise.withResolvers<void>();
    const wait = defineTool({
      name: "wait",
      description: "Waits",
      input: { type: "object", properties: { report: { type: "boolean" } } },
      approval: "preApproved",
      execute({ report = false }, { signal, progress }) {
        if (report) progress("waiting");
        arrived.resolve();
        return new Promise((resolve) =>
          signal.addEventListener("abort", () => {
            seen.push(`aborted ${report}`);
            aborted.resolve();
            resolve("late");
          }),
        );
      },
    });
    const server = await serveForTest({}, { builtins: false, tools: [wait] });
    for (const report of [false, true]) {
      arrived = Promise.withResolvers();
      aborted = Promise.withResolvers();
      const leaving = new AbortController();
      const { _meta } = envelope();
      const params = { _meta: { ..._meta, progressToken: 1 }, name: "wait", arguments: { report } };
      const asking = fetch(`${server.url}/mcp`, {
        method: "POST",
        headers: {
          ...headers,
          "content-type": "application/json",
          accept: "application/json, text/event-stream",
          "mcp-protocol-version": "2026-07-28",
          "mcp-method": "tools/call",
          "mcp-name": "wait",
        },
        body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params }),
        signal: leaving.signal,
      });
      asking.catch(() => {});
      await arrived.promise;
      if (report) await asking;
      leaving.abort();
      await aborted.promise;
    }
    expect(seen).toEqual(["aborted false", "aborted true"]);
  });
});
