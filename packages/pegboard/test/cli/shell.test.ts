import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { makePlace } from "./run.ts";

const SHELL = `version: 1
toolsets:
  shell:
    default: ask
    rules:
      - { pattern: "rm ", approval: blocked, reason: no removing }
      - { pattern: "git ", approval: preApproved }
      - { pattern: "echo", approval: preApproved }
`;

const workspace = (config = SHELL) => makePlace({ "pegboard.yaml": config }, { trust: true });

test("A1-29 a command that a rule allows runs, and its exit code is in the answer", async () => {
  const place = workspace();
  execFileSync("git", ["init", "-q", "-b", "main", place.folder]);
  const status = await place.run("call", "shell", "command=git status --short --branch", "--json");
  expect(JSON.parse(status.stdout)).toMatchObject({
    ok: true,
    structured: { exitCode: 0, stdout: expect.stringContaining("## No commits yet on main"), stderr: "" },
  });
  const failed = await place.run("call", "shell", "command=git log", "--json");
  expect(failed.code).toBe(0);
  expect(JSON.parse(failed.stdout)).toMatchObject({ ok: true, structured: { exitCode: 128 } });
});

test("A1-29 what no rule allows is denied with the reason and the rule that would allow it; what is blocked stays blocked", async () => {
  const place = workspace();
  const denied = await place.run("call", "shell", "command=ls -la");
  expect(denied).toMatchObject({ code: 3, stdout: "" });
  expect(denied.stderr).toContain("no pattern allows ls");
  expect(denied.stderr).toContain(`shell: { rules: [{ pattern: "ls", approval: preApproved }] }`);
  const substituted = await place.run("call", "shell", "command=echo $(ls)");
  expect(substituted.code).toBe(3);
  expect(substituted.stderr).not.toContain("add this rule");
  const blocked = await place.run("--approve", "all", "call", "shell", "command=echo $(rm -rf x)");
  expect(blocked).toMatchObject({ code: 3 });
  expect(blocked.stderr).toContain("no removing");
});

test("policy explain names the rule, its file and its line", async () => {
  const place = workspace();
  const explain = async (command: string) =>
    JSON.parse((await place.run("policy", "explain", "shell", `command=${command}`, "--json")).stdout) as unknown;
  const file = place.path("pegboard.yaml");
  expect(await explain("git status")).toMatchObject({
    decision: "preApproved",
    rule: 'shell "git " → preApproved',
    file,
    line: 7,
    votes: expect.arrayContaining([expect.objectContaining({ by: "rule", line: 7 })]),
  });
  expect(await explain("git -c core.pager=x log")).toMatchObject({
    decision: "ask",
    file,
    line: 7,
    reason: expect.stringContaining("the option -c"),
  });
  expect(await explain("git log && rm x")).toMatchObject({
    decision: "blocked",
    rule: 'shell "rm " → blocked',
    file,
    line: 6,
    reason: "no removing",
  });
  expect(await explain("make")).toMatchObject({ decision: "ask", reason: "no pattern allows make" });
});

test("a batch of thousands is decided at once, in order", async () => {
  const place = workspace();
  const commands = Array.from({ length: 3_000 }, (_, index) =>
    index % 2 === 0 ? `git log -n ${index}` : `git log -n ${index} --output=x`,
  );
  const stdin = commands.map((command) => JSON.stringify({ tool: "shell", input: { command } })).join("\n");
  const startedAt = performance.now();
  const { stdout, code } = await place.runWith({ stdin }, "policy", "explain", "--batch", "-");
  expect(performance.now() - startedAt).toBeLessThan(10_000);
  expect(code).toBe(0);
  const decisions = stdout
    .trim()
    .split("\n")
    .map((line) => (JSON.parse(line) as { decision: string }).decision);
  expect(decisions).toEqual(commands.map((_, index) => (index % 2 === 0 ? "preApproved" : "ask")));
});

test("a terminal shows the whole command and why it asks, and always saves the narrowest pattern", async () => {
  const place = workspace();
  const { code, stdout } = await place.onTerminal(
    [["Allow it? [y/i/s/a/n/d] ", "a\n"]],
    "call",
    "shell",
    "command=ls -la | wc -l",
    "--no-color",
  );
  expect(code).toBe(0);
  expect(stdout).toContain("    ls -la | wc -l");
  expect(stdout).toContain("no pattern allows ls");
  expect(stdout).toContain("for what begins with ls or wc");
  expect(readFileSync(`${place.home}/policy.yaml`, "utf8")).toContain("pattern: ls\n");
  expect(await place.run("call", "shell", "command=ls | wc -l")).toMatchObject({ code: 0 });
  expect(await place.run("call", "shell", "command=ls /")).toMatchObject({ code: 3 });
});

test("a workspace that is not trusted runs no command, whatever its rules say", async () => {
  const place = makePlace({ "pegboard.yaml": SHELL });
  const { code, stderr } = await place.run("call", "shell", "command=echo hi");
  expect(code).toBe(4);
  expect(stderr).toContain("not trusted");
  expect((await place.run("trust")).stderr + (await place.run("trust", "--json")).stdout).toContain("git");
});

test("doctor lists what is allowed without looking, and check what covers less than it seems", async () => {
  const rules = `      - { pattern: "node ", approval: preApproved, unsafe: true }\n      - { pattern: frobnicate, approval: preApproved }\n`;
  const policy = `policy:\n  rules:\n    - { tool: shell, input: { /command: "git *" }, approval: preApproved }\n    - { tool: shell, approval: preApproved }\n`;
  const place = workspace(SHELL + rules + policy);
  const { stdout } = await place.run("doctor");
  expect(stdout).toMatch(
    /warn\s+unsafe\s+rules that allow without looking: shell "node " → preApproved, unsafe \(.*pegboard\.yaml:9\)/,
  );
  expect(stdout).toContain("nothing is known about the arguments of frobnicate");
  const checked = await place.run("check");
  expect(checked.stdout).toContain("comparing texts is not enough to allow commands");
  expect(checked.stdout).toContain("would allow every command");
  expect(await place.run("call", "shell", "command=node --eval 1")).toMatchObject({ code: 0 });
  expect(await place.run("call", "shell", "command=frobnicate")).toMatchObject({ code: 3 });
});

test("a pattern that is no plain words leaves out the tool, and is told with its line", async () => {
  const place = workspace(SHELL.replace('"rm "', '"rm $x"'));
  const { stdout } = await place.run("check");
  expect(stdout).toMatch(/line 6: The pattern "rm \$x" must be the plain words/);
  expect((await place.run("list", "tools")).stdout).not.toMatch(/^shell /m);
  expect(await place.run("call", "shell", "command=git status")).toMatchObject({ code: 1 });
});
