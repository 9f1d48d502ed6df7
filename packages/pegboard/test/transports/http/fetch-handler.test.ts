import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { Hono } from "hono";
import { createRuntime, defineTool } from "pegboard";
import { createFetchHandler, type FetchHandler, type FetchHandlerOptions } from "pegboard/http";
import { afterEach, describe, expect, it } from "vitest";

const TOKEN = "t".repeat(32);
const echo = defineTool({
  name: "echo",
  description: "Says it again",
  input: { type: "object", properties: { text: { type: "string" } }, required: ["text"] },
  approval: "preApproved",
  execute: ({ text }) => text,
});

const opened: FetchHandler[] = [];
afterEach(() => Promise.all(opened.splice(0).map((handler) => handler.close(AbortSignal.abort()))));

function open(options: Partial<FetchHandlerOptions> = {}): FetchHandler {
  const handler = createFetchHandler(createRuntime({ builtins: false, tools: [echo] }), { token: TOKEN, ...options });
  opened.push(handler);
  return handler;
}

/** A request of a program in this process, as whoever has the token. */
function ask(
  path: string,
  body?: unknown,
  { token = TOKEN, at = "http://localhost", ...headers }: Record<string, string> = {},
) {
  return new Request(new URL(path, at), {
    headers: { authorization: `Bearer ${token}`, "content-type": "application/json", ...headers },
    ...(body !== undefined && { method: "POST", body: JSON.stringify(body) }),
  });
}

describe("the doors of a runtime in the web framework of a host", () => {
  it("answer our own protocol in this process, without a socket", async () => {
    const { fetch } = open();
    const created = await fetch(ask("/v1/sessions", {}));
    const { session } = (await created.json()) as { session: string };
    const called = await fetch(ask(`/v1/sessions/${session}/tools/echo`, { input: { text: "hi" } }));
    expect(await called.json()).toMatchObject({ ok: true, content: [{ type: "text", text: "hi" }] });
  });

  it("answer MCP to a client whose requests are made in this process", async () => {
    const { fetch } = open();
    const client = new Client({ name: "host", version: "1" });
    await client.connect(
      new StreamableHTTPClientTransport(new URL("http://localhost/mcp"), {
        fetch: (url, init) => fetch(new Request(url, init)),
        requestInit: { headers: { authorization: `Bearer ${TOKEN}` } },
      }),
    );
    expect(await client.callTool({ name: "echo", arguments: { text: "hi" } })).toMatchObject({
      content: [{ type: "text", text: "hi" }],
    });
    await client.close();
  });

  it("hang below a path of the host, with everything that names it", async () => {
    const handler = open({ base: "/tools" });
    const host = new Hono();
    host.get("/", (context) => context.text("the host's own page"));
    host.all("/tools/*", (context) => handler.fetch(context.req.raw));
    expect(await (await host.fetch(ask("/"))).text()).toBe("the host's own page");
    expect((await host.fetch(ask("/tools/health"))).status).toBe(200);
    expect((await handler.fetch(ask("/health"))).status).toBe(404);
    const description = (await (await host.fetch(ask("/tools/v1/openapi.json"))).json()) as { servers: unknown };
    expect(description.servers).toEqual([{ url: "/tools/v1" }]);
    expect((await host.fetch(ask("/tools/v1/sessions", {}))).status).toBe(200);
  });

  it.each([
    ["no token", ask("/health", undefined, { authorization: "" }), 401],
    ["a wrong token", ask("/health", undefined, { token: "f".repeat(32) }), 401],
    ["a name that is not ours", ask("/health", undefined, { at: "http://evil.example" }), 403],
    ["a name in Host that is not ours", ask("/health", undefined, { host: "evil.example" }), 403],
    ["a page of others", ask("/health", undefined, { origin: "http://evil.example" }), 403],
    ["a body that is not JSON", ask("/v1/sessions", {}, { "content-type": "text/plain" }), 415],
  ])("are locked by default: %s is refused", async (_, request, status) => {
    const answer = await open().fetch(request);
    expect(answer.status).toBe(status);
    expect(answer.headers.get("access-control-allow-origin")).toBeNull();
  });

  it("are asked under the names of the host when it says so", async () => {
    const { fetch } = open({ hosts: ["app.example"], origins: ["https://app.example"] });
    const request = ask("/health", undefined, { at: "https://app.example", origin: "https://app.example" });
    expect((await fetch(request)).status).toBe(200);
  });

  it("know the host's own people, to whom nothing of the others exists", async () => {
    const { fetch } = open({ token: (secret) => (["ann", "ben"].includes(secret) ? { id: secret } : undefined) });
    expect((await fetch(ask("/health", undefined, { token: "eve" }))).status).toBe(401);
    const created = await fetch(ask("/v1/sessions", {}, { token: "ann" }));
    const { session } = (await created.json()) as { session: string };
    expect((await fetch(ask(`/v1/sessions/${session}`, undefined, { token: "ann" }))).status).toBe(200);
    expect((await fetch(ask(`/v1/sessions/${session}`, undefined, { token: "ben" }))).status).toBe(404);
  });

  it("make no links, which would let one person in as another", async () => {
    const { fetch } = open();
    expect((await fetch(ask("/links", {}))).status).toBe(404);
  });

  it("refuse a token that somebody could guess", () => {
    expect(() => open({ token: "secret" })).toThrow("at least 32 characters");
  });

  it("take no more work once they are closed", async () => {
    const handler = open();
    await handler.close();
    const answer = await handler.fetch(ask("/v1/sessions", {}));
    expect([answer.status, await answer.json()]).toMatchObject([503, { error: { code: "unavailable" } }]);
    expect((await handler.fetch(ask("/health"))).status).toBe(503);
  });
});
