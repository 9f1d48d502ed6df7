import { expect, test } from "vitest";
import { parseSkillFile, type SkillFile } from "../../src/agents/skill-file.ts";

const BODY = "# Steps\n\nDo it carefully.\n";

function parse(text: string, folder = "pdf-tools"): SkillFile {
  return parseSkillFile(text, { file: `skills/${folder}/SKILL.md`, folder });
}

function front(lines: string): SkillFile {
  return parse(`---\n${lines}\n---\n\n${BODY}`);
}

function codes({ diagnostics }: SkillFile): string[] {
  return diagnostics.map(({ code }) => code);
}

test("a skill that conforms to the specification is read without a word", () => {
  const read = front("name: pdf-tools\ndescription: Reads PDF files. Use it when one is named.\nlicense: MIT");
  expect(read.skill).toEqual({ name: "pdf-tools", description: "Reads PDF files. Use it when one is named." });
  expect(read).toMatchObject({ body: BODY.trim(), diagnostics: [], departures: [], rung: "strict" });
  expect(read.fields).toContainEqual({ field: "license", became: "ignored", note: "for people" });
});

test.each([
  ["Read, Grep, Bash(git log:*, git show:*)", ["Read", "Grep", "Bash(git log:*, git show:*)"]],
  ["Read Grep", ["Read", "Grep"]],
  ["[Read, Grep]", ["Read", "Grep"]],
  ["Read", ["Read"]],
])("the tools that a skill asks for are told in whichever way they are written: %s", (written, tools) => {
  expect(front(`name: a\ndescription: d\nallowed-tools: ${written}`).skill?.tools).toEqual(tools);
});

test.each(["allowedTools", "allowed_tools", "tools"])("%s is a spelling of allowed-tools", (key) => {
  expect(front(`name: a\ndescription: d\n${key}: Read`).skill?.tools).toEqual(["Read"]);
});

test("a skill without front matter is called like its folder and described by its first words", () => {
  const read = parse("# PDF\n\nHow to **read** a PDF file.\n");
  expect(read.skill).toEqual({ name: "pdf-tools", description: "How to read a PDF file." });
  expect(codes(read)).toEqual(["no_front_matter", "missing_description"]);
});

test.each([
  ["front matter that is never closed", `---\nname: pdf\ndescription: Reads PDF files\n\n${BODY}`, "front_matter_open"],
  [
    "front matter inside of a code block",
    "```yaml\n---\nname: pdf\ndescription: Reads PDF files\n---\n```\n\nGo.",
    "front_matter_fenced",
  ],
  [
    "a text with a colon in it",
    `---\nname: pdf\ndescription: Reads: PDF files\n---\n${BODY}`,
    "front_matter_recovered",
  ],
  [
    "a tab for indentation",
    `---\nname: pdf\ndescription: Reads\nmetadata:\n\tauthor: x\n---\n${BODY}`,
    "front_matter_recovered",
  ],
])("%s costs neither name nor description", (_, text, code) => {
  const read = parse(text);
  expect(read.skill).toMatchObject({ name: "pdf", description: expect.stringMatching(/^Reads/) as string });
  expect(codes(read)).toContain(code);
});

test.each([
  ["a byte order mark", `\uFEFF---\nname: pdf\ndescription: d\n---\n${BODY}`],
  ["lines that end with CR LF", `---\r\nname: pdf\r\ndescription: d\r\n---\r\n${BODY}`],
  ["a blank line before the front matter", `\n---\nname: pdf\ndescription: d\n---\n${BODY}`],
  ["dashes inside of a value", `---\nname: pdf\ndescription: d\nnote: a --- b\n---\n${BODY}`],
])("%s does no harm", (_, text) => {
  expect(parse(text).skill).toEqual({ name: "pdf", description: "d" });
});

test.each([
  ["PDF Tools", "PDF-Tools"],
  ["3d-models", "skill-3d-models"],
  ["pdf.tools", "pdf-tools"],
])("the name %j becomes %j, with a word about it", (written, name) => {
  const read = front(`name: ${written}\ndescription: d`);
  expect(read.skill?.name).toBe(name);
  expect(codes(read)).toEqual(["changed_name"]);
});

test("a name that leads somewhere else is not used", () => {
  expect(front('name: "../../etc"\ndescription: d').skill?.name).toBe("pdf-tools");
});

test("a long description, several lines and a literal backslash stay as they are", () => {
  const long = "word ".repeat(400).trim();
  expect(front(`name: a\ndescription: "${long}"`).skill?.description).toBe(long);
  expect(front("name: a\ndescription: |\n  one\n  two").skill?.description).toBe("one\ntwo");
  expect(front("name: a\ndescription: one\\ntwo").skill?.description).toBe("one\\ntwo");
});

test("when to use it is part of the description", () => {
  expect(front("name: a\ndescription: d\nwhen_to_use: always").skill?.description).toBe("d\nalways");
});

test("a skill that models are not to call up says so", () => {
  expect(front("name: a\ndescription: d\ndisable-model-invocation: true").skill?.forModels).toBe(false);
  expect(front("name: a\ndescription: d\ndisable-model-invocation: false").skill).not.toHaveProperty("forModels");
});

test("commands in the text are never run and are reported as unsafe, with their line", () => {
  const read = parse("---\nname: a\ndescription: d\n---\n\nStatus:\n\n!`git status`\n");
  expect(read.fields).toContainEqual(expect.objectContaining({ field: "text", became: "unsafe" }));
  expect(read.diagnostics).toMatchObject([{ code: "shell_not_run", line: 8, severity: "warning" }]);
  expect(read.body).toContain("!`git status`");
});

test("hooks of a skill are unsafe, unknown keys are told", () => {
  const read = front("name: a\ndescription: d\nhooks: {}\nvibe: calm");
  expect(read.fields).toContainEqual({ field: "hooks", became: "unsafe", note: "hooks of a skill are not run" });
  expect(read.diagnostics).toMatchObject([{ code: "unknown_key", line: 5 }]);
});

test("characters that nobody sees are told", () => {
  expect(codes(front("name: a\ndescription: d\u200bd"))).toContain("hidden_characters");
});

test("nothing comes of a skill without text, or of one that is too large", () => {
  expect(parse("---\nname: a\ndescription: d\n---\n").skill).toBeUndefined();
  expect(parse("x".repeat(2_000_000)).skill).toBeUndefined();
});

test.each([
  ["name: PDF\ndescription: d", "name must have 1 to 64"],
  ["name: other\ndescription: d", "name must be that of its folder"],
  ["name: pdf-tools", "description must have 1 to 1,024"],
  [`name: pdf-tools\ndescription: ${"x".repeat(1_025)}`, "description must have 1 to 1,024"],
  ["name: pdf-tools\ndescription: d\nmetadata: {a: 1}", "metadata must map texts to texts"],
  ["name: pdf-tools\ndescription: d\nallowed-tools: [Read]", "allowed-tools must be a text"],
  [`name: pdf-tools\ndescription: d\ncompatibility: ${"x".repeat(501)}`, "compatibility must have"],
])("what departs from the specification is named: %s", (lines, rule) => {
  expect(front(lines).departures.join("\n")).toContain(rule);
});
