import type { Plugin, PluginHost, PluginTool } from "@pegboard/contract";
import { expect, test, vi } from "vitest";
import { createRuntime, defineTool } from "../../src/index.ts";
import { call, ofType, stage } from "../agents/stage.ts";

const plain = (name: string, more: object = {}) =>
  defineTool({ name, description: `does ${name}`, input: { type: "object" }, execute: () => name, ...more });

/** Adds a plugin and lends its host to the test. */
async function lend(runtime: ReturnType<typeof createRuntime>, more: Partial<Plugin> = {}): Promise<PluginHost> {
  const lent = Promise.withResolvers<PluginHost>();
  await runtime.plugins.add({
    plugin: { name: "p", version: "1.0.0", register: (host) => lent.resolve(host), ...more },
  });
  return lent.promise;
}

test("A3-39: a plugin calls a tool by its full name, under the same policy and in the log", async () => {
  const runtime = createRuntime({
    tools: [plain("free", { approval: "preApproved" }), plain("asks"), plain("people", { callers: ["user"] })],
    policy: { rules: [{ tool: "barred", approval: "blocked" }] },
  });
  runtime.tools.register(plain("barred", { approval: "preApproved" }));
  const { call } = await lend(runtime);
  expect(await call("free", {})).toMatchObject({ ok: true, content: [{ text: "free" }] });
  expect((await call("nothing", {})).error?.code).toBe("not_found");
  expect((await call("asks", {})).error?.code).toBe("denied");
  expect((await call("barred", {})).error?.code).toBe("blocked");
  expect((await call("people", {})).error?.code).toBe("denied");
  const [start] = await runtime.store.read({ type: "session-start" });
  expect(start!.data).toMatchObject({ client: "plugin:p" });
  const calls = ofType(await runtime.store.read({ session: start!.session }), "call-start");
  expect(calls.map(({ data }) => [data.tool, data.caller])).toEqual(
    ["free", "nothing", "asks", "barred", "people"].map((tool) => [tool, "tool"]),
  );
});

test("A3-39: what a handler calls hangs below its call, with no more rights than the agent that called", async () => {
  const handler: PluginTool["handler"] = async ({ call: make }) => {
    const results = [await make("free", {}), await make("other", {})];
    return JSON.stringify(results.map(({ ok, error }) => error?.code ?? ok));
  };
  const tools = [{ name: "both", description: "calls two", schema: { type: "object" }, handler }];
  const runtime = createRuntime({ approve: "all", tools: [plain("free"), plain("other")] });
  await runtime.plugins.add({ plugin: { name: "p", version: "1.0.0", tools } });
  const session = runtime.open({ agent: { name: "narrow", tools: ["p__both", "free"] } });
  const result = await session.call("p__both", {}, { id: "outer" });
  expect(result.content).toEqual([{ type: "text", text: '[true,"denied"]' }]);
  const calls = ofType(await runtime.store.read({ session: session.id }), "call-start");
  expect(calls.map(({ parent, data }) => [data.tool, parent])).toEqual([
    ["p__both", undefined],
    ["free", "outer"],
    ["other", "outer"],
  ]);
});

test("a plugin runs agents: the built-in one, its own by their bare names, and learns why a run failed", async () => {
  const cast = { assistant: { says: ["Hello."] }, poet: { says: ["Roses."] }, bard: { says: ["Lutes."] } };
  const { runtime } = stage(cast);
  const own = { name: "poet", description: "sings", instructions: "You are the bard." };
  const { run } = await lend(runtime, { agents: [own] });
  expect(await run("Greet")).toBe("Hello.");
  expect(await run("Write", { agent: "poet" })).toBe("Lutes.");
  await expect(run("Write", { agent: "nobody" })).rejects.toMatchObject({ code: "not_found" });
});

test("an agent that a handler runs hangs below the run that called, within its limits", async () => {
  const handler: PluginTool["handler"] = async ({ run }) => run("Rhyme", { agent: "poet" });
  const tools = [{ name: "rhyme", description: "rhymes", schema: { type: "object" }, handler }];
  const { runtime, session } = stage(
    { lead: { says: [call("p__rhyme"), "Done."] }, poet: { says: ["Roses."] } },
    { approve: "all" },
  );
  await runtime.plugins.add({ plugin: { name: "p", version: "1.0.0", tools } });
  const result = await session.run("lead", "Write").result;
  expect(result.status).toBe("completed");
  const [lead, poet] = ofType(await runtime.store.read({ session: session.id }), "run-start");
  expect([lead!.data.depth, poet!.data.depth]).toEqual([0, 1]);
  expect(poet!.chain).toEqual(["lead", "poet"]);
});

test("a plugin says how it does, and takes it back", async () => {
  const runtime = createRuntime();
  const { report, background } = await lend(runtime);
  const shown = () => {
    const { status, reason } = runtime.plugins.get("p")!;
    return [status, reason];
  };
  report("degraded", "the disk is full");
  expect(shown()).toEqual(["degraded", "the disk is full"]);
  report("healthy");
  expect(shown()).toEqual(["healthy", undefined]);
  background("sweeping", () => {
    throw new Error("no broom");
  });
  await vi.waitFor(() => expect(shown()).toEqual(["degraded", "sweeping failed: no broom"]));
  await runtime.plugins.disable("p");
  report("degraded", "too late");
  expect(shown()).toEqual(["disabled", "switched off"]);
});

test("background work is told when the plugin stops, and what it throws then concerns nobody", async () => {
  const runtime = createRuntime();
  const { background } = await lend(runtime);
  const ended = Promise.withResolvers<string>();
  background("waiting", (signal) => {
    const { promise, reject } = Promise.withResolvers<void>();
    signal.addEventListener("abort", () => {
      ended.resolve((signal.reason as Error).message);
      reject(signal.reason as Error);
    });
    return promise;
  });
  await vi.waitFor(() => expect(runtime.plugins.get("p")?.status).toBe("healthy"));
  await new Promise((resolve) => setTimeout(resolve, 5));
  await runtime.plugins.disable("p");
  expect(await ended.promise).toBe('Plugin "p" is stopped');
  expect(runtime.plugins.get("p")).toMatchObject({ status: "disabled", reason: "switched off" });
});

test("what a plugin tells all is heard by the others that listen, each with a copy of its own", async () => {
  const runtime = createRuntime();
  const heard: unknown[] = [];
  const listener = (name: string) => ({
    name,
    version: "1.0.0",
    register: () => ({
      broadcast(topic: string, data: unknown) {
        heard.push([name, topic, structuredClone(data)]);
        (data as { n: number }).n = 9;
        throw new Error("ignored");
      },
    }),
  });
  await runtime.plugins.add({ plugin: listener("a") }, { plugin: listener("b") });
  const { broadcast } = await lend(runtime);
  broadcast("news", { n: 1 });
  await vi.waitFor(() => expect(heard).toHaveLength(2));
  expect(heard).toEqual([
    ["a", "news", { n: 1 }],
    ["b", "news", { n: 1 }],
  ]);
});

test("HP23: a plugin sees nothing of others: its host is frozen and has a state of its own", async () => {
  const runtime = createRuntime();
  const one = await lend(runtime, { name: "one" });
  const two = await lend(runtime, { name: "two" });
  one.state.set("x", 1);
  expect(two.state.size).toBe(0);
  expect(Object.isFrozen(one)).toBe(true);
  expect(Object.keys(one).sort()).toEqual(
    ["background", "broadcast", "call", "name", "report", "run", "settings", "signal", "state"].sort(),
  );
});

test("when a plugin is stopped, the session in which it acted is closed and what it runs is cancelled", async () => {
  const begun = Promise.withResolvers<void>();
  const runtime = createRuntime({
    tools: [
      plain("waits", {
        approval: "preApproved",
        execute: () => {
          begun.resolve();
          return new Promise(() => {});
        },
      }),
    ],
  });
  const { call: make } = await lend(runtime);
  const waiting = make("waits", {});
  await begun.promise;
  await runtime.plugins.disable("p");
  expect((await waiting).error?.code).toBe("cancelled");
  expect(await runtime.store.read({ type: "session-end" })).toHaveLength(1);
});
