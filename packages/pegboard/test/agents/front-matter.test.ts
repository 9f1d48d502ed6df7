import { expect, test } from "vitest";
import { parseAgentFile } from "../../src/agents/agent-file.ts";
import { problems } from "./parse-lines.ts";

const GOOD = { name: "a", description: "d", instructions: "You are x.", tools: ["read"] };

test.each([
  ["a byte order mark", "\uFEFF---\nname: a\ndescription: d\ntools: [read]\n---\nYou are x.\n"],
  ["lines that end as on Windows", "---\r\nname: a\r\ndescription: d\r\ntools: [read]\r\n---\r\nYou are x.\r\n"],
  ["lines that end as on old machines", "---\rname: a\rdescription: d\rtools: [read]\r---\rYou are x."],
  ["blank lines before it", "\n  \n\n---\nname: a\ndescription: d\ntools: [read]\n---\nYou are x."],
  ["blanks after its marks", "--- \t\nname: a\ndescription: d\ntools: [read]\n---  \nYou are x."],
  ["nothing after the text", "---\nname: a\ndescription: d\ntools: [read]\n---\nYou are x."],
  ["JSON", '---\n{ "name": "a", "description": "d",\n"tools": ["read"] }\n---\nYou are x.'],
  ["comments", "---\n# mine\nname: a # the name\ndescription: d\ntools: [read] # all\n---\nYou are x."],
  ["a list at the left edge", "---\nname: a\ndescription: d\ntools:\n- read\n---\nYou are x."],
  ["a list over several lines", "---\nname: a\ndescription: d\ntools: [\n  read,\n]\n---\nYou are x."],
])("a front matter can have %s", (_, text) => {
  const result = parseAgentFile(text);
  expect(result).toMatchObject({ agent: GOOD, diagnostics: [], rung: "strict" });
});

test("only a line that is --- and nothing else ends a front matter", () => {
  const { agent } = parseAgentFile("---\nname: a\ndescription: a --- b\nmodel: x---y\ntools: [read]\n---\nYou are x.");
  expect(agent).toMatchObject({ ...GOOD, description: "a --- b", model: "x---y" });
});

test.each([
  ["that ends below it", "```yaml\n---\nname: a\ndescription: d\ntools: [read]\n---\n```\nYou are x.", 2],
  [
    "that ends with the file",
    "\n```markdown\n\n---\nname: a\ndescription: d\ntools: [read]\n---\nYou are x.\n```\n",
    4,
  ],
])("a front matter inside of a code block %s is read, with a warning", (_, text, line) => {
  const result = parseAgentFile(text);
  expect(result.agent).toEqual(GOOD);
  expect(problems(result)).toEqual([`${line} warning front_matter_fenced`]);
});

test.each([
  ["another block", "---\nname: a\ndescription: d\n---\n\n---\ntools: [read]\n---\nYou are x.", 5],
  ["the rest of it", "---\nname: a\ndescription: d\n---\ntools: [read]\nmodel: m\n---\nYou are x.", 5],
])("fields below the front matter mean no tools: %s", (_, text, line) => {
  const result = parseAgentFile(text);
  expect(result.agent).toMatchObject({ name: "a", tools: [] });
  expect(problems(result)).toEqual([`${line} error front_matter_cut`]);
});

test.each([
  ["prose before a rule", "name: is what I ask for first.\nThen I go on.\n---\nmore"],
  ["a rule first", "---\nYou are x.\n---\nmore"],
  ["an example of an agent", "```\n---\nname: b\ntools: [read]\n---\n```\nmore"],
  ["words with colons, and no field", "Note: be brief.\n---\nmore"],
  ["fields that nothing ends", "tools: [read]"],
])("a text may look a little like a front matter: %s", (_, body) => {
  const { agent, diagnostics } = parseAgentFile(`---\nname: a\ndescription: d\n---\n${body}`);
  expect(diagnostics).toEqual([]);
  expect(agent).toEqual({ name: "a", description: "d", instructions: body });
});

test.each([
  [
    "a colon in a text",
    "description: Use this when: the build fails. Example: user: 'hi'",
    { description: "Use this when: the build fails. Example: user: 'hi'" },
    "quoted",
  ],
  ["a star at the start of a text", "description: *Always* use it", { description: "*Always* use it" }, "quoted"],
  ["a backtick at the start of a text", "description: `x` fixer", { description: "`x` fixer" }, "quoted"],
  ["text after quotes", 'description: "Quick" helper', { description: '"Quick" helper' }, "quoted"],
  ["text after brackets", "description: [beta] helper", { description: "[beta] helper" }, "quoted"],
  ["tabs", "description: d\ncompatible_models:\n\t- x", { compatibleModels: ["x"] }, "quoted"],
  [
    "an example over several lines",
    'description: Use it when: needed.\n\n  <example>\n    user: "hi"\n  </example>',
    { description: 'Use it when: needed.\n\n<example>\n  user: "hi"\n</example>' },
    "blocks",
  ],
  ["a quote that does not end", 'description: "Use it\n  often', { description: '"Use it\noften' }, "blocks"],
  ["a block whose lines jump", "description: |\n    one\n  two", { description: "one\ntwo" }, "blocks"],
  ["a line that is no field", "description: d\nwhat is this\nmodel: m", { description: "d", model: "m" }, "lines"],
  ["a line before all fields", "<agent>\ndescription: d", { description: "d" }, "lines"],
  ["a field that is there twice", "description: d\ndescription: e", { description: "d" }, "lines"],
  ["a second document", "description: d\n...\nmodel: m", { description: "d", model: "m" }, "lines"],
])("%s does not keep an agent from its other fields", (_, lines, fields, rung) => {
  const result = parseAgentFile(`---\n${lines}\nname: a\ntools: [read]\n---\nYou are x.`);
  expect(result.agent).toMatchObject({ name: "a", instructions: "You are x.", tools: ["read"], ...fields });
  expect(result.rung).toBe(rung);
  expect(new Set(result.diagnostics.map(({ severity, code }) => `${severity} ${code}`))).toContain(
    "warning front_matter_recovered",
  );
  expect(result.diagnostics.every(({ line, severity }) => line !== undefined && severity === "warning")).toBe(true);
});

test("the warning of what was recovered names the field, its line and what is wrong with it", () => {
  const { diagnostics } = parseAgentFile("---\nname: a\ndescription: when: x\n---\nYou are x.", { file: "a.md" });
  expect(diagnostics).toMatchObject([
    {
      severity: "warning",
      file: "a.md",
      line: 3,
      message: expect.stringMatching(/^description is no valid YAML \(.+\); it was read with its text in quotes/),
    },
  ]);
});

test("texts inside of prompt tools are recovered too, and those in blocks stay as they are", () => {
  const { agent, rung } = parseAgentFile(`---
name: a
description: d
tools:
  - read
  - name: p
    description: Use it when: needed
    prompt: |
      Answer: yes: or no
      tools: none
    tools: [read]
---
You are x.`);
  expect(rung).toBe("quoted");
  expect(agent?.tools).toEqual(["read"]);
  expect(agent?.promptTools).toMatchObject([
    { name: "p", description: "Use it when: needed", prompt: "Answer: yes: or no\ntools: none\n", tools: ["read"] },
  ]);
});

test.each([
  ["a list that does not end", "tools: [read"],
  ["a lone star", "tools: *"],
  ["an alias", "x: &all [a]\ny: z: z\ntools: *all"],
  ["a line between its entries", "tools:\n  - read\nxx\n  - write"],
  ["a text in quotes that does not end", 'tools: "read'],
  ["the same list twice", "tools: [read]\ntools: [write]"],
  ["an indented line", "model: m\n  tools: [read]"],
  ["a line that another one swallows", "description: when: x tools: [read]"],
  ["a missing colon", "tools [read]"],
  ["an unreadable mode", "mode: [none"],
  ["an unreadable denial", "blocked_tools: @shell"],
  ["a line inside of braces", '{ "x": "\ntools: [read]\n", "name": "a", "description": "d" }'],
])("A0-24: tools that a broken front matter may have restricted are not given: %s", (_, lines) => {
  const isWhole = lines.startsWith("{");
  const { agent, diagnostics } = parseAgentFile(`---\n${isWhole ? "" : "name: a\n"}${lines}\n---\nYou are x.`);
  expect(agent).toMatchObject({ name: "a", tools: [] });
  expect(agent).not.toHaveProperty("promptTools");
  expect(diagnostics.filter(({ severity }) => severity === "error")).toMatchObject([{ code: "rights_unreadable" }]);
});

test("a description that speaks of tools costs none where the list can be read", () => {
  const text = "---\nname: a\ndescription: It has tools: many. In plan mode: few\ntools: [read]\n---\nYou are x.";
  expect(parseAgentFile(text)).toMatchObject({ agent: { tools: ["read"] }, rung: "quoted" });
});

test("a front matter of nothing but fields, thousands of them, is refused", () => {
  const fields = Array.from({ length: 5_000 }, (_, index) => `k${index}: a: b`).join("\n");
  const good = fields.replaceAll(": b", "");
  for (const yaml of [fields, good]) {
    const result = parseAgentFile(`---\nname: a\n${yaml}\n---\nx`, { name: "a" });
    expect(result).toMatchObject({ agent: { tools: [] }, rung: "none" });
    expect(result.diagnostics).toHaveLength(1);
  }
});
