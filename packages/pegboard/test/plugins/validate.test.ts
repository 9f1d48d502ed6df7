import type { Plugin } from "@pegboard/contract";
import { expect, test } from "vitest";
import { createRuntime } from "../../src/index.ts";
import { checkPlugin } from "../../src/plugins/validate.ts";

const good = { name: "t", description: "does t", schema: { type: "object" }, handler: async () => "" };
const messages = (value: unknown) => checkPlugin(value).map(({ message }) => message);

test("A3-01: everything that is wrong with a plugin is listed together with the module, and the others are loaded", async () => {
  const runtime = createRuntime();
  const file = "/plugins/bad/index.ts";
  const bad = { start: 1, stop: "x", tools: [{}, { name: "t", description: " ", schema: {} }] };
  const [refused, taken] = await runtime.plugins.add(
    { plugin: bad as unknown as Plugin, origin: { format: "module", file } },
    { plugin: { name: "fine", version: "1.0.0", tools: [good] } },
  );
  expect(refused).toMatchObject({ status: "failed", components: [] });
  expect(refused!.reason!.split("\n")).toEqual([
    `${file}: The plugin: name must be a text that is not empty`,
    `${file}: The plugin: version must be a text such as 1.2.3`,
    `${file}: The plugin: start must be a function, it is a number`,
    `${file}: The plugin: stop must be a function, it is a string`,
    `${file}: The plugin: tools[0]: name must be a text that is not empty`,
    `${file}: The plugin: tools[0]: description must be a text that is not empty`,
    `${file}: The plugin: tools[0]: handler must be a function, it is missing`,
    expect.stringContaining(`${file}: The plugin: tools[0]: schema is not usable`),
    `${file}: The plugin: tools[1] "t": description must be a text that is not empty`,
    `${file}: The plugin: tools[1] "t": handler must be a function, it is missing`,
  ]);
  expect(messages({})).toContain(
    "The plugin: it has no register function and brings none of tools, agents, skills, commands, prompts, resources, mcpServers",
  );
  expect(messages({ name: "p", version: "1.0.0", tools: {} })).toEqual([
    'Plugin "p": tools must be a list, it is an object',
  ]);
  expect(taken?.status).toBe("healthy");
  expect(runtime.tools.get("fine__t")).toBeDefined();
});

test("A3-03, HP24, HP26: a second plugin of a name is refused with both places, and so is a plugin with two tools of one name", async () => {
  const runtime = createRuntime();
  const plugin = { name: "a", version: "1.0.0", tools: [good] };
  const views = await runtime.plugins.add(
    { plugin, origin: { format: "module", file: "/one.ts" } },
    { plugin, origin: { format: "module", file: "/two.ts" } },
    { plugin: { name: "b", version: "1.0.0", tools: [good, good] } },
  );
  expect(views.map(({ status }) => status)).toEqual(["healthy", "failed", "failed"]);
  expect(views[1]!.reason).toMatch(/two plugins "a": the one of \/one\.ts stays, the one of \/two\.ts is not taken/);
  expect(views[2]!.reason).toContain('tools[0] and tools[1] "t" have the same name');
  expect(runtime.plugins.list().map(({ name, status }) => [name, status])).toEqual([
    ["a", "healthy"],
    ["a", "failed"],
    ["b", "failed"],
  ]);
  await runtime.plugins.remove("a", "/two.ts");
  expect(runtime.plugins.list().map(({ name, status }) => [name, status])).toEqual([
    ["a", "healthy"],
    ["b", "failed"],
  ]);
  await runtime.plugins.remove("b");
  await runtime.plugins.add({ plugin: { name: "b", version: "1.0.0", tools: [good] } });
  expect(runtime.tools.get("b__t")).toBeDefined();
});

test.each([
  ["a text", "x"],
  ["nothing", undefined],
  ["an array", { type: "array" }],
  ["a list", []],
  ["a type that is none", { type: "object", properties: { a: { type: "strnig" } } }],
])("A3-04: a tool whose schema is %s is refused when the plugin is loaded", (_, schema) => {
  const plugin = { name: "p", version: "1.0.0", tools: [{ ...good, schema }] };
  expect(messages(plugin)).toEqual([expect.stringContaining('Plugin "p": tools[0] "t": schema is not usable: ')]);
});

test.each([
  ["arguments that are no list", { prompts: [{ arguments: 7 }] }, 'prompts[0] "x": arguments must be'],
  ["an argument without a name", { prompts: [{ arguments: [{}] }] }, 'prompts[0] "x": arguments must be'],
  ["an address that is no text", { resources: [{ uri: 7 }] }, 'resources[0] "x": uri must be'],
  ["a type that is no text", { resources: [{ mimeType: {} }] }, 'resources[0] "x": mimeType must be'],
])("%s would break every list that it stands in, and is refused", (_, given, why) => {
  const whole = { name: "x", description: "d", uri: "x://x", get: () => "", read: () => "" };
  const parts = Object.entries(given).map(
    ([kind, list]) => [kind, list.map((one: object) => ({ ...whole, ...one }))] as const,
  );
  expect(messages({ name: "p", version: "1.0.0", ...Object.fromEntries(parts) })).toEqual([
    expect.stringContaining(why),
  ]);
});

test("HP25: a plugin must have a name that can stand before its tools", () => {
  for (const name of ["../a", "a__b", "", "é", 7, "x".repeat(65)])
    expect(messages({ name, version: "1.0.0", tools: [] })).toEqual([expect.stringContaining("name must")]);
  expect(messages({ name: "p".repeat(60), version: "1.0.0", tools: [{ ...good, name: "toolong" }] })).toEqual([
    expect.stringContaining("at most 64 characters"),
  ]);
});

test("HP29: a version that is not semantic is warned of", async () => {
  const runtime = createRuntime();
  const [view] = await runtime.plugins.add({ plugin: { name: "p", version: "latest", tools: [good] } });
  expect(view).toMatchObject({ status: "healthy", diagnostics: [{ severity: "warning" }] });
});

test("HP27: a plugin with more than a thousand tools is refused before any is looked at", () => {
  const tools = Array.from({ length: 100_000 }, () => ({}));
  expect(messages({ name: "p", version: "1.0.0", tools })).toEqual([
    'Plugin "p": tools has 100000 entries; 1000 are the most',
  ]);
});

test("a value that throws when it is read, or is no object at all, is refused and named", async () => {
  const runtime = createRuntime();
  const throws = {
    get name(): string {
      throw new Error("boo");
    },
  };
  for (const value of [throws, null, "x", [], Promise.resolve({})]) {
    const [view] = await runtime.plugins.add({ plugin: value as unknown as Plugin });
    expect(view?.status).toBe("failed");
    expect(view?.reason).toMatch(/^The plugin/);
  }
});

test("agents, skills, commands, servers, settings and hooks of the wrong form are told of", () => {
  const plugin = {
    name: "p",
    version: "1.0.0",
    activation: "sometimes",
    settingsSchema: { type: "nothing" },
    agents: [{ name: "a b" }],
    skills: [{ name: "s", description: "d" }],
    commands: [1],
    mcpServers: { both: { command: "x", url: "y" }, none: {} },
    tools: [{ ...good, audience: "dogs" }],
  };
  expect(messages(plugin)).toEqual([
    'Plugin "p": activation must be "always" or "tagged"',
    expect.stringContaining('Plugin "p": settingsSchema is not usable'),
    'Plugin "p": tools[0] "t": audience must be "agent", "human" or "both"',
    expect.stringContaining('Plugin "p": agents[0] "a b": name must start with a letter'),
    'Plugin "p": agents[0] "a b": description must be a text',
    'Plugin "p": agents[0] "a b": instructions must be a text',
    'Plugin "p": skills[0] "s": read must be a function, it is missing',
    'Plugin "p": commands[0] must be an object, it is a number',
    'Plugin "p": mcpServers "both" must have either a command or a url',
    'Plugin "p": mcpServers "none" must have either a command or a url',
  ]);
});

test("a plugin whose register returns no hooks but something else has failed", async () => {
  const runtime = createRuntime();
  const register = () => "yes" as unknown as undefined;
  const [view] = await runtime.plugins.add({ plugin: { name: "p", version: "1.0.0", register } });
  expect(view).toMatchObject({
    status: "failed",
    reason: "register failed: it returned a string in place of its hooks",
  });
});
