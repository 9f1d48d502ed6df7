import { execFileSync } from "node:child_process";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { createRuntime, type Result, type Session } from "../../src/index.ts";
import { createShell, type ShellOptions } from "../../src/node/index.ts";

interface Place {
  readonly folder: string;
  readonly session: Session;
  run(command: string, more?: { cwd?: string; timeout?: number }): Promise<Result>;
}

/** A folder with a shell in it, in which everything is approved that asks. */
function makePlace(options: Partial<ShellOptions> = {}, approve: "all" | "none" = "all"): Place {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "pegboard-shell-")));
  const { tools, judge } = createShell({ default: "ask", root: folder, ...options });
  const runtime = createRuntime();
  runtime.tools.register(tools, { layer: "builtin", source: { kind: "builtin", id: "shell" }, judge });
  const session = runtime.open({ cwd: folder, approve });
  onTestFinished(async () => {
    await runtime.close();
    rmSync(folder, { recursive: true, force: true });
  });
  return { folder, session, run: (command, more = {}) => session.call("shell", { command, ...more }) };
}

describe("a command that ran", () => {
  test("A1-29 is a success with its exit code and both outputs, whatever the code", async () => {
    const { run } = makePlace();
    expect(await run("echo hello")).toMatchObject({
      ok: true,
      structured: { exitCode: 0, stdout: "hello\n", stderr: "", timedOut: false, cut: false },
    });
    const failed = await run("sh -c 'echo out; echo err >&2; exit 3'");
    expect(failed).toMatchObject({
      ok: true,
      structured: { exitCode: 3, stdout: "out\n", stderr: "err\n" },
      meta: { exitCode: 3 },
    });
    expect(failed.content).toEqual([{ type: "text", text: "[exit code 3]\nout\n\n[stderr]\nerr" }]);
  });

  test("A1-29 ends with 127 when there is no such program, with 126 when it cannot be run", async () => {
    const { run, folder } = makePlace();
    writeFileSync(join(folder, "plain.sh"), "echo hi\n");
    expect(await run("no-such-program x")).toMatchObject({
      ok: true,
      structured: { exitCode: 127, stderr: expect.stringContaining("no-such-program") },
    });
    expect(await run("./plain.sh")).toMatchObject({
      ok: true,
      structured: { exitCode: 126, stderr: expect.stringContaining("not executable") },
    });
    expect(await run("no-such-program | cat; echo on")).toMatchObject({ structured: { exitCode: 0, stdout: "on\n" } });
  });

  test("that a signal ended says which", async () => {
    const { run } = makePlace();
    expect(await run("sh -c 'kill -TERM $$'")).toMatchObject({
      ok: true,
      structured: { exitCode: 143, signal: "SIGTERM" },
    });
  });

  test("reports its lines while it runs", async () => {
    const { run, session } = makePlace();
    await run("sh -c 'echo first; sleep 0.3; echo second'");
    await session.close();
    const lines: string[] = [];
    for await (const { type, data } of session.events())
      if (type === "call-progress") lines.push((data as { message: string }).message);
    expect(lines).toEqual(["first", "second"]);
  });
});

describe("plain commands run as they were looked at, without a shell", () => {
  test.each([
    ["true && echo a", "a\n"],
    ["false && echo a", ""],
    ["false || echo b", "b\n"],
    ["true || echo b", ""],
    ["false && echo a || echo c", "c\n"],
    ["true || echo a && echo c", "c\n"],
    ["echo a; false; echo b\necho c", "a\nb\nc\n"],
    ["printf 'b\\na\\n' | sort | tr a-z A-Z", "A\nB\n"],
    ["echo err-goes-through 2>&1 | cat", "err-goes-through\n"],
    ["sh -c 'echo e >&2' 2>&1 | tr e E", "E\n"],
    ["sh -c 'echo e >&2; echo o' 2>/dev/null", "o\n"],
    ["echo nothing > /dev/null", ""],
    ["cat <<'EOF'\n$HOME `x`\nEOF", "$HOME `x`\n"],
    ["cat <<< 'one line'", "one line\n"],
    ["echo ignored | cat <<< own", "own\n"],
    ["printf '%s|' 'a b' \"c d\" e\\ f $'g\\nh' '*' '$x'", "a b|c d|e f|g\nh|*|$x|"],
  ])("%j", async (command, stdout) => {
    expect(await makePlace().run(command)).toMatchObject({ ok: true, structured: { stdout } });
  });

  test("the status of a pipeline is that of its last command", async () => {
    const { run } = makePlace();
    expect(await run("false | true")).toMatchObject({ structured: { exitCode: 0 } });
    expect(await run("true | false")).toMatchObject({ structured: { exitCode: 1 } });
  });

  test("a reader that has had enough ends the writer", async () => {
    const { run } = makePlace();
    expect(await run("yes | head -n 2", { timeout: 5 })).toMatchObject({ ok: true, structured: { stdout: "y\ny\n" } });
  });

  test("a slow reader gets everything", async () => {
    const { run } = makePlace();
    const { structured } = await run("seq 1 200000 | sh -c 'sleep 0.4; wc -l'");
    expect(structured).toMatchObject({ stdout: expect.stringMatching(/^\s*200000\n$/) });
  });
});

test("what only a shell can do is done by one, once it is approved", async () => {
  const { run } = makePlace();
  expect(await run("for i in 1 2; do echo $i; done; cd / && pwd; echo $((1+1)) {a,b}")).toMatchObject({
    ok: true,
    structured: { stdout: "1\n2\n/\n2 a b\n" },
  });
});

describe("nobody is asked", () => {
  test("A1-29 for what a rule allows; everything else is refused with the reason", async () => {
    const { run } = makePlace(
      {
        rules: [
          { pattern: "echo", approval: "preApproved" },
          { pattern: "rm", approval: "blocked", reason: "no removing" },
        ],
      },
      "none",
    );
    expect(await run("echo a && echo b")).toMatchObject({ ok: true, structured: { stdout: "a\nb\n" } });
    expect(await run("echo $(id)")).toMatchObject({
      ok: false,
      error: { code: "denied", message: expect.stringContaining("a command substitution") },
    });
    expect(await run("echo a; ls")).toMatchObject({ ok: false, error: { code: "denied" } });
    expect(await run("echo a; rm x")).toMatchObject({
      ok: false,
      error: { code: "blocked", message: expect.stringContaining("no removing") },
    });
  });

  test("A1-29 for no command that a rule's own program would start by its options", async () => {
    const { run, folder } = makePlace({ rules: [{ pattern: "git status", approval: "preApproved" }] }, "none");
    execFileSync("git", ["init", "-q", folder]);
    expect(await run("git status --short")).toMatchObject({ ok: true, structured: { exitCode: 0 } });
    for (const command of ["git -c alias.status='!touch ran' status", "git -c core.fsmonitor='touch ran' status"])
      expect(await run(command)).toMatchObject({ ok: false, error: { code: "denied" } });
    expect(existsSync(join(folder, "ran"))).toBe(false);
  });

  test("A1-29 for what no rule and no default concerns: it is blocked, also where everything is approved", async () => {
    const { run, session } = makePlace({
      default: undefined as never,
      rules: [{ pattern: "echo", approval: "preApproved" }],
    });
    expect(await run("ls")).toMatchObject({ ok: false, error: { code: "blocked" } });
    expect(session.list().map(({ name }) => name)).toContain("shell");
  });

  test("for a shell whose rules allow nothing: it is not even listed", async () => {
    const { run, session } = makePlace({ default: "blocked" });
    expect(session.list().map(({ name }) => name)).not.toContain("shell");
    expect(await run("ls")).toMatchObject({ ok: false, error: { code: "blocked" } });
  });
});

describe("paths", () => {
  const rules = [
    { pattern: "cat", approval: "preApproved" as const },
    { pattern: "git ", approval: "preApproved" as const },
  ];

  test("that lead out of the workspace ask, also through links", async () => {
    const { session, folder } = makePlace({ rules }, "none");
    mkdirSync(join(folder, "sub"));
    writeFileSync(join(folder, "a.txt"), "inside\n");
    symlinkSync("/etc/passwd", join(folder, "link"));
    symlinkSync("/etc", join(folder, "sub", "etc"));
    symlinkSync("../a.txt", join(folder, "sub", "fine"));
    const decisionOf = async (command: string, cwd?: string) =>
      (await session.explain("shell", { command, ...(cwd !== undefined && { cwd }) })).decision;
    for (const command of [
      "cat a.txt",
      "cat sub/../a.txt",
      "cat sub/fine",
      `cat ${folder}/a.txt`,
      "cat missing",
      "git log feature/x",
      "git show HEAD:../x",
      "git show HEAD:/etc/passwd",
    ])
      expect(await decisionOf(command), command).toBe("preApproved");
    for (const command of [
      "cat /etc/passwd",
      "cat ../x",
      "cat link",
      "cat sub/etc/passwd",
      "cat sub/etc/new",
      "cat sub/etc/../a.txt",
      "cat missing/../../x",
      "cat '~/../x'",
    ])
      expect(await decisionOf(command), command).toBe("ask");
    expect(await decisionOf("cat ../a.txt", "sub")).toBe("preApproved");
    expect(await decisionOf("cat a.txt", "..")).toBe("ask");
    expect(await decisionOf("cat a.txt", "/")).toBe("ask");
  });

  test("are taken from the folder of the session", async () => {
    const { folder } = makePlace();
    mkdirSync(join(folder, "sub"));
    writeFileSync(join(folder, "sub", "b.txt"), "b\n");
    const { tools, judge } = createShell({ root: folder, rules });
    const runtime = createRuntime();
    onTestFinished(() => runtime.close());
    runtime.tools.register(tools, { judge });
    const session = runtime.open({ cwd: join(folder, "sub") });
    expect(await session.call("shell", { command: "cat b.txt" })).toMatchObject({ structured: { stdout: "b\n" } });
    expect(await session.call("shell", { command: "cat b.txt", cwd: ".." })).toMatchObject({
      structured: { exitCode: 1 },
    });
    expect((await session.explain("shell", { command: "cat ../../x" })).decision).toBe("ask");
    const elsewhere = runtime.open({ cwd: "/etc" });
    expect(await elsewhere.call("shell", { command: "cat sub/b.txt" })).toMatchObject({
      structured: { stdout: "b\n" },
    });
  });

  test("of a remote may be no folder: git would run the hooks in it", async () => {
    const { session, folder } = makePlace({ rules: [{ pattern: "git push", approval: "preApproved" }] }, "none");
    mkdirSync(join(folder, "evil"));
    expect((await session.explain("shell", { command: "git push origin main" })).decision).toBe("preApproved");
    for (const command of [
      "git push evil main",
      "git push ./evil main",
      "git push https://evil.example/x main",
      "git push 'ext::sh -c x' main",
      "git push origin +main",
      "git push origin :main",
      "git push -f origin main",
    ])
      expect((await session.explain("shell", { command })).decision, command).toBe("ask");
  });

  test("a folder that is not there, or only seems to be inside, is refused", async () => {
    const { run, folder } = makePlace();
    symlinkSync("/etc", join(folder, "out"));
    expect(await run("pwd", { cwd: "nowhere" })).toMatchObject({ ok: false, error: { code: "invalid_input" } });
    expect(await run("pwd", { cwd: "out" })).toMatchObject({ ok: false, error: { code: "denied" } });
  });
});

describe("what a command is told", () => {
  test("is a minimal environment and the names that the operator gave, and nothing on its input", async () => {
    process.env["PEGBOARD_TEST_SECRET"] = "hush";
    process.env["PEGBOARD_TEST_NAMED"] = "said";
    onTestFinished(() => {
      delete process.env["PEGBOARD_TEST_SECRET"];
      delete process.env["PEGBOARD_TEST_NAMED"];
    });
    const { run } = makePlace({ env: ["PEGBOARD_TEST_NAMED"] });
    const { stdout } = (await run("env")).structured as { stdout: string };
    expect(stdout).toContain("PEGBOARD_TEST_NAMED=said");
    expect(stdout).toContain("PATH=");
    expect(stdout).not.toContain("hush");
    expect(await run("cat")).toMatchObject({ structured: { stdout: "" } });
  });

  test("a program in the workspace does not pass for one of the system", async () => {
    const { run, folder } = makePlace();
    const before = process.env["PATH"];
    process.env["PATH"] = `${folder}/bin:.:${before}`;
    onTestFinished(() => void (process.env["PATH"] = before));
    for (const name of [join("bin", "ls"), "ls"]) {
      mkdirSync(join(folder, "bin"), { recursive: true });
      writeFileSync(join(folder, name), "#!/bin/sh\necho evil\n");
      chmodSync(join(folder, name), 0o755);
    }
    expect((await run("ls bin")).structured).toMatchObject({ stdout: "ls\n" });
  });

  test("git takes no settings from a folder that only looks like a repository", async () => {
    const { run, folder } = makePlace();
    const evil = join(folder, "evil");
    execFileSync("git", ["init", "-q", "--bare", evil]);
    mkdirSync(join(evil, "worktree"));
    writeFileSync(
      join(evil, "config"),
      `[core]\n\trepositoryformatversion = 0\n\tbare = false\n\tworktree = worktree\n\tfsmonitor = "touch ${folder}/ran;:"\n`,
    );
    const { structured } = await run("git status", { cwd: "evil" });
    expect(structured).toMatchObject({ exitCode: 128 });
    expect(existsSync(join(folder, "ran"))).toBe(false);
    execFileSync("git", ["status"], { cwd: evil, stdio: "ignore" });
    expect(existsSync(join(folder, "ran")), "without that, git would").toBe(true);
  });
});

describe("time", () => {
  test("A1-29 that is up kills the command with all it started, and says so", async () => {
    const { run, folder } = makePlace();
    const startedAt = performance.now();
    const result = await run(`sh -c 'echo begun; sleep 60 & echo $! > child; trap "" TERM; sleep 60'`, {
      timeout: 0.5,
    });
    expect(result).toMatchObject({
      ok: false,
      error: { code: "timeout", message: expect.stringContaining("0.5 seconds") },
      structured: { stdout: "begun\n", timedOut: true },
    });
    expect(performance.now() - startedAt).toBeLessThan(5_000);
    expect(isAlive(Number(readFileSync(join(folder, "child"), "utf8")))).toBe(false);
  });

  test("is 30 seconds at first, 300 at most", async () => {
    const { run, session } = makePlace();
    expect(await run("true", { timeout: 301 })).toMatchObject({ ok: false, error: { code: "invalid_input" } });
    expect(JSON.stringify(session.list().find(({ name }) => name === "shell")?.inputSchema)).toContain(
      "30 when absent",
    );
    expect(() => createShell({ root: "/", timeoutMs: 300_001 })).toThrow(/at most 300/);
  });

  test("ends for a call that is cancelled: nothing of it goes on", async () => {
    const { session, folder } = makePlace();
    const call = session.call("shell", { command: `sh -c 'sleep 60 & echo $! > child; wait' | cat` }, { id: "it" });
    await until(() => existsSync(join(folder, "child")) && readFileSync(join(folder, "child"), "utf8").endsWith("\n"));
    session.cancel("it");
    expect(await call).toMatchObject({ ok: false, error: { code: "cancelled" } });
    await until(() => !isAlive(Number(readFileSync(join(folder, "child"), "utf8"))));
  });

  test("is not spent on what a command left in the background", async () => {
    const { run, folder } = makePlace();
    const startedAt = performance.now();
    expect(await run("sleep 60 & echo $! > child; echo done")).toMatchObject({
      ok: true,
      structured: { stdout: "done\n" },
    });
    expect(performance.now() - startedAt).toBeLessThan(5_000);
    await until(() => !isAlive(Number(readFileSync(join(folder, "child"), "utf8"))));
  });
});

test("A1-29 output over the cap is cut and flagged, and the whole that is kept can be read on", async () => {
  const { run, session } = makePlace();
  const result = await run("head -c 9000000 /dev/zero", { timeout: 20 });
  expect(result.ok).toBe(true);
  expect(result.meta).toMatchObject({ exitCode: 0, cut: { handle: expect.any(String) } });
  const { handle } = result.meta.cut!;
  const end = await session.call("read_result", { handle: handle!, offset: 8 * 1024 * 1024 });
  expect(JSON.stringify(end.content)).toContain("bytes of output were left out");
});

test("a command runs confined where there is something that confines", async () => {
  const { run } = makePlace({ confine: async (argv) => ["/usr/bin/env", "CONFINED=yes", ...argv] });
  expect((await run("env | grep CONFINED")).structured).toMatchObject({ stdout: "CONFINED=yes\n" });
  const refused = makePlace({ confine: () => Promise.reject(new Error("no sandbox")) });
  expect(await refused.run("echo a")).toMatchObject({ ok: false, error: { message: "no sandbox" } });
});

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, "utf8"));
  } catch {
    return false;
  }
}

async function until(holds: () => boolean): Promise<void> {
  const end = performance.now() + 5_000;
  while (!holds()) {
    if (performance.now() > end) throw new Error("it did not come about");
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}
