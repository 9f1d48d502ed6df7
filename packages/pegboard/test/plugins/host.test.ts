import { expect, test, vi } from "vitest";
import { createRuntime, definePlugin, defineTool } from "../../src/index.ts";

const input = { type: "object" } as const;
const tool = (name: string, more: object = {}) =>
  defineTool({ name, description: `does ${name}`, input, execute: () => name, ...more });

test("a plugin brings its tools under its name, and takes them and its hooks away", async () => {
  const runtime = createRuntime({ approve: "all" });
  const order: string[] = [];
  const plugin = definePlugin({
    name: "acme",
    version: "1.0.0",
    tools: [tool("search")],
    register: ({ settings }) => (
      order.push(`register ${JSON.stringify(settings)}`),
      { beforeCall: ({ tool: name }) => void order.push(`call ${name}`) }
    ),
    start: () => void order.push("start"),
    stop: () => void order.push("stop"),
  });
  await runtime.plugins.enable(plugin, { key: 1 });
  const session = runtime.open();
  expect(session.list().find(({ name }) => name === "acme__search")).toMatchObject({
    source: { kind: "plugin", plugin: "acme" },
    layer: "plugin",
  });
  expect((await session.call("acme__search")).ok).toBe(true);
  expect(await runtime.plugins.disable("acme")).toBe(true);
  expect(await runtime.plugins.disable("acme")).toBe(false);
  expect((await session.call("acme__search")).error?.code).toBe("not_found");
  expect(order).toEqual(['register {"key":1}', "start", "call acme__search", "stop"]);
});

test("a plugin's word about its tools can raise and never lowers", async () => {
  const runtime = createRuntime();
  await runtime.plugins.enable({
    name: "acme",
    version: "1.0.0",
    tools: [tool("calm", { approval: "preApproved" }), tool("reads", { capabilities: ["read"] })],
  });
  const session = runtime.open();
  for (const name of ["acme__calm", "acme__reads"]) expect((await session.call(name)).error?.code).toBe("denied");
});

test("a plugin that fails in register or start leaves nothing behind, and names itself", async () => {
  const runtime = createRuntime();
  const stop = vi.fn();
  const broken = (step: "register" | "start") => ({
    name: "broken",
    version: "1.0.0",
    tools: [tool("t")],
    stop,
    [step]: () => Promise.reject(new Error("no key")),
  });
  for (const step of ["register", "start"] as const) {
    await expect(runtime.plugins.enable(broken(step))).rejects.toThrow(`Plugin "broken" failed in ${step}: no key`);
    expect(runtime.tools.get("broken__t")).toBeUndefined();
    expect(runtime.plugins.names).toEqual([]);
  }
});

test("two plugins cannot make one name: the separator is not allowed inside a name", async () => {
  const runtime = createRuntime();
  await expect(runtime.plugins.enable({ name: "a__b", version: "1.0.0", tools: [tool("c")] })).rejects.toThrow(
    /must not hold "__"/,
  );
  await expect(runtime.plugins.enable({ name: "a", version: "1.0.0", tools: [tool("b__c")] })).rejects.toThrow(
    /must not hold "__"/,
  );
});

test("a plugin's tool named like a built-in does not hide it", async () => {
  const runtime = createRuntime();
  await runtime.plugins.enable({ name: "acme", version: "1.0.0", tools: [tool("vfs_read")] });
  expect(
    runtime
      .open()
      .list()
      .filter(({ name }) => name.endsWith("vfs_read"))
      .map(({ name }) => name),
  ).toEqual(["acme__vfs_read", "vfs_read"]);
});

test("settings are checked against the plugin's schema, with defaults", async () => {
  const runtime = createRuntime();
  const register = vi.fn();
  const settingsSchema = { type: "object", properties: { limit: { type: "integer", default: 3 } } };
  await expect(
    runtime.plugins.enable({ name: "p", version: "1.0.0", settingsSchema, register }, { limit: "x" }),
  ).rejects.toThrow(/settings of plugin "p"[^]*\/limit/);
  await runtime.plugins.enable({ name: "p", version: "1.0.0", settingsSchema, register });
  expect(register).toHaveBeenCalledWith({ settings: { limit: 3 } });
});
