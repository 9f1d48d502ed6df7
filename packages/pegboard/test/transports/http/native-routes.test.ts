import { setTimeout as wait } from "node:timers/promises";
import type { JsonSchema } from "@pegboard/contract";
import { Hono } from "hono";
import { describe, expect, it, onTestFinished } from "vitest";
import { compileSchema } from "../../../src/core/schema.ts";
import type { RuntimeOptions } from "../../../src/index.ts";
import { createDesk } from "../../../src/transports/desk.ts";
import { createNativeRoutes, type NativeEnv } from "../../../src/transports/http/native-routes.ts";
import { COMMANDS } from "../../../src/transports/native/commands.ts";
import { createNative } from "../../../src/transports/native/native.ts";
import { ROUTES } from "../../../src/transports/native/routes.ts";
import type { WireEvent } from "../../../src/transports/native/wire.ts";
import { makeRuntime } from "../stage.ts";

const NDJSON = "application/x-ndjson";

describe("the HTTP door", () => {
  it("answers as JSON in UTF-8, also what is not ASCII", async () => {
    const { ask, session } = await enter();
    const answer = await ask("POST", `/sessions/${session}/tools/echo`, { input: { text: "שלום 🙂 \u2028" } });
    expect(answer.headers.get("content-type")).toBe("application/json; charset=utf-8");
    expect(await answer.json()).toMatchObject({ ok: true, content: [{ type: "text", text: "שלום 🙂 \u2028" }] });
  });

  it.each([
    ["text/event-stream", "text/event-stream; charset=utf-8"],
    ["application/x-ndjson", "application/x-ndjson; charset=utf-8"],
  ])("A4-24: streams the events of a command as %s where it is accepted", async (accept, type) => {
    const { ask, session } = await enter();
    const answer = await ask("POST", `/sessions/${session}/prompt`, { prompt: "ask a helper" }, { accept });
    expect(answer.status).toBe(200);
    expect(answer.headers.get("content-type")).toBe(type);
    const events = read(await answer.text());
    expect(events.map(({ seq }) => seq)).toEqual(events.map((_, index) => index + 1));
    expect(events.filter(({ final }) => final)).toEqual([events.at(-1)]);
    expect(events.at(-1)).toMatchObject({ type: "result", data: { text: "The helper said so" } });
  });

  it("gives events of the web's format the number in the log, and goes on behind the last one that a client has", async () => {
    const { ask, session } = await enter();
    await ask("POST", `/sessions/${session}/tools/echo`, { input: { text: "a" } });
    const stream = { accept: "text/event-stream", "last-event-id": "2" };
    const text = await (await ask("GET", `/sessions/${session}/events?from=1`, undefined, stream)).text();
    expect([...text.matchAll(/^id: (\d+)$/gm)].map(([, id]) => id)).toEqual(["3", "4"]);
    const page = await ask("GET", `/sessions/${session}/events?from=4`);
    expect(await page.json()).toMatchObject({ next: 5, events: [{ seq: 4, type: "call-end" }] });
  });

  it("A2-33: ends a session that nobody uses, which goes on from the log as it was opened", async () => {
    const body = { metadata: { room: "blue" }, as: "user" };
    const { ask, session, desk } = await enter({ sessionIdleMs: 20 }, body);
    const [first] = desk.sessions({ id: "ann" });
    await first!.closed;
    expect(desk.sessions({ id: "ann" })).toEqual([]);
    expect((await ask("POST", `/sessions/${session}/tools/echo`, { input: { text: "a" } })).status).toBe(200);
    const starts = await desk.runtime.store.read({ session, type: "session-start" });
    expect(starts.map(({ data }) => data)).toMatchObject([body, body]);
  });

  it("A2-33: ends no session in which something is at work, or that somebody follows", async () => {
    const { ask, session, desk } = await enter({ sessionIdleMs: 20 });
    const [open] = desk.sessions({ id: "ann" });
    const follow = await ask("GET", `/sessions/${session}/events?follow=true`, undefined, { accept: NDJSON });
    await wait(100);
    expect(open!.closing).toBe(false);
    await ask("POST", `/sessions/${session}/prompt`, { prompt: "be slow", background: true });
    await follow.body!.cancel();
    await wait(100);
    expect(open!.closing).toBe(false);
    await ask("POST", `/sessions/${session}/cancel`, {});
    await open!.closed;
  });

  it.each(["application/json", "text/event-stream", "application/x-ndjson"])(
    "A4-24: has no unknown session (404) and no bad input (400), whatever is accepted: %s",
    async (accept) => {
      const { ask, session } = await enter();
      const cases: [string, string, unknown, number, string][] = [
        ["GET", "/sessions/none", undefined, 404, "SESSION_NOT_FOUND"],
        ["POST", "/sessions/none/prompt", { prompt: "x" }, 404, "SESSION_NOT_FOUND"],
        ["GET", "/sessions/none/events?follow=true", undefined, 404, "SESSION_NOT_FOUND"],
        ["POST", `/sessions/${session}/prompt`, {}, 400, "INVALID_PARAMS"],
        ["POST", `/sessions/${session}/prompt`, "{", 400, "INVALID_JSON"],
        ["POST", `/sessions/${session}/prompt`, [1], 400, "INVALID_PARAMS"],
        ["GET", `/sessions/${session}/events?from=x`, undefined, 400, "INVALID_PARAMS"],
        ["GET", `/sessions/${session}/tools/none`, undefined, 404, "TOOL_NOT_FOUND"],
        ["POST", "/approvals/none", { decision: "allow" }, 404, "APPROVAL_NOT_FOUND"],
        ["GET", "/nowhere", undefined, 404, "ROUTE_NOT_FOUND"],
      ];
      for (const [method, path, body, status, name] of cases) {
        const answer = await ask(method, path, body, { accept });
        expect([path, answer.status]).toEqual([path, status]);
        expect(await answer.text()).toContain(`"name":"${name}"`);
      }
    },
  );

  it("tells who asks for a path that it lacks where all of them are described", async () => {
    const { ask } = await enter();
    expect(await (await ask("GET", "/nowhere")).text()).toContain("/openapi.json tells what there is");
  });

  it("has no sessions of others, whatever is asked of them", async () => {
    const { ask, session } = await enter();
    await ask("POST", `/sessions/${session}/tools/echo`, { input: { text: "a" } });
    const theirs = { "x-principal": "ben" };
    for (const [method, path] of Object.values(ROUTES).map((route) => route.split(" "))) {
      if (!path!.includes("{session}")) continue;
      const body = method === "POST" ? { prompt: "x" } : undefined;
      const place = path!.replace("{session}", session).replace("{tool}", "echo");
      const answer = await ask(method!, place, path!.endsWith("prompt") ? body : undefined, theirs);
      expect([path, answer.status]).toEqual([path, 404]);
    }
    for (const list of ["sessions", "runs", "approvals"])
      expect(await (await ask("GET", `/${list}`, undefined, theirs)).json()).toEqual({ [list]: [] });
  });

  it("A4-13: takes the answer to an approval request, and a cancel, while a prompt runs", async () => {
    const { ask, session } = await enter();
    const prompted = ask("POST", `/sessions/${session}/prompt`, { prompt: "send it" });
    const waiting = async () => (await (await ask("GET", "/approvals")).json()) as { approvals: { id: string }[] };
    await expect.poll(async () => (await waiting()).approvals).toHaveLength(1);
    const [request] = (await waiting()).approvals;
    const answer = await ask("POST", `/approvals/${request!.id}`, { decision: "deny", note: "not today" });
    expect(await answer.json()).toEqual({ answered: true });
    expect(await (await prompted).json()).toMatchObject({ status: "completed" });
    const slow = ask("POST", `/sessions/${session}/prompt`, { prompt: "be slow", agent: "helper" });
    const cancel = async () =>
      ((await (await ask("POST", `/sessions/${session}/cancel`)).json()) as Cancelled).cancelled;
    await expect.poll(cancel).toBeGreaterThan(0);
    expect(await (await slow).json()).toMatchObject({ status: "cancelled" });
  });

  it("cancels a command whose stream is left", async () => {
    const { ask, session, desk } = await enter();
    const accept = "application/x-ndjson";
    const answer = await ask("POST", `/sessions/${session}/tools/slow`, {}, { accept });
    const reader = answer.body!.getReader();
    await reader.read();
    expect(desk.atWork).toBe(1);
    await reader.cancel();
    await expect.poll(() => desk.atWork).toBe(0);
  });

  it("lists what there is, and opens, closes, resumes and deletes sessions", async () => {
    const { ask, session } = await enter();
    const json = async (method: string, path: string) => (await ask(method, path)).json();
    await ask("POST", `/sessions/${session}/prompt`, { prompt: "hello" });
    expect(await json("GET", "/agents")).toMatchObject({ agents: [{ name: "assistant" }, { name: "helper" }] });
    expect(await json("GET", "/plugins")).toEqual({ plugins: [] });
    expect(await json("GET", `/runs?session=${session}`)).toMatchObject({ runs: [{ session, status: "completed" }] });
    expect(await json("GET", "/runs?session=other")).toEqual({ runs: [] });
    expect(await json("GET", "/sessions")).toMatchObject({ sessions: [{ session, open: true }] });
    expect(await json("GET", `/sessions/${session}/info`)).toMatchObject({ session, messages: [{}, {}], tasks: [] });
    expect(await json("POST", `/sessions/${session}/close`)).toEqual({ closed: true });
    expect(await json("GET", `/sessions/${session}`)).toMatchObject({ session, open: false });
    expect(await json("POST", `/sessions/${session}/resume`)).toMatchObject({ session, open: true });
    const again = await ask("POST", `/sessions/${session}/prompt`, { prompt: "again" });
    // It goes on with what was said before it was closed.
    expect(await again.json()).toMatchObject({ text: "Second" });
    const clean = await ask("POST", `/sessions/${session}/prompt`, { prompt: "new", continue: null });
    expect(await clean.json()).toMatchObject({ text: "First" });
    const on = await ask("POST", `/sessions/${session}/prompt`, { prompt: "and on" });
    expect(await on.json()).toMatchObject({ text: "Second" });
    expect(await json("DELETE", `/sessions/${session}`)).toMatchObject({ events: expect.any(Number) });
    expect((await ask("GET", `/sessions/${session}`)).status).toBe(404);
  });

  it("describes every command in OpenAPI 3.1, and answers as it says", async () => {
    const { ask, session } = await enter();
    const document = (await (await ask("GET", "/openapi.json")).json()) as OpenApi;
    expect(document).toMatchObject({ openapi: "3.1.0", servers: [{ url: "/v1" }] });
    const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, { operationId }]) => [operationId, `${method.toUpperCase()} ${path}`]),
    );
    expect(Object.fromEntries(operations)).toEqual(ROUTES);
    await ask("POST", `/sessions/${session}/prompt`, { prompt: "hello" });
    const bodies: Record<string, object> = { prompt: { prompt: "x" }, "tools.call": { input: { text: "x" } } };
    const last = ["session.close", "session.delete"];
    const skipped = ["run.resume", "approval.answer", ...last];
    for (const type of [...Object.keys(COMMANDS).filter((one) => !skipped.includes(one)), ...last]) {
      const [method = "", path = ""] = ROUTES[type as keyof typeof ROUTES].split(" ");
      const place = path.replace("{session}", session).replace("{tool}", "echo");
      const answer = await ask(method, place, bodies[type]);
      expect([type, answer.status]).toEqual([type, 200]);
      const { schema } = document.paths[path]![method.toLowerCase()]!.responses["200"].content["application/json"]!;
      expect([type, await compileSchema(schema).check(await answer.json())]).toEqual([
        type,
        expect.objectContaining({ ok: true }),
      ]);
    }
  });
});

interface Cancelled {
  readonly cancelled: number;
}

interface OpenApi {
  readonly paths: Readonly<
    Record<
      string,
      Readonly<
        Record<
          string,
          {
            readonly operationId: string;
            readonly responses: {
              readonly "200": { readonly content: Record<string, { readonly schema: JsonSchema }> };
            };
          }
        >
      >
    >
  >;
}

type Ask = (method: string, path: string, body?: unknown, headers?: Record<string, string>) => Promise<Response>;

/** A door with a lock that believes everybody, and a session of Ann's. */
async function enter(limits: RuntimeOptions["limits"] = {}, body?: object) {
  const desk = createDesk(makeRuntime({ limits }));
  onTestFinished(() => desk.close(AbortSignal.abort()));
  const app = new Hono<NativeEnv>();
  app.use(async (context, next) => {
    context.set("principal", { id: context.req.header("x-principal") ?? "ann" });
    await next();
  });
  app.route("/v1", createNativeRoutes(createNative(desk)));
  const ask: Ask = async (method, path, body, headers = {}) =>
    app.request(`/v1${path}`, {
      method,
      headers: { ...(body !== undefined && { "content-type": "application/json" }), ...headers },
      ...(body !== undefined && { body: typeof body === "string" ? body : JSON.stringify(body) }),
    });
  const { session } = (await (await ask("POST", "/sessions", body)).json()) as { session: string };
  return { ask, session, desk };
}

function read(text: string): readonly WireEvent[] {
  return [...text.matchAll(/^(?:data: )?(\{.*\})$/gm)].map(([, line]) => JSON.parse(line!) as WireEvent);
}
