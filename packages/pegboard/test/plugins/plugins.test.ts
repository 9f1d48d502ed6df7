import type { Plugin } from "@pegboard/contract";
import { expect, test, vi } from "vitest";
import { createRuntime, definePlugin, defineTool } from "../../src/index.ts";

const tool = (name: string, more: object = {}) =>
  defineTool({ name, description: `does ${name}`, input: { type: "object" }, execute: () => name, ...more });

const agent = { name: "helper", description: "helps", instructions: "Help." };

const states: Map<string, unknown>[] = [];

const acme: Plugin = definePlugin({
  name: "acme",
  version: "1.0.0",
  tools: [tool("search"), tool("fetch")],
  agents: [agent],
  skills: [{ name: "brew", description: "brews", read: () => "Boil water." }],
  commands: [{ name: "tea", description: "makes tea", prompt: "Make tea." }],
  register: ({ state }) => ({
    beforeCall: () => void state.set("seen", "before"),
    afterCall: () => void state.set("seen", `${String(state.get("seen"))} after`),
  }),
  start: ({ state }) => void states.push(state),
});

test("a plugin brings its tools, agents, skills, commands and hooks under its name, and takes them away", async () => {
  const runtime = createRuntime();
  await runtime.plugins.add({ plugin: acme, origin: { format: "pegboard", file: "/acme/plugin.json" } });
  expect(runtime.tools.find("acme__search")).toMatchObject({
    layer: "plugin",
    source: { kind: "plugin", id: "acme", plugin: "acme", file: "/acme/plugin.json" },
  });
  const there = async () => [
    runtime.tools.names().filter((name) => name.startsWith("acme")),
    (await runtime.agents.find("acme/helper"))?.source.plugin,
    runtime.skills.list().map(({ id }) => id),
    runtime.commands.list().map(({ id }) => id),
    runtime.plugins.hooks.map(({ plugin }) => plugin),
  ];
  const all = await there();
  expect(all).toEqual([["acme__search", "acme__fetch"], "acme", ["acme:brew"], ["acme:tea"], ["acme"]]);
  await runtime.plugins.disable("acme");
  expect(await there()).toEqual([[], undefined, [], [], []]);
  await runtime.plugins.enable("acme");
  expect(await there()).toEqual(all);
});

test("A3-22: disabling a plugin takes its tools and hooks away without a restart, and a call that runs ends as it began", async () => {
  const runtime = createRuntime({ approve: "all" });
  const gate = Promise.withResolvers<void>();
  const beforeCall = vi.fn();
  const slow = tool("slow", { execute: () => gate.promise.then(() => "done") });
  await runtime.plugins.add({
    plugin: { name: "p", version: "1.0.0", tools: [slow], register: () => ({ beforeCall }) },
  });
  const session = runtime.open();
  const running = session.call("p__slow");
  await vi.waitFor(() => expect(beforeCall).toHaveBeenCalledOnce());
  expect(await runtime.plugins.disable("p")).toMatchObject({ status: "disabled", reason: "switched off" });
  expect((await session.call("p__slow")).error?.code).toBe("not_found");
  await session.call("vfs_list", { prefix: "" });
  expect(beforeCall).toHaveBeenCalledOnce();
  gate.resolve();
  expect((await running).content).toEqual([{ type: "text", text: "done" }]);
  await expect(runtime.plugins.disable("q")).rejects.toThrow('There is no plugin "q"');
});

test("A2-47: the tools of a disabled plugin are gone from lists that were made before, and clients are told", async () => {
  const runtime = createRuntime();
  const { skills: _, ...rest } = acme;
  await runtime.plugins.add({ plugin: rest });
  const session = runtime.open();
  const names = () => session.list().flatMap(({ name }) => (name.startsWith("acme") ? name : []));
  await session.call("vfs_list", { prefix: "" });
  expect(names()).toEqual(["acme__fetch", "acme__search"]);
  await runtime.plugins.disable("acme");
  expect(names()).toEqual([]);
  await vi.waitFor(async () =>
    expect(await runtime.store.read({ session: session.id, type: "tools-change" })).toMatchObject([
      { data: { added: [], removed: ["acme__search", "acme__fetch"] } },
    ]),
  );
});

test("single parts of a plugin are switched off and on while it runs", async () => {
  const runtime = createRuntime();
  const [view] = await runtime.plugins.add({ plugin: acme, off: { tools: ["fetch"], hooks: ["afterCall"] } });
  expect(view!.components).toEqual([
    { kind: "tools", name: "search" },
    { kind: "tools", name: "fetch", off: true },
    { kind: "agents", name: "helper" },
    { kind: "skills", name: "brew" },
    { kind: "commands", name: "tea" },
    { kind: "hooks", name: "beforeCall" },
    { kind: "hooks", name: "afterCall", off: true },
  ]);
  const tools = () => runtime.tools.names().filter((name) => name.startsWith("acme"));
  const session = runtime.open();
  const points = async () => {
    await session.call("vfs_list", { prefix: "" });
    return states.at(-1)!.get("seen");
  };
  expect([tools(), await points()]).toEqual([["acme__search"], "before"]);
  await runtime.plugins.switch("acme", { tools: ["search"], agents: ["helper"], skills: ["brew"] });
  expect([tools(), await points()]).toEqual([["acme__fetch"], "before after"]);
  expect(await runtime.agents.find("helper")).toBeUndefined();
  expect(runtime.skills.list()).toEqual([]);
  await runtime.plugins.switch("acme", { tools: ["search", "fetch"] });
  expect(tools()).toEqual([]);
  await runtime.plugins.switch("acme", {});
  expect(tools()).toEqual(["acme__search", "acme__fetch"]);
  expect(await runtime.agents.find("helper")).toBeDefined();
  await runtime.plugins.remove("acme");
  expect(tools()).toEqual([]);
});

test("what is switched off while a plugin is down stays off when it comes", async () => {
  const runtime = createRuntime();
  await runtime.plugins.add({ plugin: acme, disabled: "not yet" });
  await runtime.plugins.switch("acme", { tools: ["search"] });
  await runtime.plugins.enable("acme");
  expect(runtime.tools.get("acme__search")).toBeUndefined();
  expect(runtime.tools.get("acme__fetch")).toBeDefined();
});

test("a plugin's word about its tools can raise and never lowers", async () => {
  const runtime = createRuntime();
  const tools = [tool("calm", { approval: "preApproved" }), tool("reads", { capabilities: ["read"] })];
  await runtime.plugins.add({ plugin: { name: "acme", version: "1.0.0", tools } });
  const session = runtime.open();
  for (const name of ["acme__calm", "acme__reads"]) expect((await session.call(name)).error?.code).toBe("denied");
});

test("a plugin's tool named like a built-in does not hide it", async () => {
  const runtime = createRuntime();
  await runtime.plugins.add({ plugin: { name: "acme", version: "1.0.0", tools: [tool("vfs_read")] } });
  const names = runtime
    .open()
    .list()
    .flatMap(({ name }) => (name.endsWith("vfs_read") ? name : []));
  expect(names).toEqual(["acme__vfs_read", "vfs_read"]);
});

test("whoever listens is told of every change, and no more when disposed", async () => {
  const runtime = createRuntime();
  const seen: string[] = [];
  const listening = runtime.plugins.onChange(() => seen.push(runtime.plugins.get("acme")?.status ?? "none"));
  await runtime.plugins.add({ plugin: acme });
  await runtime.plugins.disable("acme");
  await runtime.plugins.remove("acme");
  expect(new Set(seen)).toEqual(new Set(["healthy", "disabled", "none"]));
  const { length } = seen;
  listening[Symbol.dispose]();
  await runtime.plugins.add({ plugin: acme });
  expect(seen.length).toBe(length);
});

test("what could not be read of a plugin degrades it, and the rest of it works", async () => {
  const runtime = createRuntime();
  const missing = { severity: "error", code: "missing", message: "agents/x.md cannot be read" } as const;
  const [view] = await runtime.plugins.add({ plugin: acme, diagnostics: [missing] });
  expect(view).toMatchObject({ status: "degraded", reason: missing.message, diagnostics: [missing] });
  expect(runtime.tools.get("acme__search")).toBeDefined();
});

test("a plugin's MCP servers are handed on, and what is wrong with one degrades the plugin", async () => {
  const told: string[] = [];
  let tell: ((problem?: string) => void) | undefined;
  const runtime = createRuntime({
    plugins: {
      mcpServer(name, server, owner, report) {
        told.push(`${owner.plugin} ${name} ${"url" in server ? server.url : server.command}`);
        tell = report;
        return { [Symbol.dispose]: () => void told.push(`no ${name}`) };
      },
    },
  });
  const plugin = { name: "p", version: "1.0.0", mcpServers: { docs: { url: "http://localhost:1" } } };
  await runtime.plugins.add({ plugin });
  tell!("it does not answer");
  expect(runtime.plugins.get("p")).toMatchObject({ status: "degraded", reason: "it does not answer" });
  tell!();
  expect(runtime.plugins.get("p")?.status).toBe("healthy");
  await runtime.plugins.switch("p", { mcpServers: ["docs"] });
  expect(told).toEqual(["p docs http://localhost:1", "no docs"]);
});
