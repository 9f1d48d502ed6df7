import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { createRuntime, type Result } from "../../src/index.ts";
import { createShell } from "../../src/node/index.ts";
import type { ShellRule } from "../../src/node/index.ts";

const RULES: readonly ShellRule[] = [
  { pattern: "git ", approval: "preApproved" },
  { pattern: "cat", approval: "preApproved" },
  { pattern: "pwd", approval: "preApproved" },
];

interface Place {
  readonly folder: string;
  decide(command: string, cwd?: string): Promise<string>;
  run(command: string): Promise<Result>;
}

/** A workspace with a folder `sub`, a link `out` that leads out of it, and a link `in` to `sub/deep`. */
function makePlace(rules = RULES, approve: "all" | "none" = "none"): Place {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "pegboard-shell-")));
  mkdirSync(join(folder, "sub", "deep"), { recursive: true });
  writeFileSync(join(folder, "a.txt"), "a\n");
  writeFileSync(join(folder, "sub", "b.txt"), "b\n");
  symlinkSync("/etc", join(folder, "out"));
  symlinkSync("sub/deep", join(folder, "in"));
  const runtime = createRuntime();
  const { tools, judge } = createShell({ default: "ask", root: folder, rules });
  runtime.tools.register(tools, { layer: "builtin", source: { kind: "builtin", id: "shell" }, judge });
  const session = runtime.open({ cwd: folder, approve });
  onTestFinished(async () => {
    await runtime.close();
    rmSync(folder, { recursive: true, force: true });
  });
  return {
    folder,
    decide: async (command, cwd) =>
      (await session.explain("shell", { command, ...(cwd !== undefined && { cwd }) })).decision,
    run: (command) => session.call("shell", { command }),
  };
}

describe("cd at the beginning", () => {
  test("needs no rule within the workspace, and what follows is decided in the folder that it leads to", async () => {
    const { decide, folder } = makePlace();
    for (const command of [
      "cd sub && cat b.txt",
      "cd sub && cat ../a.txt",
      "cd sub; cat b.txt",
      "cd sub\ncat b.txt",
      "cd sub && cd deep && cat ../b.txt",
      "cd sub && cd .. && cat a.txt",
      "cd ./sub/ && git status",
      "cd in && cat x",
      `cd ${folder}/sub && cat b.txt`,
      "cd sub",
    ])
      expect(await decide(command), command).toBe("preApproved");
  });

  test.each([
    "cd sub && cat ../../x",
    "cd sub && ls",
    "cd .. && cat a.txt",
    "cd / && cat a.txt",
    "cd out && cat passwd",
    "cd in/.. && cat b.txt",
    "cd missing && cat a.txt",
    "cd a.txt && cat a.txt",
    "cd sub && cd ../.. && cat x",
    "cd && cat a.txt",
    "cd - && cat a.txt",
    "cd ~ && cat a.txt",
    "cd -P sub && cat b.txt",
    "cd sub deep && cat b.txt",
    "cd '' && cat a.txt",
    "cd $x && cat a.txt",
    "cd sub || cat b.txt",
    "cd sub | cat",
    "cat a.txt && cd sub && cat b.txt",
    "cat x && cd sub; cat ../a.txt",
    "cd sub && (cat b.txt)",
    "cd .git && cat config",
    "FOO=bar cd sub && cat b.txt",
    "cd sub > x && cat b.txt",
  ])("asks for %j", async (command) => {
    const { decide, folder } = makePlace();
    mkdirSync(join(folder, ".git"));
    expect(await decide(command)).toBe("ask");
  });

  test("asks or is blocked where a rule says so", async () => {
    for (const approval of ["ask", "blocked"] as const) {
      const { decide } = makePlace([{ pattern: "cd", approval }, ...RULES]);
      expect(await decide("cd sub && cat b.txt")).toBe(approval);
    }
  });

  test("is where the rest runs, without a shell", async () => {
    const { run, folder } = makePlace();
    expect(await run("cd sub && pwd && cat b.txt")).toMatchObject({
      structured: { exitCode: 0, stdout: `${folder}/sub\nb\n` },
    });
    expect(await run("cd sub")).toMatchObject({ ok: true, structured: { exitCode: 0, stdout: "" } });
  });

  test("that fails runs nothing of the rest, also when it was approved", async () => {
    const { run } = makePlace(RULES, "all");
    expect(await run("cd missing; cat a.txt")).toMatchObject({ ok: false, error: { code: "invalid_input" } });
    expect(await run("cd out && cat hostname")).toMatchObject({ ok: false, error: { code: "denied" } });
    expect(await run("cd in/.. && pwd")).toMatchObject({ ok: false, error: { code: "invalid_input" } });
  });

  test("goes to a shell where it was approved to lead out", async () => {
    const { run } = makePlace(RULES, "all");
    expect(await run("cd / && pwd")).toMatchObject({ structured: { stdout: "/\n" } });
  });
});

describe("git", () => {
  test("moves nothing to where it keeps its own, also through a link", async () => {
    const { decide, folder } = makePlace();
    mkdirSync(join(folder, ".git", "hooks"), { recursive: true });
    symlinkSync("../.git/hooks", join(folder, "sub", "hooks"));
    for (const target of [".git/hooks/pre-commit", "sub/hooks/pre-commit", "sub/hooks", "sub/.git", "GIT~1/hooks/x"])
      expect(await decide(`git mv a.txt ${target}`), target).toBe("ask");
    expect(await decide("git mv a.txt sub/c.txt")).toBe("preApproved");
  });

  test("loses no changes of files without a rule that names it", async () => {
    const { decide } = makePlace();
    for (const command of [
      "git checkout a.txt",
      "git checkout -- a.txt",
      "git checkout .",
      "git checkout HEAD sub",
      "git checkout '*.txt'",
      "git checkout ':/'",
      "git restore a.txt",
      "git reset --hard",
    ])
      expect(await decide(command), command).toBe("ask");
    expect(await decide("git checkout main")).toBe("preApproved");
    expect(await decide("git checkout -b feature/x")).toBe("preApproved");
    expect(await makePlace([{ pattern: "git restore", approval: "preApproved" }]).decide("git restore a.txt")).toBe(
      "preApproved",
    );
  });

  describe("in a folder with a repository of its own", () => {
    const nested = (change: (repository: string) => void = () => {}) => {
      const place = makePlace();
      const repository = join(place.folder, "sub", ".git");
      execFileSync("git", ["init", "-q", join(place.folder, "sub")]);
      change(repository);
      return place;
    };
    const setting = (text: string) => (repository: string) =>
      writeFileSync(join(repository, "config"), text, { flag: "a" });

    test("is covered while that is as a clone leaves it", async () => {
      const plain = nested(
        setting('[remote "origin"]\n\turl = https://example.com/x\n\tfetch = +refs/heads/*:refs/x/*\n'),
      );
      expect(await plain.decide("git status", "sub")).toBe("preApproved");
      expect(await plain.decide("cd sub/deep && git diff")).toBe("preApproved");
    });

    test.each([
      ["a program", setting("[diff]\n\texternal = ./evil.sh\n")],
      ["a program in an allowed section", setting("[core]\n\tpager = ./evil.sh\n")],
      ["more settings in another file", setting("[include]\n\tpath = ../evil\n")],
      ["a setting on the line of its section", setting("[core] pager = ./evil.sh\n")],
      ["a line that goes on", setting("[user]\n\tname = a\\\n\n")],
      ["a hook", (repository: string) => writeFileSync(join(repository, "hooks", "post-checkout"), "")],
      ["something half done", (repository: string) => mkdirSync(join(repository, "rebase-merge"))],
      [
        "its place elsewhere",
        (repository: string) => {
          rmSync(repository, { recursive: true });
          writeFileSync(repository, "gitdir: ../evil\n");
        },
      ],
    ])("asks when that has %s", async (_, change) => {
      const place = nested(change);
      expect(await place.decide("git diff", "sub")).toBe("ask");
      expect(await place.decide("cd sub && git diff")).toBe("ask");
      expect(await place.decide("git diff")).toBe("preApproved");
      expect(await place.decide("cat b.txt", "sub")).toBe("preApproved");
    });

    test("is covered where that is kept in the one of the workspace, as submodules are", async () => {
      const { folder, decide } = makePlace();
      mkdirSync(join(folder, ".git", "modules", "sub"), { recursive: true });
      writeFileSync(join(folder, "sub", ".git"), "gitdir: ../.git/modules/sub\n");
      expect(await decide("git status", "sub")).toBe("preApproved");
    });
  });
});

test("a path that is too long to be looked up and goes back may lead anywhere", async () => {
  const { decide } = makePlace();
  expect(await decide(`cat ${"a".repeat(300)}/../../x`)).toBe("ask");
  expect(await decide(`git log ${"a".repeat(300)}`)).toBe("preApproved");
});
