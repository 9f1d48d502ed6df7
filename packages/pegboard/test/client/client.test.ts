import { Hono } from "hono";
import { describe, expect, it, onTestFinished, test } from "vitest";
import { createClient, type Event, RemoteError } from "../../src/client/index.ts";
import type { Runtime } from "../../src/index.ts";
import { describeTransport, type TransportDoor } from "../../src/testing/index.ts";
import { createDesk } from "../../src/transports/desk.ts";
import { createNativeRoutes, type NativeEnv } from "../../src/transports/http/native-routes.ts";
import { createNative } from "../../src/transports/native/native.ts";
import { toKitClient } from "./kit-client.ts";
import { makeRuntime } from "../transports/stage.ts";

describe("the client", () => {
  it("opens a session, lists, calls, asks and closes", async () => {
    const { client } = connect();
    const session = await client.open({ metadata: { a: 1 } });
    expect((await session.list()).map(({ name }) => name)).toContain("echo");
    expect(await session.call("echo", { text: "a" })).toMatchObject({ ok: true, content: [{ text: "a" }] });
    expect(await session.prompt("hello")).toMatchObject({ status: "completed", text: "First" });
    expect(await session.prompt("again")).toMatchObject({ text: "Second" });
    await session.close();
    const again = await client.open({ id: session.id });
    expect(again.id).toBe(session.id);
    expect(await again.prompt("and again")).toMatchObject({ text: "Third" });
  });

  it("tells what happens while it waits, and answers what is asked", async () => {
    const { client } = connect();
    const session = await client.open();
    const types: string[] = [];
    const onEvent = (event: Event) => {
      types.push(event.type);
      if (event.type === "approval-request") void session.answer(event.data.id, { decision: "allow" });
    };
    expect(await session.prompt("send it", { onEvent })).toMatchObject({ text: "It is sent" });
    expect(types).toEqual(expect.arrayContaining(["run-start", "model-delta", "approval-response", "run-end"]));
  });

  it("rejects with the code of the server, and says when there is none", async () => {
    const { client } = connect();
    const session = await client.open();
    const unknown = client.send("tools.info", { tool: "none" }, { session: session.id });
    await expect(unknown).rejects.toMatchObject({ code: "not_found", reason: "TOOL_NOT_FOUND", retryable: false });
    await expect(client.open({ id: "none" })).rejects.toBeInstanceOf(RemoteError);
    await expect(client.stream("prompt", { prompt: "x" }, { session: "none" }).next()).rejects.toMatchObject({
      reason: "SESSION_NOT_FOUND",
    });
    const nobody = createClient({ url: "http://127.0.0.1:9", token: "x" });
    await expect(nobody.send("ping", {})).rejects.toMatchObject({ code: "unavailable", retryable: true });
    const other = createClient({ url: "http://other", fetch: () => new Response("<html>", { status: 502 }) });
    await expect(other.send("ping", {})).rejects.toMatchObject({ code: "unavailable" });
  });

  it("sends its token, and what it is given to everywhere it may be", async () => {
    const seen: Request[] = [];
    const client = createClient({
      url: "http://host:1/",
      token: "secret",
      fetch: (request) => {
        seen.push(request);
        return Response.json({ events: [], next: 1 });
      },
    });
    await client.send("events", { from: 3 }, { session: "a/b" });
    expect(seen[0]!.url).toBe("http://host:1/v1/sessions/a%2Fb/events?from=3");
    expect(seen[0]!.headers.get("authorization")).toBe("Bearer secret");
  });

  it("cancels a call that is left", async () => {
    const { client, desk } = connect();
    const session = await client.open();
    const leaving = new AbortController();
    const onEvent = ({ type }: Event) => type === "call-progress" && leaving.abort();
    const call = session.call("slow", {}, { signal: leaving.signal, onEvent });
    await expect(call).rejects.toMatchObject({ code: "cancelled" });
    await expect.poll(() => desk.atWork).toBe(0);
  });

  it("follows a session through connections that break, and misses nothing", async () => {
    const { client, breakAll } = connect({ breaks: true });
    const session = await client.open();
    await session.call("echo", { text: "a" });
    const seen: number[] = [];
    const following = (async () => {
      for await (const { seq } of session.events()) seen.push(seq);
    })();
    for (let round = 1; round <= 3; round++) {
      await expect.poll(() => seen.at(-1)).toBe(3 * round + 1);
      breakAll();
      await session.call("echo", { text: "b" });
    }
    await expect.poll(() => seen.at(-1)).toBe(13);
    await session.close();
    await following;
    expect(seen).toEqual(Array.from({ length: 14 }, (_, index) => index + 1));
  });

  it("ends following when it is told to", async () => {
    const { client } = connect();
    const session = await client.open();
    await session.call("echo", { text: "a" });
    const leaving = new AbortController();
    for await (const { seq } of session.events({ from: 2, signal: leaving.signal })) if (seq === 4) leaving.abort();
    await expect(session.events({ from: 1, signal: AbortSignal.abort() }).next()).resolves.toMatchObject({
      done: true,
    });
  });
});

const connectKit: TransportDoor["connect"] = async (runtime, approve) => {
  const { client, desk } = connect({ runtime });
  return { ...toKitClient(client, await client.open(), approve), close: () => desk.close(AbortSignal.abort()) };
};

describeTransport("our own protocol over HTTP", { connect: connectKit }, { describe, test });

/** A client and a server in one process; with `breaks`, streams can be cut. */
function connect({ runtime = makeRuntime(), breaks = false }: { runtime?: Runtime; breaks?: boolean } = {}) {
  const desk = createDesk(runtime);
  onTestFinished(() => desk.close(AbortSignal.abort()));
  const app = new Hono<NativeEnv>();
  app.use(async (context, next) => {
    context.set("principal", { id: "ann" });
    await next();
  });
  app.route("/v1", createNativeRoutes(createNative(desk)));
  const open = new Set<() => void>();
  const cuttable = (response: Response) => {
    const cut = new AbortController();
    open.add(() => cut.abort(new Error("the line broke")));
    const pass = new TransformStream<Uint8Array, Uint8Array>();
    response.body!.pipeTo(pass.writable, { signal: cut.signal }).catch(() => {});
    return new Response(pass.readable, response);
  };
  const client = createClient({
    url: "http://here",
    fetch: async (request) => {
      const response = await app.fetch(request);
      return breaks && request.url.includes("/events") ? cuttable(response) : response;
    },
  });
  const breakAll = () => {
    for (const cut of open) cut();
    open.clear();
  };
  return { client, desk, breakAll };
}
