import { once } from "node:events";
import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { McpServer as OldServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { SSEServerTransport } from "@modelcontextprotocol/sdk/server/sse.js";
import { StreamableHTTPServerTransport } from "@modelcontextprotocol/sdk/server/streamableHttp.js";
import { createMcpHandler } from "@modelcontextprotocol/server";
import { describe, expect, onTestFinished, test } from "vitest";
import { z } from "zod";
import { newServer } from "../fixtures/mcp/new-server.ts";
import { makeStage, until } from "../fixtures/mcp/place.ts";
import { makeFolder } from "./workspace-folder.ts";

async function listen(handle: (...exchange: Parameters<RequestListener>) => unknown): Promise<string> {
  const server = createServer((request, response) => void handle(request, response));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

function oldServer(): OldServer {
  const server = new OldServer({ name: "old", version: "1.0.0" });
  server.registerTool(
    "add",
    { description: "Adds", inputSchema: { a: z.number(), b: z.number() } },
    async ({ a, b }, { requestInfo }) => ({
      content: [{ type: "text", text: `${a + b} ${String(requestInfo?.headers["x-team"] ?? "")}`.trim() }],
    }),
  );
  return server;
}

/** An address of the older era with a session for each client. */
async function listenWithSessions() {
  const sessions = new Map<string, StreamableHTTPServerTransport>();
  const url = await listen(async (request, response) => {
    const id = request.headers["mcp-session-id"] as string | undefined;
    const known = id === undefined ? undefined : sessions.get(id);
    if (known) return known.handleRequest(request, response);
    if (id !== undefined) return refuse(response, 404);
    const transport = new StreamableHTTPServerTransport({
      sessionIdGenerator: () => crypto.randomUUID(),
      onsessioninitialized: (made) => void sessions.set(made, transport),
      onsessionclosed: (made) => void sessions.delete(made),
    });
    await oldServer().connect(transport as never);
    await transport.handleRequest(request, response);
  });
  return { url, sessions };
}

async function listenModern(more: { name: string; description: string }[] = []) {
  const handler = createMcpHandler(() => newServer(more));
  const url = await listen(async (request, response) => {
    const answer = await handler.fetch(await toRequest(request));
    response.writeHead(answer.status, Object.fromEntries(answer.headers));
    response.flushHeaders();
    for await (const chunk of answer.body ?? []) response.write(chunk);
    response.end();
  });
  return { url, handler };
}

async function toRequest(request: IncomingMessage): Promise<Request> {
  const body = await new Response(request as unknown as ReadableStream).text();
  return new Request(`http://${request.headers.host}${request.url}`, {
    method: request.method!,
    headers: request.headers as Record<string, string>,
    ...(body !== "" && { body }),
  });
}

function refuse(response: ServerResponse, status: number, headers: Record<string, string> = {}): void {
  response.writeHead(status, headers).end("no");
}

describe("a server that is an address", () => {
  test("of the newer era is listed and called, and follows what it lists", async () => {
    const more: { name: string; description: string }[] = [];
    const { url, handler } = await listenModern(more);
    const { attach, session, runtime } = makeStage();
    expect((await attach("web", { url })).problem).toBeUndefined();
    expect(await session.call("web__add", { a: 1, b: 2 })).toMatchObject({ structured: { sum: 3 } });
    expect(session.list()[0]).toMatchObject({ capabilities: ["network"] });
    more.push({ name: "more", description: "Another" });
    handler.notify.toolsChanged();
    await until(() => runtime.tools.names().includes("web__more"));
  });

  test("of the older era is listed and called with its headers, found again after it has forgotten us, and told when we leave", async () => {
    const { url, sessions } = await listenWithSessions();
    const { attach, session, pool } = makeStage();
    expect((await attach("web", { url, headers: { "X-Team": "blue" } })).problem).toBeUndefined();
    expect(await session.call("web__add", { a: 1, b: 2 })).toMatchObject({ content: [{ text: "3 blue" }] });
    sessions.clear();
    expect(await session.call("web__add", { a: 2, b: 2 })).toMatchObject({ content: [{ text: "4 blue" }] });
    expect(sessions.size).toBe(1);
    await pool[Symbol.asyncDispose]();
    expect(sessions.size).toBe(0);
  });

  test.each([undefined, "sse"] as const)("that only knows SSE is reached, with type %s", async (type) => {
    const open = new Map<string, SSEServerTransport>();
    const url = await listen(async (request, response) => {
      const { pathname, searchParams } = new URL(request.url!, "http://x");
      if (request.method === "GET" && pathname === "/") {
        const transport = new SSEServerTransport("/messages", response);
        open.set(transport.sessionId, transport);
        return oldServer().connect(transport);
      }
      const transport = open.get(searchParams.get("sessionId") ?? "");
      return transport ? transport.handlePostMessage(request, response) : refuse(response, 405);
    });
    const { attach, session } = makeStage();
    expect((await attach("web", { url, ...(type && { type }) })).problem).toBeUndefined();
    expect(await session.call("web__add", { a: 1, b: 2 })).toMatchObject({ ok: true });
  });

  test("that wants to know who calls says so, and what would help", async () => {
    const url = await listen((_, response) => refuse(response, 401, { "WWW-Authenticate": 'Bearer realm="x"' }));
    const { attach } = makeStage();
    for (const type of ["http", "sse", undefined] as const) {
      const { problem } = await attach(`web-${type}`, { url, ...(type && { type }) });
      expect(problem).toMatch(/\(OAuth\), and signing in is not supported yet: give it a token, such as headers/);
    }
  });

  test("gets a token that is kept as a secret, and diagnostics do not show it", async () => {
    const seen = new Set<string | undefined>();
    const url = await listen((request, response) => {
      seen.add(request.headers.authorization);
      response.writeHead(500).end(`no: ${request.headers.authorization}`);
    });
    const server = `{ url: "${url}", headers: { Authorization: "Bearer secret://token" } }`;
    const folder = makeFolder({ "pegboard.yaml": `version: 1\nmcpServers: { web: ${server} }\n` });
    const workspace = await folder.open({ secrets: { get: async () => "s3cret-token-0123456789" } });
    expect([...seen]).toEqual(["Bearer s3cret-token-0123456789"]);
    expect(workspace.diagnostics).toHaveLength(1);
    expect(JSON.stringify(workspace.diagnostics)).not.toContain("s3cret");
  });

  test("that nobody listens at is a problem with its reason", async () => {
    const server = createServer().listen(0, "127.0.0.1");
    await once(server, "listening");
    const { port } = server.address() as AddressInfo;
    await new Promise((resolve) => server.close(resolve));
    const { attach } = makeStage();
    const { problem } = await attach("web", { url: `http://127.0.0.1:${port}/mcp` });
    expect(problem).toMatch(/"web" could not be connected to: .*ECONNREFUSED/);
  });

  test("cannot send us elsewhere", async () => {
    let reached = 0;
    const elsewhere = await listen((_, response) => {
      reached++;
      refuse(response, 200);
    });
    const url = await listen((_, response) => refuse(response, 307, { Location: elsewhere }));
    const { attach } = makeStage();
    expect((await attach("web", { url, headers: { Authorization: "Bearer x" } })).problem).toBeDefined();
    expect(reached).toBe(0);
  });

  test("that answers without end is given up", async () => {
    const url = await listen((_, response) => {
      response.writeHead(200, { "Content-Type": "application/json" });
      const timer = setInterval(() => response.write("x".repeat(1024 * 1024)), 1);
      response.on("close", () => clearInterval(timer));
    });
    const { attach } = makeStage();
    expect((await attach("web", { url, type: "http" })).problem).toMatch(/longer than 16777216 bytes/);
  });
});
