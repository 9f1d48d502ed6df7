import { expect, test } from "vitest";
import { parseAgentFile } from "../../src/agents/agent-file.ts";
import { HEAD, parseLines, problems } from "./parse-lines.ts";

test("A2-18: the front matter holds the fields and the text below it the instructions", () => {
  const { agent, diagnostics, rung } = parseAgentFile(
    `---
name: database-agent
description: SQL query optimization specialist
model: anthropic:claude-sonnet-4-5
temperature: 0.2
reasoning_effort: high
tools: ["read_file", "query_db", "explain_query"]
created_at: "2024-01-01T00:00:00Z"
updated_at: "2024-01-15T12:00:00Z"
---

You are a database specialist.

---

Never drop a table.
`,
  );
  expect(diagnostics).toEqual([]);
  expect(rung).toBe("strict");
  expect(agent).toEqual({
    name: "database-agent",
    description: "SQL query optimization specialist",
    instructions: "You are a database specialist.\n\n---\n\nNever drop a table.",
    model: "anthropic:claude-sonnet-4-5",
    temperature: 0.2,
    reasoningEffort: "high",
    tools: ["read_file", "query_db", "explain_query"],
    createdAt: "2024-01-01T00:00:00Z",
    updatedAt: "2024-01-15T12:00:00Z",
  });
});

test("A2-18: what a run needs and what it may take along are fields too", () => {
  const { agent, diagnostics, fields } = parseLines(`${HEAD}compatible_models: ["anthropic:*", "google:*"]
input_schema: { type: object, properties: { topic: { type: string } }, required: [topic] }
output_schema: { type: object, properties: { answer: { type: string } } }
requirements:
  require_tool_use: true
  required_tools_one_of: [web_search, web_fetch]
  required_tools_all: [read_file]
  minimum_tool_calls: 2
  max_retries: 0
  reminder_message: Look it up first.
max_turns: 12
agents: [clerk, "!spy"]
attachments: { max_count: 3, bytes: 1048576, suffixes: [.png, .pdf] }
toolsets:
  filesystem: { readonly: true }
  mine: { module: ./tools/mine.ts }`);
  expect(diagnostics).toEqual([]);
  expect(agent).toEqual({
    name: "a",
    description: "d",
    instructions: "You are helpful.",
    compatibleModels: ["anthropic:*", "google:*"],
    input: { type: "object", properties: { topic: { type: "string" } }, required: ["topic"] },
    output: { type: "object", properties: { answer: { type: "string" } } },
    requirements: {
      toolUse: true,
      oneOf: ["web_search", "web_fetch"],
      all: ["read_file"],
      minimumCalls: 2,
      maxReminders: 0,
      reminder: "Look it up first.",
    },
    maxTurns: 12,
    agents: ["clerk", "!spy"],
    attachments: { count: 3, bytes: 1_048_576, suffixes: [".png", ".pdf"] },
    toolsets: { filesystem: { readonly: true }, mine: { module: "./tools/mine.ts" } },
  });
  expect(new Set(fields.map(({ became }) => became))).toEqual(new Set(["mapped"]));
});

test("inherit says the same as nothing", () => {
  const { agent, diagnostics } = parseLines(`${HEAD}model: inherit\nreasoning_effort: inherit`);
  expect(diagnostics).toEqual([]);
  expect(agent).toEqual({ name: "a", description: "d", instructions: "You are helpful." });
});

test("A2-19: a manifest beats the file for every field, also with 0, false, an empty text and an empty list", () => {
  const file = `name: a
description: of the file
model: google:gemini-2.5-pro
compatible_models: ["google:*"]
temperature: 0.9
reasoning_effort: high
tools: [read_file, "!write_file"]
requirements: { require_tool_use: true, max_retries: 4 }
max_turns: 9
created_at: 2024-01-01
updated_at: 2024-01-02`;
  const manifest = {
    name: "b",
    description: "",
    model: "",
    compatible_models: [],
    temperature: 0,
    reasoning_effort: "low",
    tools: [],
    requirements: { require_tool_use: false, max_retries: 0 },
    max_turns: 1,
    created_at: undefined,
    updated_at: "2025-01-02",
  };
  const { agent, diagnostics } = parseLines(file, { manifest });
  expect(diagnostics).toEqual([]);
  expect(agent).toEqual({
    name: "b",
    description: "",
    instructions: "You are helpful.",
    compatibleModels: [],
    temperature: 0,
    reasoningEffort: "low",
    tools: [],
    requirements: { toolUse: false, maxReminders: 0 },
    maxTurns: 1,
    createdAt: "2024-01-01",
    updatedAt: "2025-01-02",
  });
});

test("A2-19: a manifest beats a field in whichever way the file spells it, and what the file denies stays denied", () => {
  const { agent } = parseLines(`${HEAD}allowed_tools: [read_file, write_file]\nblocked_tools: [shell]`, {
    manifest: { tools: ["vfs_*"] },
  });
  expect(agent?.tools).toEqual(["vfs_*", "!shell"]);
});

test("with a manifest, a file needs no front matter", () => {
  const manifest = { name: "b", description: "d", tools: ["x"] };
  const { agent, diagnostics } = parseAgentFile("You are helpful.\n", { manifest });
  expect(diagnostics).toEqual([]);
  expect(agent).toEqual({ name: "b", description: "d", instructions: "You are helpful.", tools: ["x"] });
  expect(parseAgentFile("Hello", { manifest: { description: "d" }, name: "x" }).agent).toBeUndefined();
  expect(parseAgentFile("----\ntools: []\n----\nHello", { manifest: { name: "b" } }).agent).toBeUndefined();
});

test("a manifest that is no plain data is told, and gives no agent", () => {
  const { agent, diagnostics } = parseLines(HEAD, { manifest: { toolsets: { x: () => 1 } } });
  expect(agent).toBeUndefined();
  expect(diagnostics).toMatchObject([
    { severity: "error", message: expect.stringContaining("toolsets of the manifest") },
  ]);
});

test.each([
  ["none", { tools: [] }],
  ["read-only", { tools: ["x"], mode: "read-only" }],
  ["full", { tools: ["x"] }],
])("mode: %s can only take away", (mode, rights) => {
  const { agent, diagnostics } = parseLines(`${HEAD}tools: [x]\nmode: ${mode}`);
  expect(diagnostics).toEqual([]);
  expect(agent).toEqual({ name: "a", description: "d", instructions: "You are helpful.", ...rights });
});

test.each(["yolo", "null", "[full]", "Full", "true"])("A0-24: an unknown mode (%s) means no tools", (mode) => {
  const result = parseLines(
    `${HEAD}tools: [x, { name: p, description: d, prompt: p }]\ntoolsets: { t: {} }\nmode: ${mode}`,
  );
  expect(result.agent).toEqual({ name: "a", description: "d", instructions: "You are helpful.", tools: [] });
  expect(problems(result)).toEqual(["6 error invalid_value"]);
  expect(result.fields).toContainEqual({ field: "mode", became: "unsafe", note: "not known" });
});

test.each([
  ["a scalar", "hello"],
  ["a list", "- name: a\n- tools: [x]"],
  ["an unknown tag", "name: a\ndescription: !!js/function x"],
  ["a bomb", `a: &a [x]\nb: [${"*a,".repeat(200)}*a]`],
  ["a key that no mapping has", "name: a\nconstructor: { prototype: { x: 1 } }"],
  ["a key that no mapping has, deep inside", "name: a\ntoolsets: { x: { __proto__: { y: 1 } } }"],
  ["a number that JSON has no form for", "name: a\ntemperature: .nan"],
])("A0-24: a front matter that is %s loads as its text alone, without tools", (_, yaml) => {
  const { agent, diagnostics, rung } = parseLines(yaml, { name: "lost and found" });
  expect(agent).toEqual({ name: "lost-and-found", description: "", instructions: "You are helpful.", tools: [] });
  expect(diagnostics).toMatchObject([{ severity: "error", code: "front_matter_unreadable", line: expect.any(Number) }]);
  expect(rung).toBe("none");
});

test("A0-24: a front matter that does not end loads as its text alone, without tools", () => {
  const { agent, diagnostics } = parseAgentFile("---\nname: a\ntools: [x]\nYou are helpful.", { name: "a" });
  expect(agent).toEqual({
    name: "a",
    description: "",
    instructions: "---\nname: a\ntools: [x]\nYou are helpful.",
    tools: [],
  });
  expect(diagnostics).toMatchObject([{ severity: "error", code: "front_matter_open", line: 1 }]);
});

test.each([
  ["missing front matter", "You are helpful.", "1 error no_front_matter"],
  ["a missing name", "---\ndescription: d\n---\nx", "1 error missing_name"],
  ["an empty name", "\n---\ndescription: d\nname: ''\n---\nx", "4 error missing_name"],
  ["a name that is a path", "---\ndescription: d\nname: a/../b\n---\nx", "3 error invalid_name"],
  ["a name that is a number", "---\ndescription: d\nname: 7\n---\nx", "3 error invalid_name"],
  ["an empty body", "---\nname: a\ndescription: d\n---\n \n\n", "5 error empty_body"],
  ["a missing description", "---\nname: a\n---\nx", "1 warning missing_description"],
  ["a long description", `---\nname: a\ndescription: ${"x".repeat(8_193)}\n---\nx`, "3 error too_large"],
  ["an unknown mode", "---\nname: a\ndescription: d\nmode: wild\n---\nx", "4 error invalid_value"],
  [
    "a text for a list of models",
    "---\nname: a\ndescription: d\ncompatible_models: x\n---\nx",
    "4 error invalid_value",
  ],
  ["a text for a list of tools", "---\nname: a\ndescription: d\ntools: x\n---\nx", "4 warning text_for_list"],
  ["a number for a list of tools", "---\nname: a\ndescription: d\ntools: 3\n---\nx", "4 error invalid_value"],
  ["an empty model", "---\nname: a\ndescription: d\nmodel:\n---\nx", "4 warning empty_value"],
  ["an empty list of models", "---\nname: a\ndescription: d\ncompatible_models:\n---\nx", "4 error invalid_value"],
  ["turns below one", "---\nname: a\ndescription: d\nmax_turns: 0\n---\nx", "4 error invalid_value"],
  ["a wrong schema", "---\nname: a\ndescription: d\noutput_schema: { type: text }\n---\nx", "4 error invalid_schema"],
  ["a schema that is a list", "---\nname: a\ndescription: d\ninput_schema: []\n---\nx", "4 error invalid_schema"],
  ["a wrong member", "---\nname: a\ndescription: d\nrequirements:\n  max_retries: x\n---\nx", "5 error invalid_value"],
  ["an unknown member", "---\nname: a\ndescription: d\nrequirements:\n  max_retry: 1\n---\nx", "5 warning unknown_key"],
  [
    "a suffix without its dot",
    "---\nname: a\ndescription: d\nattachments: { suffixes: [png] }\n---\nx",
    "4 error invalid_value",
  ],
  ["what is no time", "---\nname: a\ndescription: d\ncreated_at: soon\n---\nx", "4 warning invalid_value"],
  ["an unknown key", "---\nname: a\ndescription: d\nmax_turn: 3\n---\nx", "4 warning unknown_key"],
  ["several models", "---\nname: a\ndescription: d\nmodel: [x, y]\n---\nx", "4 warning first_of_list"],
  ["a body beyond all measure", `---\nname: a\n---\n${"x\n".repeat(600_000)}`, "1 error too_large"],
])("A0-38: %s is a diagnostic with severity and line", (_, text, expected) => {
  const result = parseAgentFile(text);
  expect(problems(result)).toEqual([expected]);
  if (expected.includes("warning")) expect(result.agent).toBeDefined();
});

test("A0-38: all problems of a file are told at once, in the order of its lines", () => {
  const result = parseLines("name: a\ntemperature: 3\nreasoning_effort: max\nmax_turns: -1\ncompatible_models: x");
  expect(result.agent).toBeUndefined();
  expect(problems(result)).toEqual([
    "1 warning missing_description",
    "3 error invalid_value",
    "4 error invalid_value",
    "5 error invalid_value",
    "6 error invalid_value",
  ]);
  expect(result.diagnostics[1]).toMatchObject({ file: "agents/a.md", line: 3, column: 1 });
  expect(result.diagnostics[1]!.message).toBe("temperature must be a number from 0 to 2, it is 3");
});

test("an unknown key names the one that was meant, and keys of other programs are merely noted", () => {
  const { agent, diagnostics, fields } = parseLines(
    `${HEAD}temprature: 1\ncolor: red\nvibe: calm\npermissionMode: acceptEdits`,
  );
  expect(diagnostics.map(({ message }) => message)).toEqual(['unknown key "temprature", did you mean "temperature"?']);
  expect(fields.filter(({ became }) => became === "ignored").map(({ field }) => field)).toEqual([
    "permissionMode",
    "color",
    "vibe",
    "temprature",
  ]);
  expect(agent).toEqual({ name: "a", description: "d", instructions: "You are helpful." });
});

test("a name with blanks and signs is brought to the form of names, with a warning", () => {
  const result = parseLines("name: C# & .NET Expert\ndescription: d");
  expect(result.agent?.name).toBe("C-NET-Expert");
  expect(problems(result)).toEqual(["2 warning changed_name"]);
});

test.each([
  ["the text", "---\nname: a\ndescription: d\n---\nfine\nx\u{e0041}y", 6],
  ["the front matter", "---\nname: a\ndescription: d\u202e\n---\nfine", 3],
  ["a zero-width blank", "---\nname: a\ndescription: d\n---\n\nsee\u200bthis", 6],
  ["a joiner between plain letters", "---\nname: a\ndescription: d\n---\nx\u200dy", 5],
])("characters that nobody sees are told: %s", (_, text, line) => {
  const result = parseAgentFile(text);
  expect(problems(result)).toEqual([`${line} warning hidden_characters`]);
  expect(result.agent).toBeDefined();
});

test("joined emoji are no hidden text", () => {
  expect(parseAgentFile("---\nname: a\ndescription: d 👩‍💻\n---\n🏳️‍🌈 hi").diagnostics).toEqual([]);
});
