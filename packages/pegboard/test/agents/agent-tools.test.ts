import { expect, test } from "vitest";
import { type AgentFileOptions, parseAgentFile } from "../../src/agents/agent-file.ts";
import { Registry } from "../../src/core/registry.ts";
import { lintAgent } from "../../src/node/index.ts";
import { HEAD, parseLines, problems } from "./parse-lines.ts";

const parse = (lines: string, options?: AgentFileOptions) => parseLines(`${HEAD}${lines}`, options);
const PROMPT = "{ name: p, description: d, prompt: x }";
const IMPORT = "{ module: ./tools/my-tool.ts }";

test.each([
  ["no field", "max_turns: 3", undefined],
  ["an empty list", "tools: []", []],
  ["names, globs and denials", 'tools: [read_file, "mcp__*", "!shell"]', ["read_file", "mcp__*", "!shell"]],
  ["denials alone", 'tools: ["!shell"]', ["!shell"]],
  ["objects alone", `tools: [${PROMPT}, ${IMPORT}]`, undefined],
  ["a name among objects", `tools: [${PROMPT}, read_file]`, ["read_file"]],
  ["the other spelling", "allowed_tools: [read_file]", ["read_file"]],
  ["what is blocked", "blocked_tools: [shell, web_*]", ["!shell", "!web_*"]],
  ["what is allowed and blocked", "tools: [web_*]\nblocked_tools: [web_fetch]", ["web_*", "!web_fetch"]],
  ["no tools, some of them blocked", "tools: []\nblocked_tools: [shell]", []],
  ["objects, and what is blocked", `tools: [${PROMPT}]\nblocked_tools: ["!shell"]`, ["!shell"]],
])("A2-35: the tools of an agent are what its list says: %s", (_, lines, expected) => {
  const { agent, diagnostics } = parse(lines);
  expect(diagnostics).toEqual([]);
  expect(agent?.tools).toEqual(expected);
});

test.each([
  ["null", "tools:"],
  ["a number", "tools: 3"],
  ["a mapping", "tools: { write: false }"],
  ["true", "tools: true"],
  ["null, and something is blocked", "tools:\nblocked_tools: [shell]"],
  ["what is blocked is null", "blocked_tools:"],
  ["what is blocked is a number", "blocked_tools: [3]"],
  ["what is blocked is a mapping", "blocked_tools: { shell: true }"],
  ["too many entries", `tools: [${"a,".repeat(1_001)}]`],
  ["both spellings", "tools: [x]\nallowed_tools: [y]"],
  ["a slip in the key", "tool: [x]"],
  ["another slip in the key", "toosl: [x]"],
  ["another case of the key", "Tools: [x]"],
  ["a slip in what is blocked", "blocked-tools: [x]"],
  ["a slip in the mode", "mdoe: none"],
  ["the permissions of another program", "permission: { bash: deny }"],
  ["a list that is indented by mistake", "requirements:\n  max_retries: 1\n  tools: [x]"],
  ["toolsets that are a list", "toolsets: [filesystem]"],
  ["toolsets that are null", "toolsets:"],
  ["a toolset that is a text", "toolsets: { filesystem: readonly }"],
  ["a toolset whose name is none", 'toolsets: { "file system": {} }'],
])("A2-35: what cannot be read as tools means none: %s", (_, lines) => {
  const { agent, diagnostics } = parse(`${lines}\nmax_turns: 3`);
  expect(agent).toMatchObject({
    name: "a",
    description: "d",
    instructions: "You are helpful.",
    maxTurns: 3,
    tools: [],
  });
  expect(agent).not.toHaveProperty("toolsets");
  expect(diagnostics.filter(({ severity }) => severity === "error")).toMatchObject([{ line: expect.any(Number) }]);
});

test.each([
  ["a number", "tools: [3]", []],
  ["a number besides a name", "tools: [read_file, 3]", ["read_file"]],
  ["a number besides a denial", 'tools: ["!shell", 3]', []],
  ["nothing", 'tools: ["", read_file]', ["read_file"]],
  ["a denial of nothing", 'tools: ["!"]', []],
  ["a list", "tools: [[read_file]]", []],
  ["null", "tools: [null]", []],
  ["a mapping that is no tool", "tools: [{ Bash: true }]", []],
])("an entry that is %s is left out and never allows more", (_, lines, expected) => {
  const { agent, diagnostics } = parse(lines);
  expect(agent?.tools).toEqual(expected);
  expect(diagnostics).toMatchObject([{ severity: "error", line: 4 }]);
});

test.each([
  ["Read, Grep, Bash", ["Read", "Grep", "Bash"]],
  ["Read Grep", ["Read", "Grep"]],
  ["Bash(git add:*, git commit:*), Read", ["Bash(git add:*, git commit:*)", "Read"]],
  ["Bash", ["Bash"]],
  ['"*"', ["*"]],
  ['""', []],
  ["mcp__github__create_issue, mcp__linear__*", ["mcp__github__create_issue", "mcp__linear__*"]],
  ["edit/editFiles, search", ["edit/editFiles", "search"]],
])("a text %s is read as a list, with a warning", (text, expected) => {
  const { agent, diagnostics, fields } = parse(`tools: ${text}`);
  expect(agent?.tools).toEqual(expected);
  expect(diagnostics[0]).toMatchObject({ severity: "warning", code: "text_for_list", line: 4 });
  expect(diagnostics.every(({ severity }) => severity === "warning")).toBe(true);
  expect(fields).toContainEqual({ field: "tools", became: "approximated", note: "a text, read as a list" });
});

test("what other programs deny is denied, as a whole where they deny only some of it", () => {
  const { agent, diagnostics, fields } = parse("disallowedTools: Bash(rm:*), Write");
  expect(agent?.tools).toEqual(["!Bash", "!Write"]);
  expect(diagnostics.map(({ code }) => code)).toEqual(["text_for_list", "no_such_name"]);
  expect(fields).toContainEqual(expect.objectContaining({ field: "disallowedTools", became: "approximated" }));
});

test("the plan mode of another program only reads", () => {
  expect(parse("permissionMode: plan").agent?.mode).toBe("read-only");
  expect(parse("permissionMode: plan\nmode: none").agent?.tools).toEqual([]);
  expect(parse("permissionMode: bypassPermissions").agent).not.toHaveProperty("mode");
});

test("A2-35: names that no tool has are told, where the tools are known", () => {
  const lines = `tools:\n  - read_flie\n  - "web_*"\n  - mine__add\n  - p\n  - { name: p, description: d, prompt: x }`;
  const text = `---\nname: a\ndescription: d\n${lines}\ntoolsets: { mine: { module: ./x.ts } }\n---\nYou are helpful.\n`;
  const { agent } = parseAgentFile(text);
  expect(agent?.tools).toEqual(["read_flie", "web_*", "mine__add", "p"]);
  const board = new Registry();
  for (const name of ["read_file", "web_fetch"])
    board.register({ name, description: name, input: { type: "object" }, execute: () => name });
  const diagnostics = lintAgent({ agent: agent!, text }, board);
  expect(problems({ diagnostics })).toEqual(["5 warning unknown_tool"]);
  expect(diagnostics[0]!.message).toContain('there is no tool "read_flie", did you mean "read_file"?');
});

test("A2-35: a name without the source of its tool is an error only where several have it, with their names", () => {
  const text = "---\nname: a\ndescription: d\ntools: [search, send]\n---\nYou are helpful.\n";
  const board = new Registry();
  for (const [prefix, name] of [
    ["exa", "search"],
    ["tavily", "search"],
    ["mail", "send"],
  ] as const)
    board.register({ name, description: name, input: { type: "object" }, execute: () => name }, { prefix });
  expect(lintAgent({ agent: parseAgentFile(text).agent!, text }, board)).toMatchObject([
    {
      severity: "error",
      code: "ambiguous_tool",
      message: '"search" stands for several tools, so it allows none: exa__search, tavily__search',
      line: 4,
    },
  ]);
});

test("imports are toolsets under their name, or under that of their module", () => {
  const { agent, diagnostics } = parse(`tools:
  - module: ./tools/my-tool.ts
    tools: [add]
  - { name: exa, package: "@exalabs/ai-sdk", import: webSearch }
  - package: "@scope/thing"
  - { mcp: everything }
  - { command: [./bin/query.py, --fast] }
toolsets:
  filesystem:`);
  expect(diagnostics).toEqual([]);
  expect(agent?.tools).toBeUndefined();
  expect(agent?.toolsets).toEqual({
    filesystem: null,
    "my-tool": { module: "./tools/my-tool.ts", tools: ["add"] },
    exa: { package: "@exalabs/ai-sdk", import: "webSearch" },
    thing: { package: "@scope/thing" },
    everything: { mcp: "everything" },
    query: { command: ["./bin/query.py", "--fast"] },
  });
});

test("an import without a name that could be one, or with one that is taken, is left out", () => {
  const result = parse(`tools:\n  - module: ./1.ts\n  - { name: x, module: ./y.ts }\n  - { mcp: x }\n  - { mcp: [] }`);
  expect(result.agent?.toolsets).toEqual({ x: { module: "./y.ts" } });
  expect(problems(result)).toEqual(["5 error invalid_entry", "7 error invalid_entry", "8 error invalid_entry"]);
});

test("A0-31: a prompt tool takes the parameters that it lists, each required unless it says not", () => {
  const { agent, diagnostics } = parse(`tools:
  - name: summarize
    description: Summarize a document into key points
    model: gemini-2.0-flash-lite
    parameters:
      text:
        type: string
        description: The text to summarize
      points: { type: integer, required: false, default: 3 }
    result_schema:
      type: object
      properties:
        bullets: { type: array, items: { type: string } }
    tools: [read_file]
    prompt: "Return JSON {bullets:[...]}. {{points}} points of:\\n\\n{{text}}"`);
  expect(diagnostics).toEqual([]);
  expect(agent?.promptTools).toEqual([
    {
      name: "summarize",
      description: "Summarize a document into key points",
      model: "gemini-2.0-flash-lite",
      input: {
        type: "object",
        properties: {
          text: { type: "string", description: "The text to summarize" },
          points: { type: "integer", default: 3 },
        },
        required: ["text"],
        additionalProperties: false,
      },
      output: { type: "object", properties: { bullets: { type: "array", items: { type: "string" } } } },
      tools: ["read_file"],
      prompt: "Return JSON {bullets:[...]}. {{points}} points of:\n\n{{text}}",
    },
  ]);
});

test("A0-31: the parameters of a prompt tool can be a whole JSON Schema, or a parameter named type", () => {
  const { agent } = parse(`tools:
  - { name: p, description: d, prompt: "{{q}}", parameters: { type: object, properties: { q: { type: number } } } }
  - { name: q, description: d, prompt: "{{type}}", parameters: { type: { type: string } } }
  - { name: r, description: d, prompt: no parameters }`);
  expect(agent?.promptTools?.map(({ input }) => input)).toEqual([
    { type: "object", properties: { q: { type: "number" } } },
    { type: "object", properties: { type: { type: "string" } }, required: ["type"], additionalProperties: false },
    { type: "object", properties: {}, additionalProperties: false },
  ]);
});

test.each([
  ["no name", "{ description: d, prompt: x }", "tools[1].name"],
  ["a name that is none", "{ name: ../x, description: d, prompt: x }", "tools[1].name"],
  ["the name of another", "{ name: good, description: d, prompt: x }", "tools[1]"],
  ["no description", "{ name: p, prompt: x }", "tools[1].description"],
  ["an empty prompt", '{ name: p, description: d, prompt: " " }', "tools[1].prompt"],
  ["a prompt that is a list", "{ name: p, description: d, prompt: [x] }", "tools[1].prompt"],
  ["parameters that are a list", "{ name: p, description: d, prompt: x, parameters: [] }", "tools[1].parameters"],
  [
    "a parameter that is a text",
    "{ name: p, description: d, prompt: x, parameters: { q: string } }",
    "tools[1].parameters.q",
  ],
  [
    "a parameter of no type",
    "{ name: p, description: d, prompt: x, parameters: { q: { type: text } } }",
    "tools[1].parameters",
  ],
  [
    "a wrong word on required",
    "{ name: p, description: d, prompt: x, parameters: { q: { required: 1 } } }",
    "tools[1].parameters.q.required",
  ],
  [
    "a schema that is wrong",
    "{ name: p, description: d, prompt: x, result_schema: { type: 3 } }",
    "tools[1].result_schema",
  ],
  ["a model that is a list", "{ name: p, description: d, prompt: x, model: [] }", "tools[1].model"],
  ["tools that are a mapping", "{ name: p, description: d, prompt: x, tools: {} }", "tools[1].tools"],
  ["tools that are numbers", "{ name: p, description: d, prompt: x, tools: [1] }", "tools[1].tools[0]"],
])("A0-37: a prompt tool with %s is left out and told with its line; the agent loads", (_, entry, place) => {
  const { agent, diagnostics } = parse(`tools:\n  - { name: good, description: d, prompt: x }\n  - ${entry}`);
  expect(agent?.promptTools?.map(({ name }) => name)).toEqual(["good"]);
  expect(agent).not.toHaveProperty("tools");
  expect(diagnostics).toMatchObject([{ severity: "error", line: 6 }]);
  expect(diagnostics[0]!.message.startsWith(`${place} `) || diagnostics[0]!.message.startsWith(`${place}:`)).toBe(true);
});

test("A0-37: an entry with a name and no prompt is left out and told with its line; the agent loads", () => {
  const result = parse(`tools:\n  - name: t\n    description: x`);
  expect(result.agent).toMatchObject({ name: "a", tools: [] });
  expect(problems(result)).toEqual(["5 error invalid_entry"]);
});

test("A0-38: a placeholder without a parameter is a warning with its line", () => {
  const result = parse(`tools:
  - name: p
    description: d
    parameters: { q: { type: string } }
    prompt: "{{q}} {{ r }} {{r}} {{}} {{1}}"`);
  expect(problems(result)).toEqual(["8 warning unknown_placeholder"]);
  expect(result.diagnostics[0]!.message).toBe("tools[0].prompt: there is no parameter for {{r}}; it stays as it is");
  expect(result.agent?.promptTools).toHaveLength(1);
});
