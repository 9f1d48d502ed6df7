import { expect, test } from "vitest";
import { readShell, type WrittenShell } from "../../src/node/shell/settings.ts";

type Written = NonNullable<WrittenShell["rules"]>[number];

const read = (...rules: Written[]) =>
  readShell({ rules }, "pegboard.yaml", (pointer) => ({ line: Number(/\d+/.exec(pointer)?.[0] ?? 0) + 7, column: 3 }));

test.each<Written>([
  {
    pattern: "git ",
    approval: "preApproved",
    match: ["git status", "git log -n 3"],
    not_match: ["git -c x=y log", "ls"],
  },
  {
    pattern: "git push",
    approval: "preApproved",
    match: ["git push origin main"],
    not_match: ["git push -f", "git push https://x.example/y"],
  },
  { pattern: "rm", approval: "blocked", match: ["rm x", "sh -c 'rm x'", "ls; rm x"], not_match: ["git rm x", "ls rm"] },
  { pattern: "git push", approval: "ask", match: ["git -P push"], not_match: ["git pull"] },
  { pattern: "node", approval: "preApproved", unsafe: true, match: ["node x.js"], not_match: ["node $x"] },
])("a rule that holds its examples is read: $pattern $approval", (rule) => {
  const { settings, diagnostics } = read(rule);
  expect(diagnostics).toEqual([]);
  expect(settings?.rules).toMatchObject([{ pattern: rule.pattern, origin: { file: "pegboard.yaml", line: 7 } }]);
});

test.each<[Written, RegExp]>([
  [
    { pattern: "git ", approval: "preApproved", match: ["git log --output=x"] },
    /"git log --output=x" is not matched, but `match` lists it: .*--output/,
  ],
  [{ pattern: "git ", approval: "preApproved", match: ["git status && ls"] }, /is not matched/],
  [
    { pattern: "git ", approval: "preApproved", not_match: ["git commit -m x"] },
    /"git commit -m x" is matched, but `not_match` lists it/,
  ],
  [{ pattern: "rm", approval: "blocked", match: ["rmdir x"] }, /is not matched/],
  [{ pattern: "rm", approval: "blocked", not_match: ["sudo rm x"] }, /is matched/],
])("a rule that does not is an error with its file and line, and nothing is read: %j", (rule, message) => {
  const { settings, diagnostics } = read({ pattern: "ls", approval: "ask" }, rule);
  expect(settings).toBeUndefined();
  expect(diagnostics).toMatchObject([
    {
      severity: "error",
      code: "example_failed",
      file: "pegboard.yaml",
      line: 8,
      message: expect.stringMatching(message),
    },
  ]);
});
