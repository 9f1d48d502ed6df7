// One folder and four git commands: `node --conditions=pegboard:source examples/07-folder-and-git/main.ts`
// What the agent may do stands in workspace/pegboard.yaml; everything below happens in a throw-away copy of it.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { cp, mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Json } from "pegboard";
import { describeSandbox, openWorkspace } from "pegboard/node";

const root = await mkdtemp(join(tmpdir(), "pegboard-example-"));
const folder = join(root, "workspace");
await cp(join(import.meta.dirname, "workspace"), folder, { recursive: true });
git("init", "--quiet");
git("add", ".");
git("-c", "user.name=Ada", "-c", "user.email=ada@example.com", "commit", "--quiet", "--message", "Notes on tea");

// Whoever would be asked says no, and remembers what the question was.
const questions: string[] = [];
const workspace = await openWorkspace(folder, {
  home: join(root, "home"),
  trust: true,
  approver: ({ summary }) => {
    questions.push(summary);
    return { decision: "deny", note: "not today" };
  },
});
const session = workspace.open();

try {
  console.log("Commands run", (await describeSandbox(workspace.sandbox)).commands);

  console.log("\nInside of the folder, and with the four commands, nobody is asked:");
  await runs("read_file", { path: "/notes/tea.md" });
  await runs("write_file", { path: "/notes/coffee.md", content: "Four minutes.\n" });
  await runs("shell", { command: "git status --short" }, "?? notes/coffee.md");
  await runs("shell", { command: "git add notes/coffee.md && git diff --cached --stat" }, "coffee.md");
  await runs("shell", { command: "git log --oneline -n 3" }, "Notes on tea");
  assert.deepEqual(questions, []);

  console.log("\nOptions that write files or run programs are not part of the permission, and ask:");
  await fails("denied", "shell", { command: "git log --output=notes/tea.md" });
  await fails("denied", "shell", { command: "git diff --ext-diff" });
  await fails("denied", "shell", { command: "git status > status.txt" });
  assert.equal(questions.length, 3);

  console.log("\nEverything else is refused, and nobody is asked:");
  await fails("blocked", "shell", { command: "git push" });
  await fails("blocked", "shell", { command: "rm -rf notes" });
  await fails("blocked", "shell", { command: "git status && rm -rf notes" });
  await fails("denied", "read_file", { path: "/notes/../pegboard.yaml" });
  await fails("denied", "read_file", { path: "/etc/passwd" });
  assert.equal(questions.length, 3);

  assert.equal(await readFile(join(folder, "notes/coffee.md"), "utf8"), "Four minutes.\n");
  assert.match(await readFile(join(folder, "notes/tea.md"), "utf8"), /two minutes/);
} finally {
  await workspace.close();
  await rm(root, { recursive: true });
}

/** Calls a tool that must succeed, with this in what it says. */
async function runs(tool: string, input: Json, expected = ""): Promise<void> {
  const { ok, content, error } = await session.call(tool, input);
  const text = content.map((part) => (part.type === "text" ? part.text : "")).join("\n");
  console.log(`  ${tool} ${JSON.stringify(input)}: ${error?.message ?? text.split("\n")[0]}`);
  assert.ok(ok && text.includes(expected));
}

/** Calls a tool that must fail with this code. */
async function fails(code: string, tool: string, input: Json): Promise<void> {
  const { error } = await session.call(tool, input);
  console.log(`  ${tool} ${JSON.stringify(input)}: ${error?.message}`);
  assert.equal(error?.code, code);
}

/** Prepares the repository; nothing of the person's own settings takes part. */
function git(...argv: string[]): void {
  const env = { PATH: process.env["PATH"], HOME: root, GIT_CONFIG_NOSYSTEM: "1" };
  execFileSync("git", argv, { cwd: folder, env });
}
