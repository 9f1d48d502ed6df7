import { describe, expect, test } from "vitest";
import { type AgentFileOptions, parseAgentFile } from "../../../src/agents/agent-file.ts";
import {
  isRecipe,
  isRole,
  parseOpencodeAgents,
  parseRecipe,
  readRole,
} from "../../../src/agents/foreign/whole-file.ts";
import { parseToml } from "../../../src/plugins/toml.ts";

function parse(lines: string, options: AgentFileOptions = {}) {
  const text = `---\n${lines}\n---\nYou help.\n`;
  return parseAgentFile(text, { file: "agents/a.md", name: "a", format: "detect", ...options });
}

function became({ fields }: ReturnType<typeof parse>): Record<string, string> {
  return Object.fromEntries(fields.map(({ field, became: what }) => [field, what]));
}

describe("whose file it is", () => {
  test.each([
    ["pegboard", "name: a\ndescription: d\ntools: [read_file]", "agents/a.md"],
    ["pegboard", "name: a\ndescription: d\ncolor: red\nmax_turns: 3\nrequirements: {}", "agents/a.md"],
    ["pegboard", "name: a\ndescription: d\nmcpServers: [wiki]", "agents/a.md"],
    ["claude", "name: a\ndescription: d\ntools: Read, Grep", "agents/a.md"],
    ["claude", "name: a\ndescription: d\nmodel: opus", "agents/a.md"],
    ["claude", "name: a\ndescription: d", "home/.claude/agents/a.md"],
    ["opencode", "description: d\nmode: subagent", "agents/a.md"],
    ["opencode", "description: d", "x/.opencode/agent/a.md"],
    ["opencode", "name: a\ndescription: d\ntools: { bash: false }", "agents/a.md"],
    ["gemini", "name: a\ndescription: d\ndisplay_name: A", "agents/a.md"],
    ["gemini", "name: a\ndescription: d\ntools: [run_shell_command]", "agents/a.md"],
    ["copilot", "description: d", "a.agent.md"],
    ["copilot", "name: a\ndescription: d\ntools: ['edit/editFiles']", "agents/a.md"],
    ["amplifier", "meta: { name: a, description: d }", "agents/a.md"],
  ])("is %s's by %j in %s", (format, lines, file) => {
    expect(parse(lines, { file }).format).toBe(format);
  });

  test("is ours when nobody asks", () => {
    expect(parseAgentFile("---\nname: a\ndescription: d\ntools: [Read]\n---\nx")).toMatchObject({
      format: "pegboard",
      agent: { tools: ["Read"] },
    });
  });
});

describe("Claude Code", () => {
  test("each field has a word on what became of it", () => {
    const read = parse(
      "name: a\ndescription: d\nmodel: sonnet\ntools: Read\ncolor: red\neffort: max\nmaxTurns: 7\npermissionMode: bypassPermissions\nhooks: { Stop: [] }\nmemory: user\nskills: [x]\nmcpServers: [y]\ntoolsets: {}",
      { format: "claude" },
    );
    expect(became(read)).toEqual({
      name: "mapped",
      description: "mapped",
      model: "approximated",
      tools: "approximated",
      color: "ignored",
      effort: "approximated",
      maxTurns: "mapped",
      permissionMode: "unsafe",
      hooks: "unsafe",
      memory: "ignored",
      skills: "ignored",
      mcpServers: "ignored",
      toolsets: "unsafe",
    });
    expect(read.agent).toEqual({
      name: "a",
      description: "d",
      instructions: "You help.",
      tools: ["read_file"],
      reasoningEffort: "high",
      maxTurns: 7,
    });
    expect(read.diagnostics).toEqual([]);
  });

  test("its servers count where the file may bring some, and no list of tools is closed", () => {
    const lines = "name: a\ndescription: d\ncolor: red\nmcpServers:\n  - wiki\n  - shelf: { command: shelf }";
    const brought = { wiki: { mcp: true }, shelf: { mcp: { command: "shelf" } } };
    expect(parse(lines, { servers: true }).agent?.toolsets).toEqual(brought);
    expect(parse(lines).agent).not.toHaveProperty("toolsets");
    const closed = parse(`${lines}\ntools: Read, mcp__shelf__find`, { servers: true });
    expect(closed.agent).toMatchObject({ tools: ["read_file", "shelf__find"] });
    expect(closed.agent).not.toHaveProperty("toolsets");
    expect(became(closed)).toMatchObject({ mcpServers: "ignored" });
  });

  test("the mode plan only reads", () => {
    expect(parse("name: a\ndescription: d\npermissionMode: plan").agent).toMatchObject({ mode: "read-only" });
  });

  test("agents that it may ask are those in parentheses", () => {
    expect(parse("name: a\ndescription: d\ntools: Read, Agent(clerk, scribe)").agent).toMatchObject({
      tools: ["read_file", "agent"],
      agents: ["clerk", "scribe"],
    });
  });

  test("a file that holds no text is told its description", () => {
    const { agent, diagnostics } = parseAgentFile("---\nname: a\ndescription: Sorts mail\ncolor: red\n---\n", {
      file: "a.md",
      format: "detect",
    });
    expect(agent?.instructions).toBe("Sorts mail");
    expect(diagnostics).toMatchObject([{ severity: "warning", code: "empty_body" }]);
  });

  test("an empty list of tools, which could mean all or none, means none", () => {
    const { agent, diagnostics } = parse("name: a\ndescription: d\ncolor: red\ntools:");
    expect(agent?.tools).toEqual([]);
    expect(diagnostics).toMatchObject([{ severity: "error", line: 5 }]);
  });
});

describe("models", () => {
  test.each([
    ["sonnet", ["sonnet", "small"], "sonnet"],
    ["claude-sonnet-4-20250514", ["sonnet"], "sonnet"],
    ["Claude Sonnet 4.5", ["medium"], "medium"],
    ["haiku", ["small"], "small"],
    ["GPT-4.1", ["gpt-4.1"], "gpt-4.1"],
    ["GPT-4.1 (copilot)", ["medium"], "medium"],
    ["gemini-2.5-flash-lite", ["small", "large"], "small"],
    ["[opus, haiku]", ["small"], "small"],
    ["opus", ["small"], undefined],
    ["inherit", ["small"], undefined],
  ])("%s is the name that the workspace gives to it, to its family or its size", (written, models, model) => {
    expect(parse(`name: a\ndescription: d\ncolor: red\nmodel: ${written}`, { models }).agent?.model).toBe(model);
  });

  test("one that there is no name for is the model of whoever runs the agent, which is said", () => {
    expect(parse("name: a\ndescription: d\nmodel: opus").fields).toContainEqual({
      field: "model",
      became: "approximated",
      note: expect.stringContaining("whoever runs it"),
    });
  });
});

describe("opencode", () => {
  test("a list that is closed allows what it names", () => {
    const { agent } = parse(
      'description: d\nmode: all\npermission: { "*": deny, read: allow, grep: allow, bash: ask }',
    );
    expect(agent?.tools).toEqual(["read_file", "search_files", "shell"]);
  });

  test("rules of the second version are read the same way", () => {
    const { agent } = parse(
      "description: d\nmode: all\npermissions:\n  - { action: edit, resource: '*', effect: deny }\n  - { action: bash, resource: 'git *', effect: allow }",
    );
    expect(agent?.tools).toEqual(["!edit_file", "!write_file", "!delete_file"]);
  });

  test("what it would ask about and we would not is denied", () => {
    expect(parse("description: d\nmode: all\npermission: { read: ask, bash: ask }").agent?.tools).toEqual([
      "!read_file",
    ]);
  });

  test("its configuration may hold several agents, comments and commas at the end", () => {
    const text = `{
  // mine
  "agent": {
    "review": { "description": "Reviews", "prompt": "Review.", "tools": { "write": false }, },
    "off": { "description": "Off", "prompt": "x", "disable": true },
    "url": { "description": "http://x /* no comment */", "prompt": "{file:./p.md}" },
  },
}`;
    const read = parseOpencodeAgents(text, { file: "opencode.jsonc" });
    expect(read.map(({ agent }) => agent?.name)).toEqual(["review", undefined, "url"]);
    expect(read[0]!.agent).toMatchObject({
      instructions: "Review.",
      tools: ["!edit_file", "!write_file", "!delete_file"],
    });
    expect(read[1]!.diagnostics).toMatchObject([{ code: "disabled", line: 5 }]);
    expect(read[2]!.agent).toMatchObject({ description: "http://x /* no comment */", instructions: "{file:./p.md}" });
    const became = ({ fields }: (typeof read)[number]) => fields.find(({ field }) => field === "prompt");
    expect(became(read[2]!)).toEqual({ field: "prompt", became: "approximated", note: "{file:./p.md} stays as it is" });
    const files = new Map([["./p.md", "Look at {file:other}."]]);
    const filled = parseOpencodeAgents(text, { file: "opencode.jsonc", files })[2]!;
    expect(filled.agent).toMatchObject({ instructions: "Look at {file:other}." });
    expect(became(filled)).toEqual({ field: "prompt", became: "mapped" });
  });

  test("a configuration that is no JSON is told with its line", () => {
    const [read] = parseOpencodeAgents('{\n "agent": {', { file: "opencode.json" });
    expect(read!.diagnostics[0]).toMatchObject({ severity: "error", line: 2, file: "opencode.json" });
  });
});

test("a field with a mapping in it that cannot be made a text is told like any other that is wrong", () => {
  const odd = '{ "toString": 0 }';
  expect(parse(`name: a\ndescription: d\ntools: Read\neffort: ${odd}`).agent?.name).toBe("a");
  expect(parse(`description: d\npermission: {}\nmode: ${odd}`).fields).toContainEqual(
    expect.objectContaining({ field: "mode" }),
  );
});

describe("Gemini CLI", () => {
  test("its tools, and both spellings of its servers, are known", () => {
    const read = parse(
      "name: a\ndescription: d\ntools: [read_file, replace, mcp_docs_*, mcp_docs_page, mcp_*]\nmcp_servers: {}\nmcpServers: {}\ntimeout_mins: 3\nmax_turns: 4",
    );
    expect(read.agent).toMatchObject({ tools: ["read_file", "edit_file", "docs__*"], maxTurns: 4 });
    expect(read.diagnostics).toMatchObject([{ message: expect.stringContaining("mcp_docs_page, mcp_*") }]);
  });

  test.each([
    ["one", "kind: remote\nname: a\ndescription: d\nagent_card_url: https://example.com"],
    ["a list of them", "- kind: remote\n  name: a\n- kind: remote\n  name: b"],
  ])("an agent on another machine is no agent here: %s", (_, lines) => {
    expect(parse(lines)).toMatchObject({
      format: "gemini",
      diagnostics: [{ severity: "error", code: "not_supported", line: 2 }],
    });
  });
});

describe("Copilot", () => {
  test("a server of which only some tools are meant is left out", () => {
    const { agent, diagnostics } = parse(
      "description: d\ninfer: true\nmcp-servers:\n  all: { url: 'https://example.com', tools: ['*'] }\n  some: { command: x, tools: [read] }",
      { servers: true },
    );
    expect(Object.keys(agent?.toolsets ?? {})).toEqual(["all"]);
    expect(diagnostics).toMatchObject([{ code: "partial_tool", message: expect.stringContaining("some") }]);
  });

  test("its tools and groups are known, and its servers by their names", () => {
    const { agent, diagnostics } = parse(
      "description: d\ntools: [read, edit, execute, web/fetch, docs/page, github/*, vscode/newWorkspace, a.b/c]\nagents: ['*']\nhandoffs: []",
    );
    expect(agent?.tools).toEqual([
      "read_file",
      "edit_file",
      "write_file",
      "shell",
      "web_fetch",
      "docs__page",
      "github__*",
    ]);
    expect(agent).not.toHaveProperty("agents");
    expect(diagnostics).toMatchObject([{ message: expect.stringContaining("vscode/newWorkspace, a.b/c") }]);
  });
});

describe("Codex", () => {
  const ROLE =
    'name = "reviewer"\ndescription = "Reviews"\nmodel = "gpt-5-codex"\nmodel_reasoning_effort = "high"\nsandbox_mode = "read-only"\ndeveloper_instructions = """\nReview.\n"""\n[mcp_servers.docs]\ncommand = "docs"\n';

  test("a role is an agent that only reads where its sandbox does", () => {
    const { value } = parseToml(ROLE, "reviewer.toml");
    expect(isRole(value)).toBe(true);
    const { agent, diagnostics, format } = readRole(value, { file: "reviewer.toml", name: "reviewer" });
    expect(format).toBe("codex");
    expect(diagnostics).toEqual([]);
    expect(agent).toEqual({
      name: "reviewer",
      description: "Reviews",
      instructions: "Review.",
      reasoningEffort: "high",
      mode: "read-only",
    });
  });

  test.each([
    ["a bad escape", 'x = "\\q"'],
    ["a key that no table has", "__proto__ = 1"],
    ["arrays without end", `x = ${"[".repeat(2_000)}`],
  ])("TOML with %s is an error with its line", (_, text) => {
    expect(parseToml(`y = 1\n${text}\n`, "a.toml")).toEqual({
      diagnostics: [expect.objectContaining({ severity: "error", file: "a.toml", line: 2 })],
    });
  });
});

describe("goose", () => {
  const RECIPE = `version: 1.0.0
title: Sum it up
description: Sums up a text
instructions: Sum up {{ text }}.
prompt: Go on.
parameters:
  - { key: text, input_type: string, requirement: required, description: The text }
  - { key: size, input_type: select, requirement: optional, options: [short, long], default: short }
extensions:
  - { type: builtin, name: developer }
  - { type: stdio, name: docs, cmd: npx, args: [docs] }
  - { type: builtin, name: memory }
response: { json_schema: { type: object } }
settings: { goose_provider: anthropic, goose_model: haiku, temperature: 0.5, max_turns: 3 }
retry: { max_retries: 1, checks: [{ type: shell, command: "true" }] }
`;

  test("a recipe is an agent with an input, an answer and tools", () => {
    expect(isRecipe(RECIPE)).toBe(true);
    const { agent, fields, diagnostics } = parseRecipe(RECIPE, { file: "sum.yaml", models: ["small"] });
    expect(agent).toMatchObject({
      name: "Sum-it-up",
      description: "Sums up a text",
      instructions: expect.stringMatching(/^Sum up \{\{ text \}\}\.\n\nGo on\./),
      input: {
        type: "object",
        properties: {
          text: { type: "string", description: "The text" },
          size: { type: "string", enum: ["short", "long"], default: "short" },
        },
        required: ["text"],
      },
      output: { type: "object" },
      model: "small",
      temperature: 0.5,
      maxTurns: 3,
    });
    expect(agent?.tools).toEqual(expect.arrayContaining(["read_file", "shell", "docs__*"]));
    expect(fields).toContainEqual({ field: "retry", became: "unsafe", note: expect.any(String) });
    expect(diagnostics.map(({ code }) => code)).toEqual(["changed_name", "unknown_tool"]);
  });

  test("other YAML is none", () => {
    expect(isRecipe("openapi: 3.1.0\ninfo:\n  title: x\n  description: y\n  prompt: z\n")).toBe(false);
    expect(isRecipe('{\n  "title": "x",\n  "description": "y",\n  "prompt": "z"\n}')).toBe(true);
  });
});

test("Amplifier's modules give way to tools that do the same", () => {
  const { agent, diagnostics } = parse(
    "meta: { name: a, description: d }\ntools:\n  - { module: tool-web, source: x }\n  - { module: tool-own, config: {} }\nmodel_role: fast",
    { models: ["fast"] },
  );
  expect(agent).toMatchObject({ name: "a", description: "d", tools: ["web_fetch", "web_search"], model: "fast" });
  expect(diagnostics).toMatchObject([{ code: "unknown_tool", message: expect.stringContaining("tool-own") }]);
});
