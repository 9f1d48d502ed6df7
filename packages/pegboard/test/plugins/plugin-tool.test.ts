import type { Plugin, PluginCallMeta, PluginHost, PluginTool } from "@pegboard/contract";
import { expect, test } from "vitest";
import { createRuntime } from "../../src/index.ts";
import { call, stage } from "../agents/stage.ts";

const tool = (name: string, handler: PluginTool["handler"], more: Partial<PluginTool> = {}): PluginTool => ({
  name,
  description: `does ${name}`,
  schema: { type: "object" },
  handler,
  ...more,
});

async function open(...plugins: readonly (Pick<Plugin, "name"> & Partial<Plugin>)[]) {
  const runtime = createRuntime({ approve: "all" });
  await runtime.plugins.add(...plugins.map((plugin) => ({ plugin: { version: "1.0.0", ...plugin } })));
  return { runtime, session: runtime.open() };
}

const echo = async (_: PluginHost, input: unknown) => JSON.stringify(input);

test("A3-05: the tools of several plugins are named plugin__tool, and a plugin without tools adds none", async () => {
  const { session } = await open(
    { name: "a", tools: [tool("x", echo), tool("y", echo)] },
    { name: "b", tools: [tool("x", echo)] },
    { name: "c", register: () => {} },
  );
  const names = session.list().flatMap(({ name, source }) => (source.kind === "plugin" ? name : []));
  expect(names).toEqual(["a__x", "a__y", "b__x"]);
});

test("A3-06: clients are shown the very schema that the author wrote", async () => {
  const schema = {
    type: "object",
    description: "a whole form",
    required: ["id"],
    properties: {
      id: { type: "string", pattern: "^[a-z]+$", description: "which" },
      size: { type: "integer", minimum: 1, maximum: 9, default: 3 },
      kind: { enum: ["a", "b"] },
      tags: { type: "array", items: { type: "string" }, maxItems: 4 },
      deep: { type: "object", properties: { er: { type: "object", properties: { still: { type: "null" } } } } },
    },
  };
  const written = structuredClone(schema);
  const { session } = await open({ name: "p", tools: [tool("form", echo, { schema })] });
  const shown = session.list().find(({ name }) => name === "p__form")!.inputSchema;
  expect(shown).toBe(schema);
  await session.call("p__form", { id: "x" });
  expect(shown).toEqual(written);
});

test("A3-07: a handler gets its host, the checked input with defaults, and where the call comes from", async () => {
  const seen: [string, unknown, PluginCallMeta][] = [];
  const schema = { type: "object", properties: { size: { type: "integer", default: 3 } } };
  const handler: PluginTool["handler"] = async (host, input, meta) => {
    seen.push([host.name, input, meta]);
    return "ok";
  };
  const { session } = await open({ name: "p", tools: [tool("t", handler, { schema })] });
  await session.call("p__t", {}, { id: "call-1" });
  expect((await session.call("p__t", { size: "big" })).error?.code).toBe("invalid_input");
  expect(seen).toMatchObject([["p", { size: 3 }, { threadId: session.id, traceId: "call-1" }]]);
  expect(seen[0]![2]).not.toHaveProperty("taskId");
});

test("A3-07: inside a task the handler is told which", async () => {
  const tasks: (string | undefined)[] = [];
  const note: PluginTool["handler"] = async (_, __, { taskId }) => {
    tasks.push(taskId);
    return "noted";
  };
  const { runtime, session } = stage(
    {
      lead: { says: [call("p__note"), call("delegate", { agent: "poet", prompt: "Rhyme", mode: "wait" }), "Done."] },
      poet: { says: [call("p__note"), "Roses."] },
    },
    { approve: "all" },
  );
  await runtime.plugins.add({ plugin: { name: "p", version: "1.0.0", tools: [tool("note", note)] } });
  expect(await session.run("lead", "Write").result).toMatchObject({ status: "completed" });
  const [task] = await session.tasks();
  expect(tasks).toEqual([undefined, task!.id]);
});

test("A3-08: the host in a handler is that of the handler's own plugin: settings, state, status and background work", async () => {
  const keep: PluginTool["handler"] = async ({ name, state, settings, report, background }) => {
    state.set("calls", ((state.get("calls") as number | undefined) ?? 0) + 1);
    if (name === "a") background("counting", () => Promise.reject(new Error("lost count")));
    else report("degraded", "tired");
    return JSON.stringify([name, settings, state.get("calls")]);
  };
  const runtime = createRuntime({ approve: "all" });
  const plugin = (name: string) => ({ name, version: "1.0.0", tools: [tool("t", keep)] });
  await runtime.plugins.add({ plugin: plugin("a"), settings: { of: "a" } }, { plugin: plugin("b"), settings: {} });
  const session = runtime.open();
  const text = async (name: string) => (await session.call(name)).content;
  expect(await text("a__t")).toEqual([{ type: "text", text: '["a",{"of":"a"},1]' }]);
  expect(await text("a__t")).toEqual([{ type: "text", text: '["a",{"of":"a"},2]' }]);
  expect(await text("b__t")).toEqual([{ type: "text", text: '["b",{},1]' }]);
  expect(runtime.plugins.list().map(({ status, reason }) => [status, reason])).toEqual([
    ["degraded", "counting failed: lost count"],
    ["degraded", "tired"],
  ]);
});

test("A3-09: a text is the result; of text and blocks the model reads the text, and clients get the blocks", async () => {
  const blocks = [{ kind: "chart", points: [1, 2] }, { kind: "note" }];
  const { session } = await open({
    name: "p",
    tools: [
      tool("text", async () => "plain"),
      tool("blocks", async () => ({ text: "drawn", blocks })),
      tool("empty", async () => ({ text: "drawn", blocks: [] })),
    ],
  });
  expect(await session.call("p__text")).toEqual({ ok: true, content: [{ type: "text", text: "plain" }], meta: {} });
  const drawn = { ok: true, content: [{ type: "text", text: "drawn" }], meta: {} };
  expect(await session.call("p__blocks")).toEqual({ ...drawn, structured: { blocks } });
  expect(await session.call("p__empty")).toEqual(drawn);
});

test("A3-10: an error with a code is a failure with it, any other is the tool's own, and both are logged with the call", async () => {
  const throws = (error: unknown) => () => Promise.reject(error);
  const { session, runtime } = await open({
    name: "p",
    tools: [
      tool("known", throws(Object.assign(new Error("no such page"), { code: "NOT_FOUND" }))),
      tool("own", throws(Object.assign(new Error("over quota"), { code: "QUOTA", retryable: true }))),
      tool("plain", throws(new Error("boom"))),
      tool("odd", throws(undefined)),
    ],
  });
  const error = async (name: string) => (await session.call(`p__${name}`)).error;
  expect(await error("known")).toEqual({
    code: "not_found",
    message: "no such page",
    retryable: false,
    details: { code: "NOT_FOUND" },
  });
  expect(await error("own")).toMatchObject({ code: "tool_error", retryable: true, details: { code: "QUOTA" } });
  const unknown = { code: "tool_error", retryable: false, details: { code: "INTERNAL_ERROR" } };
  expect(await error("plain")).toEqual({ ...unknown, message: "boom" });
  expect(await error("odd")).toMatchObject(unknown);
  await session.call("p__plain", {}, { id: "trace-1" });
  const ends = await runtime.store.read({ session: session.id, type: "call-end" });
  expect(ends.at(-1)).toMatchObject({
    session: session.id,
    call: "trace-1",
    data: { tool: "p__plain", ok: false, error: { code: "tool_error", message: "boom" } },
  });
});

test("A3-41: a tool is offered to the audience it names, and refused to others", async () => {
  const { session } = await open({
    name: "p",
    tools: [
      tool("agents", echo, { audience: "agent" }),
      tool("people", echo, { audience: "human" }),
      tool("both", echo, { audience: "both" }),
    ],
  });
  const offered = (as: "model" | "user") =>
    session.list({ as }).flatMap(({ name }) => (name.startsWith("p__") ? name.slice(3) : []));
  expect(offered("model")).toEqual(["agents", "both"]);
  expect(offered("user")).toEqual(["both", "people"]);
  expect((await session.call("p__people", {}, { as: "user" })).ok).toBe(true);
  expect((await session.call("p__agents", {}, { as: "user" })).error?.code).toBe("denied");
  expect((await session.call("p__people", {}, { as: "model" })).error?.code).toBe("denied");
});
