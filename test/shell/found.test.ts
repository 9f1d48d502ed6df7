import { expect, test } from "vitest";
import { compileShellPolicy, decideCommand } from "../../packages/pegboard/src/tools/shell/decide.ts";

// What running commands for real has brought to light, kept for machines on which such a program is not installed.
test.each([
  // The letters of tree share the words that follow: the second one is the value of -o.
  ["tree", "tree -Lo 1 made"],
  ["tree", "tree -Po x made"],
  ["tree", "tree -aIo x made"],
  // Whether bash keeps a backslash at the very end depends on how many lines stand before it.
  ["git log", "git log -S'one\ntwo'\\"],
])("the rule %s does not cover %s", (pattern, text) => {
  const policy = compileShellPolicy({ default: "ask", rules: [{ pattern, approval: "preApproved" }] });
  expect(decideCommand(text, policy).decision).toBe("ask");
});

test.each([
  "{rm,-rf} x",
  "r{m,x} x",
  "{r..r}m x",
  "${x:-rm} x",
  "${x-rm x}",
  '"${x:-rm}" x',
  "eval ${x:=rm} x",
  "git status; a=b {rm,x}",
  "git status >&$'\\x24(rm x)'",
  "git status >&$'$(rm x)'",
])("a rule that blocks rm blocks %s", (text) => {
  const rules = [
    { pattern: "*", approval: "preApproved", unsafe: true },
    { pattern: "rm", approval: "blocked" },
  ] as const;
  expect(decideCommand(text, compileShellPolicy({ default: "ask", rules })).decision).toBe("blocked");
});
