import type { Json, Plugin } from "@pegboard/contract";
import { expect, test, vi } from "vitest";
import { createRuntime, defineTool } from "../../src/index.ts";

const tool = defineTool({ name: "t", description: "does t", input: { type: "object" }, execute: () => "t" });

const settingsSchema = {
  type: "object",
  required: ["key", "region"],
  properties: {
    key: { type: "string" },
    region: { type: "string" },
    limit: { type: "integer", default: 3 },
    mail: { type: "object", required: ["to"] },
  },
};

const plugin = (name: string, more: Partial<Plugin> = {}): Plugin => ({
  name,
  version: "1.0.0",
  tools: [tool],
  settingsSchema,
  ...more,
});

const WHOLE = { key: "k", region: "eu" };

test("A2-13: without required settings a plugin is there without its tools, its status names them, and they come without a restart", async () => {
  const runtime = createRuntime({ approve: "all" });
  const register = vi.fn();
  const session = runtime.open();
  const [view] = await runtime.plugins.add({ plugin: plugin("p", { register }), settings: { mail: {} } });
  expect(view).toMatchObject({
    status: "failed",
    reason:
      'Plugin "p" needs settings: key, region, mail/to. Set them with: pegboard plugin config p key=… region=… mail=…',
    components: [{ kind: "tools", name: "t" }],
  });
  expect(register).not.toHaveBeenCalled();
  expect((await session.call("p__t")).error?.code).toBe("not_found");
  expect(await runtime.plugins.configure("p", WHOLE)).toMatchObject({ status: "healthy" });
  expect(register).toHaveBeenCalledExactlyOnceWith(expect.objectContaining({ settings: { ...WHOLE, limit: 3 } }));
  expect((await session.call("p__t")).ok).toBe(true);
});

test("settings that are wrong are told of with the place, not with the value", async () => {
  const runtime = createRuntime();
  const [view] = await runtime.plugins.add({ plugin: plugin("p"), settings: { ...WHOLE, limit: "hunter2" } });
  expect(view).toMatchObject({ status: "failed", reason: expect.stringContaining("/limit: must be integer") });
  expect(view!.reason).not.toContain("hunter2");
});

test("A3-23: other settings take effect at once and only their plugin is told; wrong ones leave the old", async () => {
  const runtime = createRuntime();
  const told: unknown[] = [];
  const seen: Record<string, () => Json> = {};
  const listening = (name: string) =>
    plugin(name, {
      register: (host) => {
        seen[name] = () => host.settings;
        return { settingsChanged: (settings) => void told.push([name, settings]) };
      },
    });
  await runtime.plugins.add({ plugin: listening("a"), settings: WHOLE }, { plugin: listening("b"), settings: WHOLE });
  await runtime.plugins.configure("a", { ...WHOLE, limit: 5 });
  expect(told).toEqual([["a", { ...WHOLE, limit: 5 }]]);
  expect(seen["a"]!()).toEqual({ ...WHOLE, limit: 5 });
  expect(seen["b"]!()).toEqual({ ...WHOLE, limit: 3 });
  await expect(runtime.plugins.configure("a", { key: "k" })).rejects.toMatchObject({
    code: "invalid_config",
    message: 'Plugin "a" needs settings: region. Set them with: pegboard plugin config a region=…',
  });
  expect(seen["a"]!()).toEqual({ ...WHOLE, limit: 5 });
  expect(told).toHaveLength(1);
  await runtime.plugins.disable("a");
  await runtime.plugins.enable("a");
  expect(seen["a"]!()).toEqual({ ...WHOLE, limit: 5 });
});

test("a plugin that fails at its new settings is told of and keeps them", async () => {
  const runtime = createRuntime();
  const settingsChanged = () => Promise.reject(new Error("cannot reconnect"));
  await runtime.plugins.add({ plugin: plugin("p", { register: () => ({ settingsChanged }) }), settings: WHOLE });
  const view = await runtime.plugins.configure("p", { ...WHOLE, limit: 4 });
  expect(view.diagnostics).toMatchObject([{ severity: "error", message: expect.stringContaining("cannot reconnect") }]);
});

test("settings of a disabled plugin are kept for when it comes", async () => {
  const runtime = createRuntime();
  const register = vi.fn();
  await runtime.plugins.add({ plugin: plugin("p", { register }), settings: WHOLE, disabled: "not yet" });
  expect(await runtime.plugins.configure("p", { ...WHOLE, limit: 7 })).toMatchObject({ status: "disabled" });
  await runtime.plugins.enable("p");
  expect(register).toHaveBeenCalledExactlyOnceWith(expect.objectContaining({ settings: { ...WHOLE, limit: 7 } }));
});

test("a plugin cannot change its settings, and is handed a copy of what the host has", async () => {
  const runtime = createRuntime();
  const given = { ...WHOLE, mail: { to: "a" } };
  let settings: Json | undefined;
  const register: Plugin["register"] = (host) => void ({ settings } = host);
  await runtime.plugins.add({ plugin: plugin("p", { register }), settings: given });
  expect(() => ((settings as { mail: { to: string } }).mail.to = "b")).toThrow(TypeError);
  expect(given.mail).toEqual({ to: "a" });
});

test("secrets stand in the settings by reference; the plugin gets their values and nobody else sees them", async () => {
  const secrets = { get: async (name: string) => (name === "acme" ? "s3cr3t-value" : undefined) };
  const runtime = createRuntime({ secrets, approve: "all" });
  const tools = [
    {
      name: "show",
      description: "shows its key",
      schema: { type: "object" },
      handler: async ({ settings }: { settings: Json }) => `key ${(settings as { key: string }).key}`,
    },
  ];
  const named = (key: string) => ({ plugin: plugin("p", { tools }), settings: { ...WHOLE, key } });
  expect(await runtime.plugins.add(named("secret://other"))).toMatchObject([
    { status: "failed", reason: expect.stringContaining('The secret "other" is not set') },
  ]);
  await runtime.plugins.configure("p", named("secret://acme").settings);
  const result = await runtime.open().call("p__show");
  expect(JSON.stringify(result)).not.toContain("s3cr3t-value");
  expect(result.content).toMatchObject([{ text: expect.stringMatching(/^key .*acme/) }]);
});
