import { Client, InMemoryTransport } from "@modelcontextprotocol/client";
import { Hono } from "hono";
import { toMcpServer } from "pegboard/mcp";
import { describe, expect, it, onTestFinished } from "vitest";
import { createClient } from "../../../src/client/index.ts";
import type { Event } from "../../../src/core/event.ts";
import {
  definePlugin,
  defineTool,
  type Result,
  type Runtime,
  type Session,
  type ToolSource,
} from "../../../src/index.ts";
import { createDesk } from "../../../src/transports/desk.ts";
import { createNativeRoutes, type NativeEnv } from "../../../src/transports/http/native-routes.ts";
import { serveSocket } from "../../../src/transports/native/connection.ts";
import { createNative } from "../../../src/transports/native/native.ts";
import type { ToolView } from "../../../src/core/tool-view.ts";
import { makeRuntime } from "../stage.ts";
import { makeTalk } from "./talk.ts";

const CALLS = [
  ["echo", { text: "a" }],
  ["echo", { text: 1 }],
  ["picture", {}],
  ["none", {}],
] as const;

const KINDS = ["text", "json", "diff", "file_content", "file_list", "acme.chart", "nobody-knows"];

describe("whatever the door", () => {
  it("A4-18: the same call has the same result and the same record, but for the client", async () => {
    const { runtime, direct, socket, http } = open();
    const doors = { direct, socket, http };
    const records: Record<string, unknown> = {};
    const results: Record<string, unknown> = {};
    for (const [name, door] of Object.entries(doors)) {
      const { session, call } = await door();
      results[name] = [];
      for (const [tool, input] of CALLS) (results[name] as unknown[]).push(await call(tool, input));
      records[name] = (await runtime.store.read({ session })).map(toRecord);
    }
    expect(results["socket"]).toEqual(results["direct"]);
    expect(results["http"]).toEqual(results["direct"]);
    expect(records["direct"]).toHaveLength(11);
    expect(records["socket"]).toEqual(records["direct"]);
    expect(records["http"]).toEqual(records["direct"]);
    const session = runtime.open({ principal: "ann" });
    const client = await connectMcp(session);
    for (const [index, [name, input]] of CALLS.entries()) {
      const { ok, content, error } = (results["direct"] as Result[])[index]!;
      const called = client.callTool({ name, arguments: input });
      // To MCP an unknown tool is a wrong request.
      if (error?.code === "not_found") await expect(called).rejects.toThrow(error.message);
      else expect(await called).toMatchObject({ content, ...(!ok && { isError: true }) });
    }
    expect((await runtime.store.read({ session: session.id })).map(toRecord)).toEqual(records["direct"]);
    await client.close();
  });

  it.each(KINDS)("A1-40: a result of the kind %s has it, and what it holds, for every client", async (kind) => {
    const { runtime, direct, socket, http } = open();
    const content = [{ type: "text", text: "x" }];
    const made = { content, structured: { rows: [1] }, meta: { kind } };
    runtime.tools.register(
      defineTool({ name: "show", description: "Shows", input: {}, approval: "preApproved", execute: () => made }),
    );
    for (const door of [direct, socket, http])
      expect(await (await door()).call("show", {})).toEqual({ ok: true, ...made });
    const client = await connectMcp(runtime.open());
    expect(await client.callTool({ name: "show", arguments: {} })).toMatchObject({
      content,
      _meta: { "pegboard/kind": kind, "pegboard/structured": { rows: [1] } },
    });
    await client.close();
  });

  it("A4-17: the same tools are listed, with schema, source, scope and approval, whoever brought them", async () => {
    const { runtime, direct, socket, http } = open();
    const tool = defineTool({ name: "add", description: "Adds", input: { type: "object" }, execute: () => 1 });
    await runtime.plugins.add({ plugin: definePlugin({ name: "math", version: "1.0.0", tools: [tool] }) });
    const source: ToolSource = { kind: "mcp", id: "far" };
    runtime.tools.register(tool, { prefix: "far", layer: "plugin", source });
    const lists = await Promise.all([direct, socket, http].map(async (door) => (await door()).list()));
    for (const list of lists) expect(list).toEqual(lists[0]);
    const seen = Object.fromEntries(
      lists[0]!.map(({ name, source: { kind }, scope, approval }) => [name, [kind, scope, approval]]),
    );
    expect(seen).toMatchObject({
      echo: ["host", "global", "preApproved"],
      send: ["host", "global", "ask"],
      vfs_read: ["builtin", "global", "preApproved"],
      math__add: ["plugin", "global", "ask"],
      far__add: ["mcp", "global", "ask"],
    });
    expect(lists[0]!.every(({ inputSchema }) => inputSchema["type"] === "object")).toBe(true);
    const client = await connectMcp(runtime.open());
    const { tools } = await client.listTools();
    const told = tools.map(({ name, _meta }) => [name, _meta?.["pegboard/tool"]]);
    const short = lists[0]!.map(({ name, source: { kind, id }, scope, approval }) => [
      name,
      { source: { kind, id }, scope, approval },
    ]);
    expect(told).toEqual(short);
    await client.close();
  });
});

async function connectMcp(session: Session): Promise<Client> {
  const [here, there] = InMemoryTransport.createLinkedPair();
  const client = new Client({ name: "host", version: "1" });
  await Promise.all([toMcpServer(session)!.connect(there), client.connect(here)]);
  return client;
}

interface Entered {
  readonly session: string;
  call(tool: string, input: object): Promise<unknown>;
  list(): Promise<readonly ToolView[]>;
}

/** What a record says, without what is never the same twice and without who called. */
function toRecord({ type, data }: Event): unknown {
  const { client: _, ms: __, ...rest } = data as Record<string, unknown>;
  return { type, ...rest };
}

function open(): { runtime: Runtime } & Record<"direct" | "socket" | "http", () => Promise<Entered>> {
  const runtime = makeRuntime();
  const desk = createDesk(runtime);
  onTestFinished(() => desk.close(AbortSignal.abort()));
  const native = createNative(desk);
  const principal = { id: "ann" };
  return {
    runtime,
    async direct() {
      const session = runtime.open({ principal: "ann" });
      const json = async (value: unknown) => JSON.parse(JSON.stringify(await value)) as never;
      return {
        session: session.id,
        call: (tool, input) => json(session.call(tool, input as never)),
        list: () => json(session.list()),
      };
    },
    async socket() {
      const talk = makeTalk();
      const session = desk.open({ ...principal, client: "socket" }).id;
      void serveSocket(talk.socket, { native, principal, session });
      const ask = async (type: string, params: object) => (await talk.send({ id: 1, type, params })).at(-1)!.data;
      return {
        session,
        call: (tool, input) => ask("tools.call", { tool, input }),
        list: async () => ((await ask("tools.list", {})) as { tools: ToolView[] }).tools,
      };
    },
    async http() {
      const app = new Hono<NativeEnv>();
      app.use(async (context, next) => {
        context.set("principal", { ...principal, client: "http" });
        await next();
      });
      app.route("/v1", createNativeRoutes(native));
      const session = await createClient({ url: "http://here", fetch: (request) => app.fetch(request) }).open();
      return {
        session: session.id,
        call: (tool, input) => session.call(tool, input as never),
        list: () => session.list(),
      };
    },
  };
}
