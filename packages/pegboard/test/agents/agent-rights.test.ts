import fc from "fast-check";
import { expect, test } from "vitest";
import { parseAgentFile } from "../../src/agents/agent-file.ts";

const FILE = `---
name: helper
description: Looks things up, and says: done
model: google:gemini-2.5-flash
requirements:
  require_tool_use: true
  required_tools_all:
    - a
tools: [a]
temperature: 0.5
max_turns: 3
---
You look things up.
`;

const PIECES = [
  ...Array.from("\n\n\n\t \"'[]{}|>-?:,&*!#%@`\\\r\u2028"),
  "---",
  "---\n",
  "...\n",
  "\n---\n",
  ": ",
  "- ",
  "x: |\n",
  "x: >\n  ",
  'x: "',
  "x: [",
  "x: {",
  "\n  ",
  "&a ",
  "*a",
  "!t ",
  "tool",
  "mode",
  "description: ",
  "<<: *a\n",
  "# ",
  "```\n",
  "\uFEFF",
  "null",
  "? x\n",
  "- tools: b\n",
];

/** Anywhere, and more often near the line that restricts the agent. */
const at = fc.oneof(
  fc.nat(FILE.length),
  fc.nat(24).map((near) => FILE.indexOf("\ntools") - 6 + near),
);
const edit = fc.oneof(
  { weight: 3, arbitrary: fc.record({ at, cut: fc.constant(0), put: fc.constantFrom(...PIECES) }) },
  { weight: 2, arbitrary: fc.record({ at, cut: fc.nat(12), put: fc.constant("") }) },
  { weight: 1, arbitrary: fc.record({ at, cut: fc.nat(4), put: fc.string({ maxLength: 6 }) }) },
);

/** Whether the line that restricts the agent still is a line of what a person would take for the front matter. */
function isRestricted(text: string): boolean {
  const lines = text
    .replace(/^\uFEFF/, "")
    .replaceAll(/\r\n?/g, "\n")
    .trimStart()
    .split("\n");
  if (lines[0]?.trimEnd() !== "---") return false;
  const end = lines.findIndex((line, index) => index > 0 && line.trimEnd() === "---");
  return lines.slice(1, end < 0 ? undefined : end).includes("tools: [a]");
}

test("A0-24: no damage to a file gives its agent more tools than the list that is still in it", () => {
  let loaded = 0;
  fc.assert(
    fc.property(fc.array(edit, { minLength: 1, maxLength: 4 }), (edits) => {
      const text = edits.reduce((so, { at, cut, put }) => so.slice(0, at) + put + so.slice(at + cut), FILE);
      fc.pre(isRestricted(text));
      const { agent } = parseAgentFile(text, { name: "helper" });
      if (!agent) return;
      loaded++;
      expect(agent.tools).toBeDefined();
      expect(agent.tools!.filter((entry) => entry !== "a" && !entry.startsWith("!"))).toEqual([]);
      if (!agent.tools!.includes("a")) expect(agent.tools).toEqual([]);
      expect(agent).not.toHaveProperty("promptTools");
      expect(agent).not.toHaveProperty("toolsets");
    }),
    { numRuns: 1_000 },
  );
  expect(loaded).toBeGreaterThan(100);
});

test.each([
  ["a slip", "agent: [clerk]"],
  ["not a list of texts", "agents: { clerk: true }"],
  ["there twice", "agents: [clerk]\nagents: [spy]"],
  ["in a line that is none", "x: |\n  y\n agents: [clerk]"],
])("whom an agent may ask is a right: where that is %s, it has no tools or is none", (_, lines) => {
  const { agent } = parseAgentFile(`---\nname: helper\ndescription: d\n${lines}\n---\nYou help.\n`, { name: "helper" });
  expect(agent ? agent.tools : []).toEqual([]);
});

test.each(["allowed-tools Read", "disallowed-tools- Bash"])(
  "a field that has lost its colon costs the tools: %s",
  (line) => {
    const { agent } = parseAgentFile(`---\nname: a\ndescription: d\n${line}\n---\nYou help.\n`);
    expect(agent?.tools).toEqual([]);
  },
);
