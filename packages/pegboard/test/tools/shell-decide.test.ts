import { describe, expect, test } from "vitest";
import { compileShellPolicy, decideCommand, type ShellPolicy } from "../../src/tools/shell/decide.ts";
import { type Folder, UNKNOWN_FOLDER } from "../../src/tools/shell/folder.ts";

const GIT: ShellPolicy = { default: "ask", rules: [{ pattern: "git ", approval: "preApproved" }] };

const decide = (text: string, policy: ShellPolicy = GIT, folder?: Folder) =>
  decideCommand(text, compileShellPolicy(policy), folder);
/** A folder in which all names are those of files. */
const FULL: Folder = { ...UNKNOWN_FOLDER, locate: () => "file" };
const decisionOf = (text: string, policy?: ShellPolicy) => decide(text, policy).decision;
const allowing = (...patterns: string[]): ShellPolicy => ({
  default: "ask",
  rules: patterns.map((pattern) => ({ pattern, approval: "preApproved" as const })),
});

describe("rules", () => {
  test("A1-29 the first matching rule decides, and a blocked one wins wherever it stands", () => {
    const policy: ShellPolicy = {
      default: "ask",
      rules: [
        { pattern: "git push", approval: "ask" },
        { pattern: "git ", approval: "preApproved" },
        { pattern: "git log", approval: "ask" },
        { pattern: "git commit", approval: "blocked" },
      ],
    };
    expect(decisionOf("git status", policy)).toBe("preApproved");
    expect(decisionOf("git log", policy)).toBe("preApproved");
    expect(decisionOf("git push", policy)).toBe("ask");
    expect(decisionOf("git commit -m x", policy)).toBe("blocked");
  });

  test("A1-29 without a rule and a default a command is blocked; with a default it asks", () => {
    const rules = GIT.rules!;
    expect(decisionOf("ls", { rules })).toBe("blocked");
    expect(decisionOf("git status; ls", { rules })).toBe("blocked");
    expect(decisionOf("$x status", { rules })).toBe("blocked");
    expect(decisionOf("git log $x", { rules })).toBe("ask");
    expect(decisionOf("ls", { default: "blocked", rules })).toBe("blocked");
    expect(decisionOf("ls", { default: "ask", rules })).toBe("ask");
  });

  test("the whole is as strict as its strictest part, and every part is listed", () => {
    const policy: ShellPolicy = { default: "ask", rules: [...GIT.rules!, { pattern: "rm", approval: "blocked" }] };
    expect(decide("git status && make", policy)).toMatchObject({
      decision: "ask",
      commands: [
        { argv: ["git", "status"], decision: "preApproved" },
        { argv: ["make"], decision: "ask" },
      ],
    });
    expect(decisionOf("git status | make || rm x", policy)).toBe("blocked");
  });

  test("the decision names the rule that decided", () => {
    const rule = {
      pattern: "rm ",
      approval: "blocked",
      reason: "no removing",
      origin: { file: "a.yaml", line: 3 },
    } as const;
    expect(decide("ls && rm x", { default: "ask", rules: [rule] })).toMatchObject({
      decision: "blocked",
      reason: "no removing",
      rule,
    });
  });

  test("a pattern is words: neither the beginning of a word nor a path to a program", () => {
    for (const text of [
      "gitk",
      "git-evil status",
      "./git status",
      "/usr/bin/git status",
      "../git status",
      "GIT status",
      "gіt status",
    ])
      expect(decisionOf(text), text).toBe("ask");
    for (const pattern of ["git", "git ", " git", "git *", "'git'"])
      expect(decisionOf("git status", allowing(pattern)), pattern).toBe("preApproved");
    expect(decisionOf("git statusx", allowing("git status"))).toBe("ask");
    expect(decisionOf("git log", allowing("git status"))).toBe("ask");
    expect(decisionOf("git status -s", allowing("git status"))).toBe("preApproved");
  });

  test.each(["git && ls", "git | sh", "", "a=b git", "git >x", "$x", "git $(x)", "git {a,b}", "git 'x", "a; b"])(
    "the pattern %j is refused, because it is not plain words",
    (pattern) => {
      expect(() => compileShellPolicy({ rules: [{ pattern, approval: "blocked" }] })).toThrow(/plain words/);
    },
  );

  test("what a rule spells out is covered, and what follows must still be harmless", () => {
    const policy = allowing(
      "git push --force origin",
      "git -c color.ui=never log",
      "git worktree list",
      "find . -delete",
    );
    expect(decisionOf("git push --force origin", policy)).toBe("preApproved");
    expect(decisionOf("git push --force origin main", policy)).toBe("ask");
    expect(decisionOf("git -c color.ui=never log", policy)).toBe("preApproved");
    expect(decisionOf("git -c color.ui=never log --output=x", policy)).toBe("ask");
    expect(decisionOf("git -c core.pager=x log", policy)).toBe("ask");
    expect(decisionOf("find . -delete", policy)).toBe("preApproved");
    expect(decisionOf("find . -delete -exec sh", policy)).toBe("ask");
  });

  test("a rule that does not cover a command leaves it to the next one", () => {
    expect(decisionOf("git reset --hard", allowing("git ", "git reset --hard"))).toBe("preApproved");
    const asking: ShellPolicy = {
      default: "ask",
      rules: [
        ...allowing("git ").rules!,
        { pattern: "git reset", approval: "ask" },
        ...allowing("git reset --hard").rules!,
      ],
    };
    expect(decide("git reset --hard", asking)).toMatchObject({ decision: "ask", rule: { pattern: "git reset" } });
    expect(decide("git reset --keep", allowing("git ", "git status"))).toMatchObject({
      decision: "ask",
      rule: { pattern: "git " },
    });
  });

  test("A1-29 a rule that pins a sub-command allows no other, however it is reached", () => {
    const policy = allowing("git status");
    for (const text of [
      "git -c alias.x=!sh status",
      "git -c core.fsmonitor=x status",
      "git --exec-path=. status",
      "git -C .. status",
    ])
      expect(decisionOf(text, policy), text).toBe("ask");
  });
});

describe("words", () => {
  test.each([
    "git log @{u}..HEAD",
    "git show stash@{0}",
    "git show HEAD^{tree}",
    "git diff main...dev",
    "git log 'a'\"b\"c",
    "git log a\\ b",
    "git log $'a\\tb'",
    "git log -- ':!x'",
    "git   status",
    " git status ",
    "\n\ngit status\n",
    "git status;",
    "git status # note",
    "# note\ngit status",
    "git \\\n status",
    "git status 2>&1 | git shortlog",
    "git log 2>/dev/null",
    "git log &>/dev/null",
    "git log <<< 'x'",
    "git commit -m 'two\nlines'",
    "git log HEAD@{1}..HEAD@{2}",
    "git log \\{a,b}",
  ])("that a shell would leave alone are plain: %j", (text) => {
    expect(decisionOf(text)).toBe("preApproved");
  });

  test.each([
    "git log {a,b}",
    "git log {a..c}",
    "git log {{a},b}",
    'git log {"a",b}',
    "git log a{b,c}d",
    "git log stash@{0}\\{a,b}c",
    "git log {0}a,b}",
    "git log \\\\{a,b}",
    "git log ~",
    "git log ~/x",
    "git log a=~/x",
    "git log *",
    "git log a?",
    "git log [a]",
    "git log @(a)",
    "git log $x",
    'git log "$x"',
    'git log $"x"',
    "git log <(x)",
    "git log > x",
    "git log < x",
    "git log >&3",
    "git log 3>&1",
    "git log {fd}>x",
    "git log <<EOF\n$x\nEOF",
    "git log <<-'EOF'\n\tx\nEOF",
    "a=b git log",
    "git log & git log",
    "(git log)",
    "{ git log; }",
    "! git log",
    "time git log",
    "git log |& git log",
    "f() { git log; }",
    "[[ a ]]",
    "((1))",
    "coproc git log",
    "git (",
    "git log )",
    "git 'log",
    "git log \\",
  ])("that a shell would work out, and everything that is no plain command, ask: %j", (text) => {
    expect(decisionOf(text)).toBe("ask");
  });
});

describe("programs without a profile, and those that run code", () => {
  test("need unsafe: true, which then allows any arguments but no expansion", () => {
    for (const pattern of ["frobnicate", "node", "python3", "sh", "bash", "./build.sh"]) {
      const text = `${pattern} x`;
      expect(decisionOf(text, allowing(pattern)), pattern).toBe("ask");
      const unsafe: ShellPolicy = { default: "ask", rules: [{ pattern, approval: "preApproved", unsafe: true }] };
      expect(decisionOf(text, unsafe), pattern).toBe("preApproved");
      expect(decisionOf(`${text} $(y)`, unsafe), pattern).toBe("ask");
      expect(decisionOf(`${text} > y`, unsafe), pattern).toBe("ask");
    }
  });

  test("are not covered by being spelled out or fed through a pipe", () => {
    const policy = allowing("git ", "node", "python3 -v", "sh");
    expect(decisionOf("git show HEAD:evil.js | node", policy)).toBe("ask");
    expect(decisionOf("git show HEAD:evil.py | python3 -v", policy)).toBe("ask");
    expect(decisionOf("git show HEAD:evil.sh | sh", policy)).toBe("ask");
    expect(decisionOf("node --version", policy)).toBe("preApproved");
  });

  test("what only shells can do always asks", () => {
    const policy: ShellPolicy = { default: "ask", rules: [{ pattern: "*", approval: "preApproved", unsafe: true }] };
    for (const text of [
      "cd /",
      "cd -",
      "git log; cd x",
      "eval x",
      "exec x",
      "export A=b",
      ". ./x",
      "source x",
      "command x",
    ])
      expect(decisionOf(text, policy), text).toBe("ask");
    expect(decisionOf("anything at all", policy)).toBe("preApproved");
  });

  test("a wrapper is not allowed because of what it wraps", () => {
    for (const wrapper of [
      "env",
      "nohup",
      "timeout 5",
      "nice",
      "xargs",
      "sudo",
      "command",
      "exec",
      "busybox",
      "npx",
      "time",
    ])
      expect(decisionOf(`${wrapper} git status`), wrapper).toBe("ask");
  });
});

describe("blocked", () => {
  const policy: ShellPolicy = {
    default: "ask",
    rules: [
      { pattern: "*", approval: "preApproved", unsafe: true },
      { pattern: "rm ", approval: "blocked" },
      { pattern: "git push --force", approval: "blocked" },
    ],
  };

  test.each([
    "rm x",
    "/bin/rm x",
    "../rm x",
    "RM x",
    "'rm' x",
    "r\\m x",
    "$'rm' x",
    "\\rm x",
    "a=b rm x",
    "env rm x",
    "env -i A=b rm x",
    "sudo -u me rm x",
    "nohup nice timeout 5 rm x",
    "command rm x",
    "exec rm x",
    "time rm x",
    "busybox rm x",
    "find . -exec rm {} ;",
    "find . -exec sh -c 'rm {}' \\;",
    "ls | xargs rm",
    "ls | xargs -I{} sh -c 'rm {}'",
    "echo $(rm x)",
    "echo `rm x`",
    'echo "$(rm x)"',
    "echo ${a:-$(rm x)}",
    "cat <(rm x)",
    "echo $((a[$(rm x)]))",
    "if true; then rm x; fi",
    "for i in 1; do rm x; done",
    "f() { rm x; }; f",
    "(rm x)",
    "{ rm x; }",
    "ls & rm x",
    "coproc rm x",
    "! rm x",
    "sh -c 'rm x'",
    'bash -c "ls; rm x"',
    "sh -c \"sh -c 'rm x'\"",
    "eval 'rm x'",
    "eval rm x",
    "trap 'rm x' EXIT",
    "env -S 'rm x'",
    "echo 'rm x' | sh",
    "echo rm x | bash",
    "bash <<< 'rm x'",
    "bash <<'EOF'\nrm x\nEOF",
    "bash <<EOF\nrm x\nEOF",
    "alias x=rm",
    "git -c alias.x='!rm -rf y' x",
    "git rebase -x 'rm x'",
    "git submodule foreach 'rm x'",
    `python3 -c "import os; os.system('rm x')"`,
    `node -e "require('child_process').execSync('rm x')"`,
    `perl -e 'system("rm x")'`,
    `awk 'BEGIN { system("rm x") }'`,
    'echo "; rm x',
    "ls ; rm 'x",
    "if rm x",
    "rm x )",
    `${"true && ".repeat(500)}rm x`,
    `${"true;".repeat(3000)} rm x`,
    "ssh host 'rm x'",
    "docker exec c rm x",
    "watch rm x",
    "hyperfine 'rm x'",
    "BASH -c 'rm x'",
    "bash-5.2 -c 'rm x'",
    "rm.exe x",
    "'C:\\bin\\rm.exe' x",
    "cd sub && rm x",
  ])("is found in %j", (text) => {
    expect(decisionOf(text, policy)).toBe("blocked");
  });

  test.each([
    "git push --force",
    "git push origin --force",
    "git --no-pager push --force",
    "git -C x push origin main --force",
    "git push --forc",
    "git push --force=x",
  ])("is found although options stand elsewhere: %j", (text) => {
    expect(decisionOf(text, policy)).toBe("blocked");
  });

  test.each([
    "git rm x",
    "git commit -m 'rm x'",
    "echo rm",
    "echo 'rm x; rm y'",
    "ls rm",
    "rmdir x",
    "git log --grep='; rm -rf /'",
    "git push",
    "git commit -m '--force push'",
    "farm x",
  ])("is not found in %j, which only mentions it", (text) => {
    expect(decisionOf(text, policy)).not.toBe("blocked");
  });

  test("short options are found in any order", () => {
    const force: ShellPolicy = { default: "ask", rules: [{ pattern: "rm -rf", approval: "blocked" }] };
    for (const text of ["rm -rf x", "rm -fr x", "rm -r -f x", "rm x -rf"])
      expect(decisionOf(text, force), text).toBe("blocked");
    for (const text of ["rm x", "rm -r x", "rm -f x"]) expect(decisionOf(text, force), text).toBe("ask");
  });
});

describe("what cannot be shown", () => {
  test.each([
    ["NUL", "\0"],
    ["escape", "\x1b[2K"],
    ["carriage return", "\r"],
    ["C1", "\x9b"],
    ["zero width", "\u200b"],
    ["bidi", "\u202e"],
    ["tag", "\u{e0041}"],
    ["lone surrogate", "\ud800"],
    ["soft hyphen", "\u00ad"],
    ["line separator", "\u2028"],
    ["filler", "\u3164"],
    ["variation selector", "\u{e0101}"],
    ["BOM", "\ufeff"],
    ["private use", "\ue000"],
  ])("is refused: %s", (_, character) => {
    expect(decisionOf(`git log --grep='a${character}b'`)).toBe("blocked");
  });

  test("is refused from 32 KiB on", () => {
    const text = "git log --grep=";
    expect(decisionOf(text.padEnd(32 * 1024, "a"))).toBe("preApproved");
    expect(decisionOf(text.padEnd(32 * 1024 + 1, "a"))).toBe("blocked");
  });

  test("does not concern letters, signs and emoji of all languages", () => {
    expect(decisionOf("git commit -m 'Größe ändern 日本語 Ω ❤️ 🎉'")).toBe("preApproved");
  });
});

describe("a suggestion", () => {
  const suggestionsFor = (text: string, policy?: ShellPolicy) => decide(text, policy ?? { default: "ask" }).suggestions;

  test("is the narrowest beginning that would allow the command", () => {
    expect(suggestionsFor("git status -s")).toEqual(["git status"]);
    expect(suggestionsFor("git push origin main")).toEqual(["git push"]);
    expect(decide("git push origin main", { default: "ask" }, FULL).suggestions).toEqual([]);
    expect(suggestionsFor("npm run build")).toEqual(["npm run build"]);
    expect(suggestionsFor("npm test")).toEqual(["npm test"]);
    expect(suggestionsFor("make test")).toEqual(["make test"]);
    expect(suggestionsFor("ls -la | wc -l && git diff")).toEqual(["ls", "wc", "git diff"]);
  });

  test("is never the name of a program that does many things, nor one that would not help", () => {
    for (const text of [
      "git",
      "git nonsense",
      "git reset --hard",
      "git -c x=y status",
      "frobnicate x",
      "node x.js",
      "ls $(x)",
      "cat /etc/passwd",
      "ls && frobnicate",
    ])
      expect(suggestionsFor(text), text).toEqual([]);
  });

  test("is not made where a rule says to ask", () => {
    expect(
      suggestionsFor("git status", { default: "ask", rules: [{ pattern: "git status", approval: "ask" }] }),
    ).toEqual([]);
  });

  test.each(["git status", "npm run build", "ls -la | wc -l", "make test -j4"])(
    "allows %j once it is a rule",
    (text) => {
      expect(decisionOf(text, allowing(...suggestionsFor(text)))).toBe("preApproved");
    },
  );
});

describe("time", () => {
  const rules = [...GIT.rules!, { pattern: "rm", approval: "blocked" as const }];
  const fill = (piece: string) => piece.repeat(Math.floor((32 * 1024) / piece.length));

  test.each([
    "$(",
    "`",
    '"$(',
    "a&&",
    "a|",
    "{a,",
    "{",
    "(",
    "$((",
    "${a:-",
    "<<a ",
    "\\",
    "'",
    "a=",
    "env ",
    "sh -c 'a b' ",
    "if a;then ",
    "f(){ ",
    "<(",
    "case a in a) ",
    "git -c alias.a=!b ",
    "[",
    "a b ",
  ])("is bounded for 32 KiB of %j", (piece) => {
    const startedAt = performance.now();
    expect(decisionOf(fill(piece), { default: "ask", rules })).toBe("ask");
    expect(performance.now() - startedAt).toBeLessThan(1_000);
  });
});
