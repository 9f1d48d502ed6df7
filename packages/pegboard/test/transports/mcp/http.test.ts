import { describe, expect, it, onTestFinished, vi } from "vitest";
import { defineTool } from "../../../src/index.ts";
import { ann, ben, connectClient, envelope, openStage, type Stage } from "./stage.ts";

const HEADERS = { "content-type": "application/json", accept: "application/json, text/event-stream" };
const PING = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "ping" });

async function send(stage: Stage, init: RequestInit, principal = ann) {
  const response = await stage.door.fetch(new Request("http://localhost/mcp", init), principal);
  const text = await response.text();
  return { status: response.status, body: text.startsWith("{") ? JSON.parse(text) : text };
}

function modern(method: string, params: object, headers: Record<string, string> = {}): RequestInit {
  const { name } = params as { name?: string };
  const all = {
    ...HEADERS,
    "mcp-protocol-version": "2026-07-28",
    "mcp-method": method,
    ...(name && { "mcp-name": name }),
    ...headers,
  };
  const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method, params: { ...envelope(), ...params } });
  return { method: "POST", headers: all, body };
}

describe("the endpoint", () => {
  it.each([
    ["text that is no JSON", { headers: HEADERS, body: "{nope" }, 400, -32700],
    ["nothing", { headers: HEADERS, body: "" }, 400, -32700],
    ["a batch", { headers: HEADERS, body: `[${PING}]` }, 400, -32600],
    ["another content type", { headers: { ...HEADERS, "content-type": "text/plain" }, body: PING }, 415, -32700],
    ["a request without a session", { headers: HEADERS, body: PING }, 400, -32600],
  ])("refuses %s", async (_, init, status, code) => {
    const stage = openStage();
    const answer = await send(stage, { method: "POST", ...init });
    expect(answer).toMatchObject({ status, body: { error: { code } } });
    await stage.close();
  });

  it.each([[{}], [{ "mcp-session-id": "none" }]])("answers a request of no session under its id: %j", async (named) => {
    const stage = openStage();
    const { body } = await send(stage, { method: "POST", headers: { ...HEADERS, ...named }, body: PING });
    expect(body).toMatchObject({ jsonrpc: "2.0", id: 1, error: { message: expect.any(String) } });
    await stage.close();
  });

  it("refuses to end or to read a session that is not there", async () => {
    const stage = openStage();
    for (const method of ["GET", "DELETE"]) {
      expect((await send(stage, { method, headers: HEADERS })).status).toBe(400);
      expect((await send(stage, { method, headers: { ...HEADERS, "mcp-session-id": "none" } })).status).toBe(404);
    }
    await stage.close();
  });

  it("tells nobody of the sessions of others", async () => {
    const stage = openStage();
    const client = await connectClient(stage, { way: "http" });
    const [session] = stage.desk.sessions(ann);
    const headers = { ...HEADERS, "mcp-session-id": session!.id };
    expect((await send(stage, { method: "POST", headers, body: PING }, ben)).status).toBe(404);
    expect((await send(stage, { method: "POST", headers, body: PING })).status).toBe(200);
    await client.close();
    await stage.close();
  });

  it("A2-33: ends a session that nobody has used for an hour, and none that was used meanwhile", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    onTestFinished(() => void vi.useRealTimers());
    const stage = openStage();
    await connectClient(stage, { way: "http" });
    const [session] = stage.desk.sessions(ann);
    const headers = { ...HEADERS, "mcp-session-id": session!.id };
    const ping = () => send(stage, { method: "POST", headers, body: PING });
    for (const minutes of [59, 59]) {
      vi.advanceTimersByTime(minutes * 60_000);
      expect((await ping()).status).toBe(200);
    }
    vi.advanceTimersByTime(61 * 60_000);
    expect((await ping()).status).toBe(404);
    await session!.closed;
    expect(stage.desk.sessions(ann)).toEqual([]);
    vi.useRealTimers();
    await stage.close();
  });

  it("A2-33: does not end a session in which one call takes longer than that", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    onTestFinished(() => void vi.useRealTimers());
    const { promise: done, resolve: end } = Promise.withResolvers<string>();
    const { promise: begun, resolve: begin } = Promise.withResolvers<void>();
    const long = defineTool({
      name: "long",
      description: "Takes long",
      input: {},
      approval: "preApproved",
      timeoutMs: null,
      execute: () => (begin(), done),
    });
    const stage = openStage({ tools: [long] });
    const client = await connectClient(stage, { way: "http" });
    const [session] = stage.desk.sessions(ann);
    const calling = client.callTool({ name: "long", arguments: {} }, { timeout: 2 ** 31 - 1 });
    await begun;
    vi.advanceTimersByTime(150 * 60_000);
    end("at last");
    expect(await calling).toMatchObject({ content: [{ type: "text", text: "at last" }] });
    vi.advanceTimersByTime(61 * 60_000);
    await session!.closed;
    vi.useRealTimers();
    await stage.close();
  });

  it("answers a version that it does not speak with those that it does", async () => {
    const stage = openStage();
    const meta = { ...envelope()._meta, "io.modelcontextprotocol/protocolVersion": "2099-01-01" };
    const init = modern("tools/list", { _meta: meta }, { "mcp-protocol-version": "2099-01-01" });
    const answer = await send(stage, init);
    expect(answer).toMatchObject({
      status: 400,
      body: { error: { code: -32022, data: { supported: ["2026-07-28"] } } },
    });
    await stage.close();
  });

  it.each([
    ["no method", { "mcp-method": "" }],
    ["another method", { "mcp-method": "tools/list" }],
    ["another tool", { "mcp-name": "danger" }],
  ])("refuses a request whose headers name %s than its body", async (_, headers) => {
    const stage = openStage();
    const answer = await send(stage, modern("tools/call", { name: "echo", arguments: { text: "x" } }, headers));
    expect(answer).toMatchObject({ status: 400, body: { error: { code: -32020 } } });
    await stage.close();
  });

  it("refuses a request whose headers repeat other arguments than its body has", async () => {
    const region = { type: "string", "x-mcp-header": "Region" };
    const tool = defineTool({
      name: "route",
      description: "Says where it was routed to",
      input: { type: "object", properties: { region } },
      approval: "preApproved",
      execute: (input) => input["region"] ?? "none",
    });
    const stage = openStage({ tools: [tool] });
    const call = (given: object, headers: Record<string, string>) =>
      send(stage, modern("tools/call", { name: "route", arguments: given }, headers));
    const mismatch = { status: 400, body: { error: { code: -32020 } } };
    expect(await call({ region: "eu" }, {})).toMatchObject(mismatch);
    expect(await call({ region: "eu" }, { "mcp-param-region": "us" })).toMatchObject(mismatch);
    expect(await call({}, { "mcp-param-region": "us" })).toMatchObject(mismatch);
    expect(await call({ region: "eu" }, { "mcp-param-region": "=?base64?%%?=" })).toMatchObject(mismatch);
    for (const header of ["eu", "=?base64?ZXU=?="])
      expect((await call({ region: "eu" }, { "mcp-param-region": header })).body.result.content[0].text).toBe("eu");
    await stage.close();
  });

  it("answers an unknown method with 404", async () => {
    const stage = openStage();
    const answer = await send(stage, modern("nosuch/method", {}));
    expect(answer).toMatchObject({ status: 404, body: { error: { code: -32601 } } });
    await stage.close();
  });

  it("says how long a list holds, and that it is nobody else's", async () => {
    const stage = openStage();
    const { body } = await send(stage, modern("tools/list", {}));
    expect(body.result).toMatchObject({ resultType: "complete", ttlMs: 10_000, cacheScope: "private" });
    await stage.close();
  });

  it("is busy, never silent, when there is too much to do", async () => {
    const stage = openStage({}, { work: 1 });
    const work = stage.desk.enter(ann);
    const { body } = await send(stage, modern("tools/call", { name: "echo", arguments: { text: "x" } }));
    expect(body.result).toMatchObject({
      isError: true,
      _meta: { "pegboard/error": { code: "busy", retryable: true } },
    });
    work[Symbol.dispose]();
    await stage.close();
  });

  it("does not mix up the answers to requests with equal ids", async () => {
    const stage = openStage();
    const texts = Array.from({ length: 200 }, (_, index) => `text ${index}`);
    const answers = await Promise.all(
      texts.map((text, index) =>
        send(stage, modern("tools/call", { name: "echo", arguments: { text } }), index % 2 ? ann : ben),
      ),
    );
    expect(answers.map(({ body }) => body.result.content[0].text)).toEqual(texts);
    await stage.close();
  });

  it("says that it is busy when there are too many sessions", async () => {
    const stage = openStage({}, { sessions: 1 });
    const client = await connectClient(stage, { way: "http" });
    const answer = await send(stage, modern("tools/list", {}));
    expect(answer).toMatchObject({ status: 503, body: { id: 1, error: { message: expect.stringContaining("busy") } } });
    await client.close();
    await stage.close();
  });

  it("goes on in a new session when the old one was closed", async () => {
    const stage = openStage();
    const call = () => send(stage, modern("tools/call", { name: "echo", arguments: { text: "x" } }));
    await call();
    const [session] = stage.desk.sessions(ann);
    await session!.close();
    expect((await call()).body.result.content).toEqual([{ type: "text", text: "x" }]);
    await stage.close();
  });
});
