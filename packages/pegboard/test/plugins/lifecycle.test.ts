import type { Plugin, PluginHost } from "@pegboard/contract";
import { expect, test, vi } from "vitest";
import { createRuntime, definePlugin, defineTool } from "../../src/index.ts";

const tool = (name: string) =>
  defineTool({ name, description: `does ${name}`, input: { type: "object" }, execute: () => name });

const plugin = (name: string, more: Partial<Plugin> = {}): Plugin =>
  definePlugin({ name, version: "1.0.0", tools: [tool("t")], ...more });

test("A3-13: all plugins are registered, then all started, then stopped, each with a state of its own that ends with it", async () => {
  const runtime = createRuntime();
  const order: string[] = [];
  const states: Map<string, unknown>[] = [];
  const keeping = (name: string, more: Partial<Plugin> = {}) =>
    plugin(name, {
      register: ({ state }) => {
        states.push(state);
        state.set("of", name);
        order.push(`register ${name}`);
      },
      start: ({ state }) => void order.push(`start ${String(state.get("of"))}`),
      stop: ({ state }) => void order.push(`stop ${String(state.get("of"))}`),
      ...more,
    });
  const fails = () => {
    throw new Error("no");
  };
  await runtime.plugins.add(
    { plugin: keeping("a") },
    { plugin: keeping("b", { stop: fails }) },
    { plugin: keeping("c") },
  );
  expect(order).toEqual(["register a", "register b", "register c", "start a", "start b", "start c"]);
  await expect(runtime.close()).rejects.toThrow(/"b"/);
  expect(order.slice(6)).toEqual(["stop a", "stop c"]);
  expect(states.map(({ size }) => size)).toEqual([0, 0, 0]);
});

test("A3-14, HP07: a plugin whose register throws is out with its tools, and the others run", async () => {
  const runtime = createRuntime();
  const start = vi.fn();
  const views = await runtime.plugins.add(
    { plugin: plugin("bad", { register: () => Promise.reject(new Error("no key")), start }) },
    { plugin: plugin("good") },
  );
  expect(views).toMatchObject([
    { name: "bad", status: "failed", reason: "register failed: no key" },
    { name: "good", status: "healthy" },
  ]);
  expect(runtime.tools.get("bad__t")).toBeUndefined();
  expect(runtime.tools.get("good__t")).toBeDefined();
  expect(start).not.toHaveBeenCalled();
});

test("A3-15: a plugin whose start throws has failed; one that recovers is degraded and its hooks take part", async () => {
  const runtime = createRuntime({ approve: "all" });
  const seen: string[] = [];
  const start = () => Promise.reject(new Error("no port"));
  const register = ({ name }: PluginHost) => ({ beforeCall: () => void seen.push(name) });
  const recovered = vi.fn();
  const views = await runtime.plugins.add(
    { plugin: plugin("plain", { register, start }) },
    { plugin: plugin("recovers", { register, start, onStartFailed: recovered }) },
    { plugin: plugin("sinks", { register, start, onStartFailed: () => Promise.reject(new Error("still no port")) }) },
    { plugin: plugin("next", { register }) },
  );
  expect(views.map(({ status, reason }) => [status, reason])).toEqual([
    ["failed", "start failed: no port"],
    ["degraded", "start failed: no port"],
    ["failed", "start failed: no port; its recovery failed too: still no port"],
    ["healthy", undefined],
  ]);
  expect(recovered).toHaveBeenCalledWith(expect.objectContaining({ name: "recovers" }), new Error("no port"));
  expect((await runtime.open().call("next__t")).ok).toBe(true);
  expect(seen).toEqual(["recovers", "next"]);
  expect(runtime.tools.names().filter((name) => name.endsWith("__t"))).toEqual(["recovers__t", "next__t"]);
});

test("A3-16, HP13: stop is tried on all, one error names those that fail, and a second close does nothing", async () => {
  const runtime = createRuntime({ plugins: { stepMs: 30 } });
  const stop = vi.fn();
  const throws = () => {
    throw "gone wrong";
  };
  await runtime.plugins.add(
    { plugin: plugin("a", { stop: throws }) },
    { plugin: plugin("b", { stop: () => new Promise(() => {}) }) },
    { plugin: plugin("c", { stop }) },
  );
  await expect(runtime.plugins.close()).rejects.toThrow(
    'These plugins did not stop well: "a" (stop failed: gone wrong), "b" (stop failed: no end within 0.03 seconds)',
  );
  expect(stop).toHaveBeenCalledOnce();
  await runtime.plugins.close();
  await runtime.close();
  expect(stop).toHaveBeenCalledOnce();
  expect(runtime.tools.names()).toEqual([]);
  await expect(runtime.plugins.add({ plugin: plugin("late") })).rejects.toMatchObject({ code: "unavailable" });
});

test.each(["register", "start"] as const)(
  "HP08, HP10: a plugin that hangs in %s is taken down when its time is over",
  async (step) => {
    const runtime = createRuntime({ plugins: { stepMs: 30 } });
    let host: PluginHost | undefined;
    const hangs = (given: PluginHost) => {
      host = given;
      return new Promise<never>(() => {});
    };
    const [view] = await runtime.plugins.add({ plugin: plugin("slow", { [step]: hangs }) }, { plugin: plugin("b") });
    expect(view).toMatchObject({ status: "failed", reason: `${step} failed: no end within 0.03 seconds` });
    expect(runtime.tools.names().filter((name) => name.endsWith("__t"))).toEqual(["b__t"]);
    expect(host!.signal.aborted).toBe(true);
    expect((await host!.call("b__t", {})).error?.message).toBe('Plugin "slow" is stopped');
    await expect(host!.run("hello")).rejects.toThrow('Plugin "slow" is stopped');
  },
);

test("HP09: a plugin that holds up everything in register is told of, with the time", async () => {
  const runtime = createRuntime();
  const register = () => {
    const end = performance.now() + 300;
    while (performance.now() < end);
  };
  const [view] = await runtime.plugins.add({ plugin: plugin("busy", { register }) });
  expect(view).toMatchObject({
    status: "healthy",
    diagnostics: [
      { severity: "warning", message: expect.stringMatching(/"busy" held up everything for 0\.\d seconds/) },
    ],
  });
});

test("nothing of a plugin is visible before register has returned", async () => {
  const runtime = createRuntime();
  let seen: boolean | undefined;
  const register = async () => {
    await Promise.resolve();
    seen = runtime.tools.get("p__t") !== undefined;
  };
  await runtime.plugins.add({ plugin: plugin("p", { register }) });
  expect(seen).toBe(false);
  expect(runtime.tools.get("p__t")).toBeDefined();
});

test("when one thing of a plugin cannot be hung up, nothing of it stays", async () => {
  const runtime = createRuntime();
  const agent = { name: "helper", description: "helps", instructions: "Help." };
  runtime.tools.register(tool("t"), { layer: "plugin", prefix: "p" });
  const [view] = await runtime.plugins.add({ plugin: plugin("p", { agents: [agent] }) });
  expect(view).toMatchObject({
    status: "failed",
    reason: expect.stringContaining('Tool "p__t" is registered already'),
  });
  expect(await runtime.agents.find("p/helper")).toBeUndefined();
});

test("HP28: what a plugin does to its own lists later changes nothing", async () => {
  const runtime = createRuntime();
  const tools = [tool("t")];
  await runtime.plugins.add({ plugin: plugin("p", { tools }) });
  tools.push(tool("evil"));
  await runtime.plugins.disable("p");
  await runtime.plugins.enable("p");
  expect(runtime.tools.names().filter((name) => name.startsWith("p__"))).toEqual(["p__t"]);
});

test("what was asked of a plugin is done in turn: the last word counts", async () => {
  const runtime = createRuntime();
  await runtime.plugins.add({ plugin: plugin("p"), disabled: "not yet" });
  expect(runtime.plugins.get("p")).toMatchObject({ status: "disabled", reason: "not yet" });
  await Promise.all([runtime.plugins.enable("p"), runtime.plugins.disable("p"), runtime.plugins.enable("p")]);
  expect(runtime.plugins.get("p")?.status).toBe("healthy");
  await Promise.all([runtime.plugins.remove("p"), runtime.plugins.enable("p")]);
  expect(runtime.plugins.list()).toEqual([]);
  expect(runtime.tools.get("p__t")).toBeUndefined();
  await expect(runtime.plugins.enable("q")).rejects.toMatchObject({ code: "not_found" });
});
