import { expect, test } from "vitest";
import { compileShellPolicy, decideCommand } from "../../packages/pegboard/src/tools/shell/decide.ts";
import { createRandom, type Random } from "../log/random.ts";
import { testSeed } from "../log/seed.ts";
import { randomCommand, valuesFor, withOption } from "./arguments.ts";
import { violations } from "./effects.ts";
import { findProfiled, type Profiled } from "./profiled.ts";
import { makeTrialWorkspace, type TrialWorkspace } from "./workspace.ts";

const RANDOM_COMMANDS = 40;

/** Programs of which each start takes long: how many of their commands are run. */
const SLOW: Readonly<Record<string, number>> = { npm: 12, pip: 6, pip3: 2, vitest: 4, tsc: 40, docker: 60 };

test("what no allowed command may do is seen when one does it", async () => {
  using workspace = makeTrialWorkspace();
  const expected: readonly (readonly [readonly string[], RegExp])[] = [
    [["sort", "-o", "made", "a.txt"], /^changes workspace\/made$/],
    [["sed", "-i", "s/one/two/", "a.txt"], /^changes workspace\/a.txt$/],
    [["find", ".", "-name", "b.txt", "-delete"], /^changes workspace\/b.txt$/],
    [["git", "log", "--output=canary"], /^changes workspace\/canary$/],
    [["git", "config", "core.pager", "canary"], /^changes workspace\/.git\/config$/],
    [["git", "log", "--show-signature"], /^starts .*canary/],
    [["git", "grep", "-Ocanary", "one"], /^starts .*canary/],
    [["tar", "-tf", "archive.tar", "-I", "./canary"], /^starts .*canary/],
    [["find", ".", "-name", "a.txt", "-exec", "canary", ";"], /^starts .*canary/],
    [["cat", "link"], /^tells/],
    [["curl", "http://127.0.0.1:8080/"], /^connects$/],
  ];
  const effects = await workspace.run(expected.map(([argv]) => argv));
  for (const [index, [argv, what]] of expected.entries())
    expect(violations(argv, effects[index]!), argv.join(" ")).toContainEqual(expect.stringMatching(what));
});

test("no option of a command that is allowed starts a program, changes a file, reads outside or connects", async () => {
  const random = createRandom(testSeed());
  using workspace = makeTrialWorkspace();
  const profiled = await findProfiled(workspace);
  expect(profiled.map(({ words }) => words.join(" "))).toEqual(
    expect.arrayContaining(["git log", "git status", "find", "sed", "awk", "tar", "sort", "grep", "cat", "ls"]),
  );
  const allowed = limitSlow(
    profiled.flatMap((command) => listAllowed(command, workspace, random)),
    random,
  );
  expect(allowed.length).toBeGreaterThan(5_000);
  const effects = await workspace.run(allowed);
  const wrong = allowed.flatMap((argv, index) =>
    violations(argv, effects[index]!).map((what) => `${argv.map(quote).join(" ")} ${what}`),
  );
  expect(wrong).toEqual([]);
});

/** Commands with the options of a program that a rule which just names it allows. */
function listAllowed(command: Profiled, workspace: TrialWorkspace, random: Random): (readonly string[])[] {
  const rule = { pattern: command.words.join(" "), approval: "preApproved" } as const;
  const policy = compileShellPolicy({ default: "ask", rules: [rule] });
  const values = valuesFor(workspace);
  const [canary, ...others] = values as [string, ...string[]];
  // An option that should have no value gets one nevertheless; of the thousands of git, each gets two.
  const valuesOf = (option: string) => {
    if (command.alike) return [];
    if (!command.valued.has(option)) return [canary];
    return command.words[0] === "git" ? [canary, random.pick(others)] : values;
  };
  const commands = [
    ...command.options.flatMap((option) => withOption(command, option, valuesOf(option))),
    ...Array.from({ length: RANDOM_COMMANDS }, () => randomCommand(command, values, random)),
  ];
  const texts = new Map(commands.map((argv) => [argv.map(quote).join(" "), argv]));
  return [...texts].flatMap(([text, argv]) =>
    decideCommand(text, policy, workspace.folder).decision === "preApproved" ? [argv] : [],
  );
}

function limitSlow(commands: readonly (readonly string[])[], random: Random): (readonly string[])[] {
  const fast = commands.filter(([program]) => SLOW[program!] === undefined);
  const some = Object.entries(SLOW).flatMap(([program, most]) => {
    const own = commands.filter(([name]) => name === program);
    return Array.from({ length: Math.min(most, own.length) }, () => own.splice(random.below(own.length), 1)[0]!);
  });
  return [...some, ...fast];
}

function quote(word: string): string {
  return `'${word.replaceAll("'", `'\\''`)}'`;
}
