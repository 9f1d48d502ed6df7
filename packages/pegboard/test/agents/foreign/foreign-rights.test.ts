import fc from "fast-check";
import { expect, test } from "vitest";
import { parseAgentFile } from "../../../src/agents/agent-file.ts";
import { DIALECTS } from "../../../src/agents/foreign/dialects.ts";
import { matchesName } from "../../../src/core/name.ts";

/** Everything that there is to be had. */
const BOARD =
  "read_file write_file edit_file delete_file list_files search_files glob shell web_fetch web_search agent spawn_agent delegate skill vfs_write docs__page docs__find other__page Read TodoWrite".split(
    " ",
  );

/** The most that a name of another program can stand for. */
const MEANS: Readonly<Record<string, readonly string[]>> = {
  Read: ["read_file"],
  Write: ["write_file"],
  Edit: ["edit_file"],
  Bash: ["shell"],
  Grep: ["search_files"],
  Task: ["agent"],
  WebFetch: ["web_fetch"],
  TodoWrite: [],
  Unheard: [],
  "Bash(git:*)": [],
  "Bash(rm -rf, x)": [],
  mcp__docs__page: ["docs__page"],
  mcp__docs: ["docs__page", "docs__find"],
  "mcp__*": [],
  mcp____page: [],
  "!Bash": [],
};

const names = fc.uniqueArray(fc.constantFrom(...Object.keys(MEANS)), { maxLength: 6 });

/** What of the board an agent with this list sees. */
function seen(tools: readonly string[] | undefined): string[] {
  if (!tools) return BOARD;
  const denied = tools.filter((entry) => entry.startsWith("!")).map((entry) => entry.slice(1));
  const allowed = tools.filter((entry) => !entry.startsWith("!"));
  return BOARD.filter(
    (name) =>
      (allowed.length === 0 ? denied.length > 0 : allowed.some((pattern) => matchesName(pattern, name))) &&
      !denied.some((pattern) => matchesName(pattern, name)),
  );
}

const WRITE = {
  text: (list: readonly string[]) => JSON.stringify(list.join(", ")),
  list: (list: readonly string[]) => JSON.stringify(list),
  lines: (list: readonly string[]) => `\n${list.map((name) => `  - ${JSON.stringify(name)}\n`).join("")}`,
};

test("an agent of Claude Code never gets a tool that its list does not name, nor one that it denies", () => {
  fc.assert(
    fc.property(
      fc.option(names),
      fc.option(names),
      fc.constantFrom(...Object.values(WRITE)),
      (tools, denied, write) => {
        const lines = [
          ...(tools ? [`tools: ${write(tools)}`] : []),
          ...(denied ? [`disallowedTools: ${write(denied)}`] : []),
        ];
        const text = `---\nname: a\ndescription: d\ncolor: red\n${lines.join("\n")}\n---\nYou help.`;
        const { agent } = parseAgentFile(text, { file: "a.md", format: "detect" });
        if (!agent) return;
        const most = tools ? tools.flatMap((name) => MEANS[name]!) : BOARD;
        const not = denied?.flatMap((name) => MEANS[name]!) ?? [];
        expect(most.filter((name) => !not.includes(name))).toEqual(expect.arrayContaining(seen(agent.tools)));
      },
    ),
    { numRuns: 1_000 },
  );
});

const SWITCHES: Readonly<Record<string, readonly string[]>> = {
  read: ["read_file"],
  write: ["write_file"],
  edit: ["edit_file"],
  bash: ["shell"],
  task: ["agent"],
};
const effect = fc.constantFrom("allow", "ask", "deny", "Deny", "", "yes");

test("what opencode denies, for some inputs or for all, is denied", () => {
  const keys = Object.keys(SWITCHES);
  fc.assert(
    fc.property(
      fc.dictionary(
        fc.constantFrom(...keys, "*"),
        fc.oneof(effect, fc.dictionary(fc.constantFrom("*", "git *"), effect)),
      ),
      fc.dictionary(fc.constantFrom(...keys, "*"), fc.boolean()),
      (permission, tools) => {
        const text = `---\ndescription: d\nmode: subagent\npermission: ${JSON.stringify(permission)}\ntools: ${JSON.stringify(tools)}\n---\nYou help.`;
        const { agent } = parseAgentFile(text, { file: "a.md", format: "detect" });
        if (!agent) return;
        const named = keys.filter((key) => tools[key] === true).flatMap((key) => SWITCHES[key]!);
        let most = tools["*"] === false ? named : BOARD;
        for (const key of keys) {
          const said = [permission[key] ?? "allow"].flatMap((one) =>
            typeof one === "string" ? one : Object.values(one),
          );
          const isDenied = said.some((one) => one !== "allow" && one !== "ask") || tools[key] === false;
          most = isDenied ? most.filter((name) => !SWITCHES[key]!.includes(name)) : most;
        }
        expect(most).toEqual(expect.arrayContaining(seen(agent.tools)));
      },
    ),
    { numRuns: 500 },
  );
});

const FILE = `---
name: helper
description: Looks things up, and says: done
model: sonnet
color: blue
tools: Read
permissionMode: acceptEdits
---
You look things up.
`;
const PIECES = [
  ...Array.from("\n\t \"'[]{}|>-?:,&*!#%@`"),
  "---",
  "\n---\n",
  ": ",
  "- ",
  "x: |\n",
  'x: "',
  "&a ",
  "*a",
  "tool",
  "```\n",
];
const edit = fc.record({
  at: fc.nat(FILE.length),
  cut: fc.nat(4),
  put: fc.oneof(fc.constantFrom(...PIECES), fc.constant("")),
});

test("no damage to a file of another program gives its agent more than the list that is still in it", () => {
  let loaded = 0;
  fc.assert(
    fc.property(fc.array(edit, { minLength: 1, maxLength: 3 }), (edits) => {
      const text = edits.reduce((so, { at, cut, put }) => so.slice(0, at) + put + so.slice(at + cut), FILE);
      const lines = text.trimStart().split("\n");
      const end = lines.findIndex((line, index) => index > 0 && line.trimEnd() === "---");
      fc.pre(lines[0]?.trimEnd() === "---" && lines.slice(1, end < 0 ? undefined : end).includes("tools: Read"));
      const { agent } = parseAgentFile(text, { file: "a.md", name: "helper", format: "detect" });
      if (!agent) return;
      loaded++;
      expect(agent.tools).toBeDefined();
      expect(["read_file", "Read"]).toEqual(expect.arrayContaining(seen(agent.tools)));
      expect(agent).not.toHaveProperty("toolsets");
      expect(agent).not.toHaveProperty("promptTools");
    }),
    { numRuns: 1_000 },
  );
  expect(loaded).toBeGreaterThan(100);
});

test.each([
  ["a module", "- module: ./evil.mjs"],
  ["a command", "- command: [sh, -c, 'touch x']"],
  ["a prompt tool", "- { name: p, description: d, prompt: p }"],
])("%s in a list of Claude Code brings nothing", (_, entry) => {
  const text = `---\nname: a\ndescription: d\ncolor: red\ntools:\n  - Read\n  ${entry}\n---\nYou help.`;
  const { agent } = parseAgentFile(text, { file: "a.md", format: "detect" });
  expect(agent).toEqual({ name: "a", description: "d", instructions: "You help.", tools: ["read_file"] });
});

const formats = Object.keys(DIALECTS) as (keyof typeof DIALECTS)[];

test.each(formats)("whatever the fields of a file of %s hold, it is read or told, and brings no code", (format) => {
  const keys = fc.constantFrom(...Object.keys(DIALECTS[format].fields), "toolsets", "mcpServers", "other", "tool");
  fc.assert(
    fc.property(fc.dictionary(keys, fc.jsonValue({ maxDepth: 3 })), (fields) => {
      const text = `---\n${JSON.stringify(fields)}\n---\nYou help.`;
      const { agent, diagnostics } = parseAgentFile(text, { file: "a.md", name: "a", format });
      expect(agent !== undefined || diagnostics.some(({ severity }) => severity === "error")).toBe(true);
      expect(agent ?? {}).not.toHaveProperty("toolsets");
    }),
    { numRuns: 300 },
  );
});
