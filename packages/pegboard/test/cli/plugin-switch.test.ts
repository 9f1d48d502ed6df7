import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { CONFIG, kit, makePluginPlace, type PluginPlace } from "./plugin-place.ts";

const inFolder = (files: Readonly<Record<string, string>>) =>
  Object.fromEntries(Object.entries(files).map(([path, text]) => [`plugins/kit/${path}`, text]));

const toolsOf = async (place: PluginPlace): Promise<string[]> => {
  const { tools } = await place.json("list");
  return tools.flatMap(({ name }: { name: string }) => (name.startsWith("kit__") ? name : []));
};

test("a plugin and parts of it are switched in pegboard.yaml, whose comments stay, and the workspace stays trusted", async () => {
  const place = await makePluginPlace(inFolder(kit("1.0.0", ["one", "two"])));
  expect(await place.json("plugin", "disable", "kit", "--tool", "two")).toMatchObject({
    disabled: true,
    changed: true,
    trusted: true,
  });
  expect(await toolsOf(place)).toEqual(["kit__one"]);
  expect(await place.json("plugin", "disable", "kit")).toMatchObject({
    disabled: true,
    file: place.path("pegboard.yaml"),
  });
  expect(await toolsOf(place)).toEqual([]);
  expect(place.read("pegboard.yaml")).toContain("# Calls do not ask here.");
  const line = place.read("pegboard.yaml").split("\n").indexOf("    - kit") + 1;
  expect((await place.json("plugin", "list")).plugins).toMatchObject([
    { name: "kit", status: "disabled", reason: `switched off in ${place.path("pegboard.yaml")}:${line}` },
  ]);
  expect(await place.json("plugin", "disable", "kit")).toMatchObject({ changed: false });
  const asked = await place.run("plugin", "enable", "kit");
  expect(asked).toMatchObject({ code: 3, stderr: expect.stringContaining("+ tool  one") });
  expect(await place.run("plugin", "enable", "kit", "--yes")).toMatchObject({ code: 0 });
  expect(await toolsOf(place)).toEqual(["kit__one"]);
  expect(await place.run("plugin", "enable", "kit", "--tool", "two", "--yes")).toMatchObject({ code: 0 });
  expect(await toolsOf(place)).toEqual(["kit__one", "kit__two"]);
  expect(place.read("pegboard.yaml")).toBe(`${CONFIG}plugins:\n  enabled:\n    - kit\n`);
  expect(await place.json("plugin", "info", "kit")).toMatchObject({
    origin: { enabledBy: { file: place.path("pegboard.yaml"), line: 7 } },
  });
});

test("what a person switches off for themselves is off in every workspace, whatever that says", async () => {
  const place = await makePluginPlace(inFolder(kit("1.0.0", ["one", "two"])));
  const file = join(place.home, "plugins.yaml");
  expect(await place.json("plugin", "disable", "kit", "--user", "--tool", "one")).toMatchObject({ file });
  expect(await toolsOf(place)).toEqual(["kit__two"]);
  expect(await place.run("plugin", "disable", "kit", "--user")).toMatchObject({ code: 0 });
  expect(await place.run("plugin", "enable", "kit", "--yes")).toMatchObject({ code: 0 });
  expect((await place.json("plugin", "list")).plugins).toMatchObject([
    { status: "disabled", reason: expect.stringContaining(file) },
  ]);
  expect(await place.run("plugin", "enable", "kit", "--user", "--yes")).toMatchObject({ code: 0 });
  expect(await toolsOf(place)).toEqual(["kit__two"]);
  expect(readFileSync(file, "utf8")).not.toContain("disabled");
});

test("a plugin that comes with Pegboard is switched on by its name, and a name that nothing has is an error", async () => {
  const place = await makePluginPlace();
  expect(await place.run("plugin", "enable", "validation", "--yes")).toMatchObject({ code: 0 });
  expect((await place.json("plugin", "list")).plugins).toMatchObject([{ name: "validation", installed: "bundled" }]);
  const typo = await place.run("plugin", "disable", "validatoin");
  expect(typo).toMatchObject({ code: 1, stderr: expect.stringContaining('did you mean "validation"?') });
});

test("settings are shown with where they come from, kept, and taken away; a secret never stands on a command line", async () => {
  const config = {
    properties: {
      region: { type: "string", description: "Where", default: "us" },
      retries: { type: "integer" },
      token: { type: "string", secret: true, required: true },
    },
  };
  const place = await makePluginPlace(inFolder(kit("1.0.0", ["one"], { config })));
  expect((await place.json("plugin", "config", "kit")).settings).toMatchObject([
    { key: "region", value: "us", from: "default" },
    { key: "retries", required: false },
    { key: "token", required: true, secret: true, missing: true },
  ]);
  expect((await place.json("plugin", "list")).plugins).toMatchObject([{ reason: expect.stringContaining("token") }]);
  const open = await place.run("plugin", "config", "kit", "token=abc");
  expect(open).toMatchObject({ code: 2, stderr: expect.stringContaining("--secret token") });
  const unknown = await place.run("plugin", "config", "kit", "colour=red");
  expect(unknown).toMatchObject({ code: 2, stderr: expect.stringContaining("there are: region, retries, token") });
  const TOKEN = "tok_EXAMPLE_0123456789";
  const set = await place.runWith({ stdin: `${TOKEN}\n` }, "plugin", "config", "kit", "retries=3", "--secret", "token");
  expect(set.code).toBe(0);
  expect(set.stdout + set.stderr).not.toContain(TOKEN);
  expect((await place.json("plugin", "config", "kit")).settings).toMatchObject([
    {},
    { value: 3, from: "stored" },
    { value: "***", from: "stored" },
  ]);
  expect(readFileSync(join(place.home, "plugin-settings.json"), "utf8")).not.toContain(TOKEN);
  expect((await place.json("plugin", "list")).plugins).toMatchObject([{ status: "healthy" }]);
  expect((await place.json("plugin", "config", "kit", "--unset", "token")).settings).toMatchObject([
    {},
    {},
    { missing: true },
  ]);
  expect(await place.json("secret", "list")).toEqual([]);
});

test("A2-14: a setting of the wrong type, or a path that is not there, is refused and not kept", async () => {
  const properties = { retries: { type: "integer" }, loud: { type: "boolean" }, notes: { type: "filepath" } };
  const place = await makePluginPlace(inFolder(kit("1.0.0", ["one"], { config: { properties } })));
  place.write("plugins/kit/notes.txt", "x");
  await place.run("trust", "--yes");
  for (const [pair, message] of [
    ["retries=many", /\/retries: must be integer/],
    ["loud=perhaps", /\/loud: must be boolean/],
    ["notes=none.txt", /notes \(there is no file .*none\.txt\)/],
  ] as const) {
    const { code, stdout, stderr } = await place.run("plugin", "config", "kit", pair);
    expect([pair, code, stdout]).toEqual([pair, 2, ""]);
    expect(stderr).toMatch(message);
  }
  expect((await place.json("plugin", "config", "kit")).settings).not.toContainEqual(
    expect.objectContaining({ from: "stored" }),
  );
  const kept = await place.run("plugin", "config", "kit", "retries=2", "loud=yes", "notes=notes.txt");
  expect(kept.code).toBe(0);
  expect((await place.json("plugin", "list")).plugins).toMatchObject([{ status: "healthy" }]);
});

test("info shows one plugin whole: what it brings, what it runs, and what is wrong with it", async () => {
  const place = await makePluginPlace(inFolder(kit("1.0.0", ["one"])));
  const { stdout } = await place.run("plugin", "info", "kit");
  for (const text of [
    "kit 1.0.0",
    "healthy",
    "own, not locked",
    'tool one: ["node","run.js"]',
    place.path("plugins/kit"),
  ])
    expect(stdout).toContain(text);
  expect(stdout).not.toContain("\u001b");
  place.write("plugins/kit/plugin.json", "{ broken");
  expect(await place.json("plugin", "info", "kit", "--trust")).toMatchObject({
    status: "failed",
    diagnostics: [{ severity: "error" }],
  });
  expect(await place.run("plugin", "info", "kti")).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('did you mean "kit"?'),
  });
});

test("what a Claude plugin asks people for is shown and set like any settings", async () => {
  const place = await makePluginPlace();
  const userConfig = {
    region: { type: "string", title: "Where", required: true },
    token: { type: "string", sensitive: true },
  };
  const source = place.plugin("acme", {
    ".claude-plugin/plugin.json": JSON.stringify({ name: "acme", version: "1.0.0", userConfig }),
    "skills/s/SKILL.md": "---\nname: s\ndescription: d\n---\nIn ${user_config.region}\n",
  });
  await place.run("plugin", "add", source, "--yes");
  const [before] = (await place.json("plugin", "list")).plugins;
  expect(before).toMatchObject({ status: "failed", reason: expect.stringContaining("pegboard plugin config acme") });
  await place.run("plugin", "config", "acme", "region=eu");
  await place.runWith({ stdin: "tok_EXAMPLE_0123456789\n" }, "plugin", "config", "acme", "--secret", "token");
  expect((await place.json("plugin", "config", "acme")).settings).toEqual([
    { key: "region", type: "string", description: "Where", required: true, secret: false, value: "eu", from: "stored" },
    { key: "token", type: "string", required: false, secret: true, value: "***", from: "stored" },
  ]);
  expect((await place.json("plugin", "list")).plugins).toMatchObject([{ status: "healthy" }]);
});
