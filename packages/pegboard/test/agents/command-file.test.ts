import { expect, test } from "vitest";
import { type CommandFile, parseCommandFile } from "../../src/agents/command-file.ts";

function front(lines: string, models: readonly string[] = []): CommandFile {
  return parseCommandFile(`---\n${lines}\n---\n\nFix issue $1.\n`, { file: "commands/fix.md", name: "fix", models });
}

function codes({ diagnostics }: CommandFile): string[] {
  return diagnostics.map(({ code }) => code);
}

test("a command has the name of its file, and its text is the prompt", () => {
  const { command, diagnostics } = front("description: Fixes an issue\nargument-hint: <number>");
  expect(command).toEqual({
    name: "fix",
    description: "Fixes an issue",
    prompt: "Fix issue $1.",
    argumentHint: "<number>",
  });
  expect(diagnostics).toEqual([]);
});

test("a command without front matter is described by its first words", () => {
  const { command, diagnostics } = parseCommandFile("Fix the issue.\n", { name: "fix" });
  expect(command).toEqual({ name: "fix", description: "Fix the issue.", prompt: "Fix the issue." });
  expect(diagnostics).toEqual([]);
});

test("a hint in brackets that is no YAML is still a hint", () => {
  const read = front("description: d\nargument-hint: [file] | [folder]");
  expect(read.command?.argumentHint).toBe("[file] | [folder]");
  expect(codes(read)).toEqual(["front_matter_recovered"]);
  expect(front("description: d\nargument-hint: [file]").command?.argumentHint).toBe("file");
});

test("the tools of a command take our names, and unknown ones are left out and told", () => {
  const read = front(
    "description: d\nallowed-tools: Read, Bash(git add:*), Bash(git commit:*), mcp__github__issue, Telepathy",
  );
  expect(read.command?.tools).toEqual(["read_file", "shell", "github__issue"]);
  expect(read.diagnostics).toMatchObject([
    { code: "unknown_tool", message: expect.stringContaining("Telepathy") as string },
  ]);
});

test("denied tools stay denied, also unknown ones", () => {
  const read = front("description: d\ndisallowed-tools: Write, Telepathy");
  expect(read.command?.tools).toEqual(["!write_file", "!delete_file", "!Telepathy"]);
});

test.each(["allowed-tools: {Read: true}", "allowed-tools: [Read, {a: 1}]", 'allowed-tools: "Read\nx'])(
  "tools that cannot be read are no tools: %s",
  (line) => {
    expect(front(`description: d\n${line}`).command?.tools).toEqual([]);
  },
);

test("an empty list is no tools, not all of them", () => {
  expect(front("description: d\nallowed-tools: []").command?.tools).toEqual([]);
});

test("front matter that is never closed costs the tools", () => {
  const { command } = parseCommandFile("---\ndescription: d\nallowed-tools: Read\n\nGo.\n", { name: "fix" });
  expect(command).toEqual({ name: "fix", description: "d", prompt: "Go.", tools: [] });
});

test.each([
  ["a slip in the key", "---\ndescription: d\nalowed-tools: Read\n---\nGo."],
  ["a front matter that ends early", "---\ndescription: d\n---\nallowed-tools: Read\n---\nGo."],
  ["a front matter that is none", "----\nallowed-tools: Read\n----\nGo."],
])("%s costs the tools, and does not give all of them", (_, text) => {
  expect(parseCommandFile(text, { name: "fix" }).command?.tools).toEqual([]);
});

test("no slip of one character around the key gives a command more tools than it names", () => {
  const front = "---\ndescription: Fixes it\nargument-hint: [a] | [b]\nallowed-tools: Read, Grep\n---\n";
  const allowed = ["read_file", "search_files"];
  // A key that cannot be recognized, or that is commented out, is none.
  const key = front.indexOf("allowed-tools");
  const isKey = (at: number) => at >= key - 1 && at <= key + "allowed-tools".length;
  for (let at = 0; at < front.length; at++) {
    if (isKey(at)) continue;
    const [before, here, after] = [front.slice(0, at), front.charAt(at), front.slice(at + 1)];
    for (const slip of ["", ...Array.from("-: \n\t#'\"[{|>&!a,")].flatMap((one) => [one, one + here])) {
      const text = before + slip + after;
      const { command } = parseCommandFile(`${text}\nGo.\n`, { name: "fix" });
      const tools = command ? command.tools : [];
      expect(
        tools?.every((tool) => allowed.includes(tool)),
        text,
      ).toBe(true);
    }
  }
});

test("a model is one of the workspace's, or that of whoever runs the command", () => {
  expect(front("description: d\nmodel: sonnet", ["sonnet"]).command?.model).toBe("sonnet");
  const read = front("description: d\nmodel: opus", []);
  expect(read.command).not.toHaveProperty("model");
  expect(read.fields).toContainEqual(expect.objectContaining({ field: "model", became: "approximated" }));
});

test("commands of a shell in the text are unsafe and stay text", () => {
  const read = parseCommandFile("Look:\n- !`git diff HEAD`\n- !`git log`\n", { name: "look" });
  expect(read.command?.prompt).toContain("!`git diff HEAD`");
  expect(read.fields).toContainEqual(expect.objectContaining({ field: "text", became: "unsafe" }));
  expect(read.diagnostics.find(({ code }) => code === "shell_not_run")).toMatchObject({ line: 2 });
});

test("another name in the file is told, and the file's counts", () => {
  const read = front("name: repair\ndescription: d");
  expect(read.command?.name).toBe("fix");
  expect(read.fields).toContainEqual(expect.objectContaining({ field: "name", became: "ignored" }));
});

test("a command without a prompt is none", () => {
  expect(parseCommandFile("---\ndescription: d\n---\n", { name: "fix" }).command).toBeUndefined();
});
