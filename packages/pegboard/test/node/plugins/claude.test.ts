import { mkdirSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { expect, test } from "vitest";
import { readClaudePlugin } from "../../../src/node/plugins/claude.ts";
import type { ReadPlugin } from "../../../src/node/plugins/read-plugin.ts";
import { makePlugin } from "./plugin-files.ts";

const MANIFEST = ".claude-plugin/plugin.json";
const AGENT =
  "---\nname: reviewer\ndescription: Reviews code\ntools: Read, Grep\n---\n\nYou review. See ${CLAUDE_PLUGIN_ROOT}/rules.md\n";
const COMMAND =
  "---\ndescription: Reviews a file\nargument-hint: <file>\n---\n\nReview $1 by ${CLAUDE_PLUGIN_ROOT}/rules.md\n";
const SKILL = "---\nname: style\ndescription: House style\n---\n\nRead ${CLAUDE_SKILL_DIR}/long.md\n";

async function read(files: Parameters<typeof makePlugin>[0], env?: Record<string, string>) {
  const { folder, deps } = makePlugin({ [MANIFEST]: '{"name":"acme"}', ...files });
  return { ...(await readClaudePlugin(folder, { ...deps, ...(env && { env }) })), root: folder.root, deps };
}

function reportOn({ reports }: ReadPlugin, end: string) {
  return reports.find(({ path }) => path.endsWith(end))!;
}

function codes({ diagnostics }: ReadPlugin): string[] {
  return diagnostics.map(({ code }) => code);
}

test("A2-48: a Claude plugin loads with its agents, commands, skills and servers, and knows where it is", async () => {
  const { root, deps, ...plugin } = await read({
    [MANIFEST]: JSON.stringify({
      name: "acme",
      version: "1.2.0",
      description: "Reviews",
      author: "Ada",
      keywords: ["a"],
    }),
    "agents/reviewer.md": AGENT,
    "commands/review.md": COMMAND,
    "commands/git/commit.md": "Commit.\n",
    "skills/style/SKILL.md": SKILL,
    "skills/style/long.md": "Be brief.",
    ".mcp.json": JSON.stringify({
      mcpServers: {
        db: { command: "${CLAUDE_PLUGIN_ROOT}/bin/db", args: ["--home", "${HOME}", "--key", "${ACME_KEY}"] },
      },
    }),
  });
  const { plugin: it, origin } = plugin.loaded!;
  expect(it).toMatchObject({ name: "acme", version: "1.2.0", description: "Reviews" });
  expect(origin).toMatchObject({ format: "claude", folder: root, file: join(root, MANIFEST) });
  expect(origin.digest).toMatch(/^sha256:[0-9a-f]{64}$/);
  expect(it.agents).toMatchObject([{ name: "reviewer", tools: ["read_file", "search_files"] }]);
  expect(it.agents![0]!.instructions).toBe(`You review. See ${root}/rules.md`);
  expect(it.commands).toMatchObject([
    { name: "git-commit" },
    { name: "review", prompt: `Review $1 by ${root}/rules.md` },
  ]);
  expect(it.skills).toMatchObject([{ name: "style", description: "House style" }]);
  expect(await it.skills![0]!.read()).toBe(`Read ${root}/skills/style/long.md`);
  expect(await it.skills![0]!.list!()).toEqual(["long.md"]);
  const data = join(deps.environments, "..", "plugin-data", "acme");
  expect(it.mcpServers).toEqual({
    db: {
      command: `${root}/bin/db`,
      args: ["--home", "${HOME}", "--key", "${ACME_KEY}"],
      env: { CLAUDE_PLUGIN_ROOT: root, CLAUDE_PLUGIN_DATA: data },
    },
  });
  expect(plugin.diagnostics).toMatchObject([
    { severity: "warning", code: "unset_variable", message: expect.stringContaining("ACME_KEY") as string },
  ]);
});

test("A2-48: a variable of the environment that is set, or has a default, is not warned of", async () => {
  const servers = { mcpServers: { a: { command: "a", args: ["${KEY}", "${OTHER:-none}"] } } };
  expect(codes(await read({ ".mcp.json": JSON.stringify(servers) }, { KEY: "x" }))).toEqual([]);
});

test("servers are found bare, in the manifest, and in a file that it names", async () => {
  const { loaded } = await read({
    [MANIFEST]: JSON.stringify({
      name: "acme",
      mcpServers: ["./more.json", { inline: { url: "https://a.example/mcp" } }],
    }),
    ".mcp.json": '{"bare":{"command":"one"}}',
    "more.json": '{"mcpServers":{"two":{"command":"two"}}}',
  });
  expect(Object.keys(loaded!.plugin.mcpServers!).sort()).toEqual(["bare", "inline", "two"]);
});

test("the tools of its own servers are named as they are called here", async () => {
  const { loaded } = await read({
    ".mcp.json": '{"db":{"command":"db"}}',
    "agents/a.md":
      "---\nname: a\ndescription: d\ntools: mcp__plugin_acme_db__query, mcp__db__list, mcp__other__x\n---\n\nGo.\n",
    "commands/c.md": "---\ndescription: d\nallowed-tools: mcp__db__list\ndisallowed-tools: mcp__db__drop\n---\n\nGo.\n",
  });
  const { agents, commands } = loaded!.plugin;
  expect(agents![0]!.tools).toEqual(["acme-db__query", "acme-db__list", "other__x"]);
  expect(commands![0]!.tools).toEqual(["acme-db__list", "!acme-db__drop"]);
});

test("paths of agents and commands stand instead of the usual folders, those of skills besides them", async () => {
  const { loaded } = await read({
    [MANIFEST]: JSON.stringify({
      name: "acme",
      agents: ["./team/reviewer.md"],
      commands: "./cmd/",
      skills: ["./extra/deep"],
    }),
    "agents/other.md": AGENT.replace("reviewer", "other"),
    "team/reviewer.md": AGENT,
    "commands/hidden.md": "Hidden.",
    "cmd/shown.md": "Shown.",
    "skills/style/SKILL.md": SKILL,
    "extra/deep/SKILL.md": SKILL.replace("name: style", "name: deep"),
  });
  const { agents, commands, skills } = loaded!.plugin;
  expect([agents, commands, skills].map((list) => list!.map(({ name }) => name))).toEqual([
    ["reviewer"],
    ["shown"],
    ["style", "deep"],
  ]);
});

test.each([
  ["wrapped", '{"description":"d","hooks":{"PreToolUse":[{"hooks":[{"type":"command","command":"x"}]}]}}'],
  ["bare", '{"PreToolUse":[{"type":"command","command":"x"}]}'],
  ["a list", '[{"event":"PreToolUse","command":"x"}]'],
])("hooks are reported as not run, %s", async (_, hooks) => {
  const plugin = await read({ "hooks/hooks.json": hooks });
  expect(reportOn(plugin, "hooks.json")).toMatchObject({
    kind: "hooks",
    loaded: false,
    fields: [{ field: "hooks.PreToolUse", became: "ignored", note: "not run yet" }],
    diagnostics: [{ severity: "warning", code: "hooks_not_run" }],
  });
  expect(plugin.loaded).toBeDefined();
});

test("one bad file costs itself alone and is named", async () => {
  const plugin = await read({
    "agents/reviewer.md": AGENT,
    "agents/gone.md": { link: "nowhere.md" },
    "skills/style/SKILL.md": SKILL,
    "skills/again/SKILL.md": SKILL,
    "commands/none.md": "---\ndescription: d\n---\n",
    ".mcp.json": "{",
  });
  const { agents, skills, commands, mcpServers } = plugin.loaded!.plugin;
  expect([agents, skills, commands].map((list) => list!.map(({ name }) => name))).toEqual([
    ["reviewer"],
    ["style"],
    [],
  ]);
  expect(mcpServers).toEqual({});
  expect(codes(plugin).sort()).toEqual(["duplicate", "empty_body", "json_syntax", "not_loaded"]);
  expect(reportOn(plugin, "style/SKILL.md").loaded).toBe(false);
});

test("nothing is read that a link or a path leads out to", async () => {
  const plugin = await read({
    [MANIFEST]: JSON.stringify({ name: "acme", commands: "../secret", mcpServers: "../servers.json" }),
    "skills/out": { link: "/etc" },
    "skills/style/SKILL.md": SKILL,
    "skills/style/passwd": { link: "/etc/passwd" },
    "agents/passwd.md": { link: "/etc/passwd" },
  });
  const { skills, agents, commands } = plugin.loaded!.plugin;
  expect([skills!.length, agents!.length, commands!.length]).toEqual([1, 0, 0]);
  expect(await skills![0]!.list!()).toEqual([]);
  await expect(async () => skills![0]!.readFile!("passwd")).rejects.toThrow(/no file "passwd"/);
  await expect(async () => skills![0]!.readFile!("../../.claude-plugin/plugin.json")).rejects.toThrow(/no file/);
  expect(plugin.diagnostics.every(({ severity }) => severity === "error")).toBe(true);
  expect(plugin.diagnostics.map(({ file }) => basename(file!)).sort()).toEqual([
    "out",
    "passwd.md",
    "secret",
    "servers.json",
  ]);
});

test("a link that stays inside is followed, and skill.md counts with a word about it", async () => {
  const plugin = await read({
    "common/style.md": SKILL,
    "skills/style/SKILL.md": { link: "../../common/style.md" },
    "skills/small/skill.md": SKILL.replace("name: style", "name: small"),
  });
  expect(plugin.loaded!.plugin.skills!.map(({ name }) => name)).toEqual(["small", "style"]);
  expect(reportOn(plugin, "skill.md").diagnostics).toMatchObject([{ code: "file_name" }]);
});

test("a link to a skill that several plugins share is followed inside of the workspace, and to nothing else", async () => {
  const { folder, deps, outside } = makePlugin({
    [MANIFEST]: '{"name":"acme"}',
    "skills/style": { link: "../../skills/style" },
    "skills/file/SKILL.md": { link: "../../../skills/other/SKILL.md" },
    "skills/notes/SKILL.md": { link: "../../../notes.md" },
    "skills/all": { link: "../.." },
  });
  for (const name of ["style", "other"]) {
    mkdirSync(join(outside, "skills", name), { recursive: true });
    writeFileSync(join(outside, "skills", name, "SKILL.md"), SKILL.replace("name: style", `name: ${name}`));
  }
  for (const file of ["notes.md", "SKILL.md"]) writeFileSync(join(outside, file), SKILL);
  const shared = await readClaudePlugin(folder, { ...deps, around: outside });
  expect(shared.loaded!.plugin.skills!.map(({ name }) => name)).toEqual(["other", "style"]);
  expect(reportOn(shared, "skills/style")).toMatchObject({ loaded: true, name: "style" });
  expect((await readClaudePlugin(folder, deps)).loaded!.plugin.skills).toEqual([]);
});

test("what people are asked for is settings with their types, and each is told", async () => {
  const plugin = await read({
    [MANIFEST]: JSON.stringify({
      name: "acme",
      userConfig: {
        region: { type: "string", title: "Region", default: "eu" },
        token: { type: "string", description: "Of the API", sensitive: true, required: true },
        most: { type: "number", min: 1, max: 9, default: "5" },
        loud: { type: "boolean" },
        home: { type: "directory" },
        list: { type: "file", multiple: true },
        when: { type: "date" },
        "no-name": { type: "string" },
        none: 1,
      },
    }),
  });
  expect(plugin.loaded!.plugin.settingsSchema).toEqual({
    type: "object",
    properties: {
      region: { type: "string", description: "Region", default: "eu" },
      token: { type: "string", description: "Of the API", writeOnly: true },
      most: { type: "number", minimum: 1, maximum: 9, default: 5 },
      loud: { type: "boolean" },
      home: { type: "string" },
      list: { type: "string" },
    },
    required: ["token"],
    additionalProperties: false,
  });
  const became = reportOn(plugin, "plugin.json").fields.map(({ field, became: what }) => [field, what]);
  expect(Object.fromEntries(became)).toMatchObject({
    userConfig: "mapped",
    "userConfig.token": "mapped",
    "userConfig.list": "approximated",
    "userConfig.when": "ignored",
    "userConfig.no-name": "ignored",
    "userConfig.none": "ignored",
  });
});

test("settings take their places in servers and texts, secrets in servers alone; one that is no setting leaves its server out", async () => {
  const token = { type: "string", sensitive: true };
  const plugin = await read({
    [MANIFEST]: JSON.stringify({
      name: "acme",
      userConfig: { region: { default: "eu" }, token, home: { type: "directory" } },
    }),
    "agents/a.md": "---\nname: a\ndescription: d\n---\nIn ${user_config.region}, not ${user_config.token}.\n",
    "commands/c.md": "Go to ${user_config.region}\n",
    "skills/s/SKILL.md": "---\nname: s\ndescription: d\n---\nLook in ${user_config.home}\n",
    ".mcp.json": JSON.stringify({
      a: { command: "a", args: ["${user_config.region}", "${KEY:-}"], env: { TOKEN: "${user_config.token}" } },
      b: {
        url: "https://${user_config.region}.example/mcp",
        headers: { Authorization: "Bearer ${user_config.token}" },
      },
      c: { command: "c", args: ["${user_config.other}"] },
    }),
  });
  expect(codes(plugin)).toEqual(["missing_setting"]);
  const { plugin: it } = plugin.loaded!;
  expect(it.mcpServers).toMatchObject({ a: { args: ["${user_config.region}", "${KEY:-}"] } });
  const unset = plugin.fill!(it, {});
  expect(unset.mcpServers).toEqual({});
  expect(unset.problems["a"]).toContain("pegboard plugin config acme --secret token");
  const filled = plugin.fill!(it, { token: "secret://t", home: "." });
  expect(filled.mcpServers).toMatchObject({
    a: { args: ["eu", "${KEY:-}"], env: { TOKEN: "secret://t" } },
    b: { url: "https://eu.example/mcp", headers: { Authorization: "Bearer secret://t" } },
  });
  expect(filled.problems).toEqual({});
  expect(filled.agents![0]!.instructions).toBe("In eu, not ${user_config.token}.");
  expect(filled.commands![0]!.prompt).toContain("Go to eu");
  expect(await filled.skills![0]!.read()).toBe(`Look in ${plugin.root}`);
  expect(() => plugin.fill!(it, { region: "${HOME}" })).toThrow("must not hold ${");
  expect(() => plugin.fill!(it, { home: "nowhere" })).toThrow("there is no folder");
});

test.each([
  ["no JSON", "{", "json_syntax"],
  ["a list", "[]", "invalid_value"],
  ["no name", "{}", "not_loaded"],
  ["a name of nothing", '{"name":"///"}', "not_loaded"],
])("a manifest that is %s is no plugin, with one error", async (_, text, code) => {
  const plugin = await read({ [MANIFEST]: text });
  expect(plugin).not.toHaveProperty("loaded");
  expect(plugin.diagnostics).toMatchObject([{ severity: "error", code }]);
});

test("a manifest with a raw control character or a key twice is read, with a warning", async () => {
  expect(codes(await read({ [MANIFEST]: '{"name":"acme","description":"a\tb"}' }))).toEqual(["json_recovered"]);
  expect(codes(await read({ [MANIFEST]: '{"name":"acme","license":"a","license":"b"}' }))).toEqual(["json_recovered"]);
});

test("every field of the manifest is told: taken, for people, or left out and why", async () => {
  const plugin = await read({
    [MANIFEST]: JSON.stringify({ name: "acme.tools", author: { name: "Ada" }, lspServers: {}, hooks: {}, sparkle: 1 }),
  });
  expect(plugin.name).toBe("acme-tools");
  expect(reportOn(plugin, "plugin.json").fields).toEqual([
    { field: "name", became: "approximated", note: "acme-tools" },
    { field: "author", became: "ignored", note: "for people" },
    { field: "lspServers", became: "ignored", note: "there are no language servers" },
    { field: "hooks", became: "ignored", note: "not run yet" },
    { field: "sparkle", became: "ignored", note: "says nothing that Pegboard acts on" },
  ]);
});
