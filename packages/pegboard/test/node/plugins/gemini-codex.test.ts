import { join } from "node:path";
import { expect, test } from "vitest";
import { readCodexPlugin } from "../../../src/node/plugins/codex.ts";
import { readGeminiExtension } from "../../../src/node/plugins/gemini.ts";
import { makePlugin } from "./plugin-files.ts";

const SKILL = "---\nname: style\ndescription: House style\n---\n\nBe brief.\n";

test("an extension of Gemini loads with its agents, commands, skills and servers", async () => {
  const { folder, deps } = makePlugin({
    "gemini-extension.json": JSON.stringify({
      name: "acme",
      version: "1.0.0",
      contextFileName: "GEMINI.md",
      excludeTools: ["run_shell_command"],
      mcpServers: { db: { command: "node", args: ["${extensionPath}${/}db.js", "${workspacePath}"], trust: true } },
    }),
    "agents/reviewer.md": "---\nname: reviewer\ndescription: Reviews\ntools: [read_file]\n---\n\nReview.\n",
    "commands/git/commit.toml": 'description = "Commits"\nprompt = """\nCommit {{args}} after\n!{git diff}\n"""\n',
    "commands/bad.toml": 'prompt = "\\q"\n',
    "skills/style/SKILL.md": SKILL,
    "hooks/hooks.json": '{"hooks":{"BeforeTool":[]}}',
  });
  const read = await readGeminiExtension(folder, deps);
  const { plugin } = read.loaded!;
  expect(plugin.agents).toMatchObject([{ name: "reviewer", tools: ["read_file"] }]);
  expect(plugin.skills).toMatchObject([{ name: "style" }]);
  expect(plugin.commands).toEqual([
    { name: "git-commit", description: "Commits", prompt: "Commit $ARGUMENTS after\n!{git diff}" },
  ]);
  expect(plugin.mcpServers).toMatchObject({ db: { args: [join(folder.root, "db.js"), deps.project] } });
  const became = (end: string) =>
    read.reports.find(({ path }) => path.endsWith(end))!.fields.map((one) => `${one.field} ${one.became}`);
  expect(became("commit.toml")).toEqual(["description mapped", "prompt unsafe"]);
  expect(became("gemini-extension.json")).toContain("excludeTools ignored");
  expect(read.reports.flatMap(({ fields }) => fields)).toContainEqual(
    expect.objectContaining({ field: "mcpServers.db.trust", became: "unsafe" }),
  );
  expect(read.diagnostics.map(({ code }) => code).sort()).toEqual(["hooks_not_run", "toml_syntax"]);
});

test("the policies of an extension of Gemini are told rule by rule, and none is in force", async () => {
  const { folder, deps } = makePlugin({
    "gemini-extension.json": '{"name":"acme"}',
    "policies/a.toml": `
[[rule]]
toolName = "run_shell_command"
commandPrefix = "rm -rf"
decision = "deny"
[[rule]]
mcpName = "db"
toolName = "drop"
decision = "ask_user"
[[rule]]
toolName = "write_file"
decision = "allow"
[[rule]]
toolName = "glob"
[[safety_checker]]
toolName = "write_file"
`,
    "policies/bad.toml": "rule = [",
    "policies/notes.md": "nothing",
  });
  const { reports, diagnostics, loaded } = await readGeminiExtension(folder, deps);
  expect(loaded).toBeDefined();
  const [policy] = reports.filter(({ kind }) => kind === "policy");
  expect(policy!.fields).toEqual([
    {
      field: "rule[0]",
      became: "ignored",
      note: 'not in force; a rule of the policy would be: { tool: "shell", approval: blocked } (there for certain inputs only: commandPrefix)',
    },
    {
      field: "rule[1]",
      became: "ignored",
      note: 'not in force; a rule of the policy would be: { tool: "db__drop", approval: ask }',
    },
    { field: "rule[2]", became: "unsafe", note: "only the operator allows something" },
    { field: "rule[3]", became: "ignored", note: "it decides nothing" },
    { field: "safety_checker", became: "ignored", note: "says nothing that Pegboard acts on" },
  ]);
  expect(diagnostics.map(({ code }) => code)).toEqual(["policy_not_applied", "policy_not_applied", "toml_syntax"]);
});

test("a plugin of Codex loads with its skills and servers", async () => {
  const { folder, deps } = makePlugin({
    ".codex-plugin/plugin.json": JSON.stringify({
      name: "acme",
      version: "2.0.0",
      skills: "./my-skills/",
      mcpServers: "./.mcp.json",
      interface: { displayName: "Acme" },
    }),
    "my-skills/style/SKILL.md": SKILL,
    "my-skills/style/agents/openai.yaml": "interface: {}\n",
    ".mcp.json": '{"db":{"command":"./db","cwd":"${PLUGIN_ROOT}"}}',
  });
  const { loaded, diagnostics } = await readCodexPlugin(folder, deps);
  expect(loaded!.plugin).toMatchObject({ name: "acme", version: "2.0.0", skills: [{ name: "style" }] });
  expect(loaded!.plugin.mcpServers).toMatchObject({ db: { cwd: folder.root } });
  expect(await loaded!.plugin.skills![0]!.list!()).toEqual(["agents/openai.yaml"]);
  expect(diagnostics).toEqual([]);
});
