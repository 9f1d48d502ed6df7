import { createServer } from "node:http";
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { describe, expect, it, onTestFinished } from "vitest";
import { createRuntime, defineTool } from "../../../src/index.ts";
import { startServer } from "../../../src/node/index.ts";
import { ask, JSON_BODY, serveForTest, TOKEN, waitingTool } from "./serving.ts";

const ping = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "ping" });

describe("the lock of the server", () => {
  it.for(["/", "/health", "/metrics", "/mcp", "/v1/ping", "/v1/openapi.json", "/nothing"])(
    "A4-37: %s needs the token, also on loopback",
    async (path) => {
      const server = await serveForTest();
      const denied = await server.ask(path, { token: undefined });
      expect(denied.status).toBe(401);
      expect(denied.headers["www-authenticate"]).toBe('Bearer realm="pegboard"');
      expect(JSON.parse(denied.body)).toMatchObject({ error: { code: "denied" } });
      expect((await server.ask(path, { token: `${TOKEN.slice(0, -1)}1` })).status).toBe(401);
      expect((await server.ask(path)).status).not.toBe(401);
    },
  );

  it("takes no token from the address", async () => {
    const server = await serveForTest();
    for (const name of ["token", "access_token", "authorization"])
      expect((await server.ask(`/health?${name}=${TOKEN}`, { token: undefined })).status).toBe(401);
  });

  it.for(["evil.example", "127.0.0.1.nip.io", "localhost.evil.example", "localhost.", "[::2]"])(
    "refuses a name that somebody pointed here: %s",
    async (name) => {
      const server = await serveForTest();
      for (const host of [name, `${name}:${server.port}`])
        expect((await server.ask("/health", { headers: { host } })).status).toBe(403);
    },
  );

  it("is asked as localhost, 127.0.0.1 or [::1], on whichever port leads here", async () => {
    const server = await serveForTest();
    for (const host of ["localhost", "127.0.0.1:9", "[::1]:4747", "LOCALHOST:80"])
      expect((await server.ask("/health", { headers: { host } })).status).toBe(200);
  });

  it("A4-37: refuses every page that is not its own or allowed", async () => {
    const server = await serveForTest({ origins: ["https://app.example"] });
    const { port } = server;
    const asked = async (origin: string) => (await server.ask("/health", { headers: { origin } })).status;
    for (const origin of [
      "null",
      "",
      "http://evil.example",
      `http://evil.example:${port}`,
      "https://localhost.evil.example",
      `https://localhost:${port}`,
      `http://localhost:${port + 1}`,
      "http://localhost",
      "file://",
      "chrome-extension://abcdef",
      "https://app.example:444",
      "https://app.example.evil.example",
    ])
      expect([origin, await asked(origin)]).toEqual([origin, 403]);
    for (const origin of [`http://localhost:${port}`, `http://127.0.0.1:${port}`, "https://app.example"])
      expect([origin, await asked(origin)]).toEqual([origin, 200]);
  });

  it("lets pages read answers only where their origin was allowed", async () => {
    const closed = await serveForTest();
    const own = `http://127.0.0.1:${closed.port}`;
    expect((await closed.ask("/health", { headers: { origin: own } })).headers).not.toHaveProperty(
      "access-control-allow-origin",
    );
    const origin = "https://app.example";
    const open = await serveForTest({ origins: [origin] });
    const answer = await open.ask("/health", { headers: { origin } });
    expect(answer.headers["access-control-allow-origin"]).toBe(origin);
    const preflight = { origin, "access-control-request-method": "POST" };
    const allowed = await open.ask("/mcp", { method: "OPTIONS", token: undefined, headers: preflight });
    expect([allowed.status, allowed.headers["access-control-allow-origin"]]).toEqual([204, origin]);
    const evil = { ...preflight, origin: "https://evil.example" };
    const refused = await open.ask("/mcp", { method: "OPTIONS", token: undefined, headers: evil });
    expect(refused.headers).not.toHaveProperty("access-control-allow-origin");
  });

  it("takes JSON alone, and nothing that is compressed or too long", async () => {
    const server = await serveForTest();
    const post = async (headers: Record<string, string>, body: string | Buffer = ping) =>
      (await server.ask("/v1/sessions", { method: "POST", headers, body })).status;
    for (const type of ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data", "application/jsonx"])
      expect([type, await post({ "content-type": type })]).toEqual([type, 415]);
    expect(await post({})).toBe(415);
    expect(await post({ ...JSON_BODY, "content-encoding": "gzip" })).toBe(415);
    expect(await post({ ...JSON_BODY, "content-length": String(33 * 1024 * 1024) }, "").catch(() => 413)).toBe(413);
    expect(await post({ "content-type": "Application/JSON; charset=utf-8" }, "{}")).toBe(200);
  });

  it("answers busy to whoever asks too often, and lets them in again later", async () => {
    const server = await serveForTest({ rate: 5 });
    const answers = await Promise.all(Array.from({ length: 20 }, () => server.ask("/health")));
    const busy = answers.filter(({ status }) => status === 429);
    expect(busy.length).toBeGreaterThan(0);
    expect(answers.length - busy.length).toBeGreaterThanOrEqual(5);
    expect(JSON.parse(busy[0]!.body)).toMatchObject({ error: { code: "busy" } });
    expect(busy[0]!.headers["retry-after"]).toBe("1");
    await expect.poll(() => server.ask("/health").then(({ status }) => status)).toBe(200);
  });
});

describe("a one-time link", () => {
  it("lets a browser in once, with a cookie that no script and no other site can use", async () => {
    const server = await serveForTest();
    const path = new URL(server.link()).pathname;
    const entered = await server.ask(path, { token: undefined });
    expect([entered.status, entered.headers["location"]]).toEqual([303, "/"]);
    const [set = ""] = entered.headers["set-cookie"] as readonly string[];
    expect(set).toMatch(/^pegboard-[\w-]{8}=[\w-]{43}; Path=\/; HttpOnly; SameSite=Strict$/);
    expect(set).not.toContain(TOKEN);
    const cookie = `other=1; ${set.split(";", 1)[0]}`;
    expect((await server.ask("/health", { token: undefined, headers: { cookie } })).status).toBe(200);
    expect((await server.ask(path, { token: undefined })).status).toBe(401);
    expect((await server.ask(path, { token: undefined, headers: { host: "evil.example" } })).status).toBe(403);
  });

  it("is made for whoever has the token", async () => {
    const server = await serveForTest();
    expect((await server.ask("/links", { method: "POST", token: undefined })).status).toBe(401);
    const made = await server.ask("/links", { method: "POST" });
    const { path } = JSON.parse(made.body) as { path: string };
    expect((await server.ask(path, { token: undefined })).status).toBe(303);
  });
});

describe("where the server listens", () => {
  it("refuses an address that other machines can reach, unless that is wanted", async () => {
    const runtime = createRuntime();
    onTestFinished(() => runtime.close());
    for (const host of ["0.0.0.0", "::", "192.168.1.5", "example.com"])
      await expect(startServer(runtime, { token: TOKEN, port: 0, host })).rejects.toMatchObject({
        code: "invalid_config",
        message: expect.stringContaining("--allow-remote") as string,
      });
    const server = await serveForTest({ host: "0.0.0.0", allowRemote: true, hosts: ["tools.example"] });
    expect((await server.ask("/health", { headers: { host: "tools.example" } })).status).toBe(200);
    expect((await server.ask("/health", { headers: { host: "evil.example" } })).status).toBe(403);
    expect((await server.ask("/health", { token: undefined })).status).toBe(401);
  });

  it("says so when something listens there already", async () => {
    const other = createServer().listen(0, "127.0.0.1");
    await once(other, "listening");
    onTestFinished(() => void other.close());
    const { port } = other.address() as AddressInfo;
    await expect(serveForTest({ port })).rejects.toMatchObject({
      code: "unavailable",
      message: expect.stringContaining("choose another port") as string,
    });
  });
});

describe("the health of the server", () => {
  it("A3-38: is 200 with how each plugin stands, also those that are disabled, and 503 while it stops", async () => {
    const plugins = [
      { name: "mail", version: "1.0.0", status: "healthy" },
      { name: "news", status: "failed", reason: "no network" },
      { name: "old", status: "disabled" },
    ];
    const { promise: held, resolve: release } = Promise.withResolvers<string>();
    const wait = defineTool({
      name: "wait",
      description: "Waits",
      input: {},
      approval: "preApproved",
      execute: () => held,
    });
    const server = await serveForTest({ plugins: () => plugins }, { tools: [wait] });
    const healthy = await server.ask("/health");
    expect([healthy.status, JSON.parse(healthy.body)]).toEqual([
      200,
      expect.objectContaining({ status: "ok", plugins }),
    ]);
    const { session } = JSON.parse((await server.ask("/v1/sessions", { method: "POST" })).body) as { session: string };
    const call = server.ask(`/v1/sessions/${session}/tools/wait`, { method: "POST", headers: JSON_BODY, body: "{}" });
    await expect.poll(async () => JSON.parse((await server.ask("/health")).body) as unknown).toMatchObject({ work: 1 });
    const closing = server.close();
    const stopping = await server.ask("/health");
    expect([stopping.status, JSON.parse(stopping.body)]).toEqual([
      503,
      expect.objectContaining({ status: "stopping", plugins }),
    ]);
    const refused = await server.ask(`/v1/sessions/${session}/tools/wait`, {
      method: "POST",
      headers: JSON_BODY,
      body: "{}",
    });
    expect([refused.status, refused.body]).toEqual([503, expect.stringContaining("shutting down")]);
    release("done");
    expect((await call).body).toContain("done");
    await closing;
    await expect(ask(server.port, "/health")).rejects.toThrow(/ECONNREFUSED/);
  });
});

describe("the numbers of the server", () => {
  it("A4-35: are there to be scraped", async () => {
    const server = await serveForTest();
    const { session } = JSON.parse((await server.ask("/v1/sessions", { method: "POST" })).body) as { session: string };
    for (const tool of ["echo", "echo", "none"])
      await server.ask(`/v1/sessions/${session}/tools/${tool}`, { method: "POST", headers: JSON_BODY, body: "{}" });
    const { headers, body } = await server.ask("/metrics");
    expect(headers["content-type"]).toBe("text/plain; version=0.0.4; charset=utf-8");
    expect(body).toContain('\npegboard_tool_calls_total{tool="echo",agent=""} 2\n');
    expect(body).toContain('\npegboard_tool_errors_total{tool="none",agent="",code="not_found"} 1\n');
    expect(body).toContain("\npegboard_work 0\n");
  });
});

describe("a request whose client leaves", () => {
  it("is cancelled, and the tool is told", async () => {
    const { wait, started, aborted } = waitingTool();
    const server = await serveForTest({}, { tools: [wait] });
    const { session } = JSON.parse((await server.ask("/v1/sessions", { method: "POST" })).body) as { session: string };
    const left = new AbortController();
    const headers = { ...JSON_BODY, authorization: `Bearer ${TOKEN}` };
    const url = `${server.url}/v1/sessions/${session}/tools/wait`;
    const call = fetch(url, { method: "POST", headers, body: "{}", signal: left.signal });
    await started;
    left.abort();
    await expect(call).rejects.toThrow("aborted");
    await aborted;
  });
});

describe("a server that ends", () => {
  it("has an answer to each call of MCP over HTTP", async () => {
    const never = defineTool({
      name: "never",
      description: "Never ends",
      input: {},
      approval: "preApproved",
      execute: () => new Promise(() => {}),
    });
    const server = await serveForTest({}, { tools: [never] });
    const headers = {
      ...JSON_BODY,
      accept: "application/json, text/event-stream",
      "mcp-protocol-version": "2026-07-28",
      "mcp-method": "tools/call",
      "mcp-name": "never",
    };
    const _meta = {
      "io.modelcontextprotocol/protocolVersion": "2026-07-28",
      "io.modelcontextprotocol/clientCapabilities": {},
    };
    const params = { name: "never", arguments: {}, _meta };
    const calls = Array.from({ length: 100 }, (_, index) => {
      const body = JSON.stringify({ jsonrpc: "2.0", id: index + 1, method: "tools/call", params });
      return server.ask("/mcp", { method: "POST", headers, body });
    });
    await expect
      .poll(async () => JSON.parse((await server.ask("/health")).body) as unknown)
      .toMatchObject({ work: 100 });
    await server.close(AbortSignal.abort());
    const answers = await Promise.all(calls);
    for (const [index, { status, body }] of answers.entries()) {
      expect(status).toBe(200);
      expect(body.match(/"id":\d+/g)).toEqual([`"id":${index + 1}`]);
      expect(body).toContain("cancelled");
    }
  });
});
