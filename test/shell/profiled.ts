import { parseOptions } from "../../packages/pegboard/src/tools/shell/options.ts";
import type { Operand, Profile } from "../../packages/pegboard/src/tools/shell/profile.ts";
import { PROFILES } from "../../packages/pegboard/src/tools/shell/profiles.ts";
import type { TrialWorkspace } from "./workspace.ts";

/** A program, or a sub-command of one, that has a profile. */
export interface Profiled {
  readonly words: readonly string[];
  /** Whether its options are whole words behind one dash. */
  readonly whole: boolean;
  /** The options that it documents and those that its profile lists. */
  readonly options: readonly string[];
  /** Those that have a value, as far as its profile says. */
  readonly valued: ReadonlySet<string>;
  /** Whether one of the same program has the very same options, as `git show` has those of `git log`. */
  readonly alike: boolean;
  /** What stands before and behind an option so that the program has something to do. */
  readonly before: readonly string[];
  readonly after: readonly string[];
}

/** Every program and sub-command that has a profile and is installed where commands are tried. */
export async function findProfiled(workspace: TrialWorkspace): Promise<Profiled[]> {
  const named = Object.entries(PROFILES).flatMap(([name, profile]) => listNamed([name], profile));
  const questions = named.flatMap(({ words }) => helpCommands(words).map((argv) => ({ words, argv })));
  const answers = await workspace.run(
    questions.map(({ argv }) => argv),
    { output: true },
  );
  const known = new Set<string>();
  return named.flatMap(({ words, profile }): Profiled[] => {
    const own = answers.filter((_, index) => questions[index]!.words === words);
    if (!own.some(({ found }) => found)) return [];
    const listed = Array.from(parseOptions(profile.options ?? ""), ([name, { value }]) => ({
      name: name.replace("#", "3"),
      value,
    }));
    const alike = known.size === known.add(`${words[0]} ${profile.options}`).size;
    const documented = documentedOptions(own.map(({ output }) => output).join("\n"));
    return [
      {
        words,
        whole: profile.whole ?? false,
        options: [...new Set([...listed.map(({ name }) => name), ...documented])],
        valued: new Set(listed.filter(({ value }) => value !== "none").map(({ name }) => name)),
        alike,
        ...frameOf(words.join(" "), profile),
      },
    ];
  });
}

interface Named {
  readonly words: readonly string[];
  readonly profile: Profile;
}

function listNamed(words: readonly string[], profile: Profile): Named[] {
  const inner = Object.entries(profile.commands ?? {});
  return [{ words, profile }, ...inner.flatMap(([name, one]) => listNamed([...words, name], one))];
}

/** The commands by which a program tells its options. */
function helpCommands(words: readonly string[]): string[][] {
  return words[0] === "git"
    ? [
        [...words, "-h"],
        [...words, "--git-completion-helper-all"],
      ]
    : [[...words, "--help"]];
}

function documentedOptions(help: string): string[] {
  return Array.from(help.matchAll(/(?<![\w-])--?[A-Za-z0-9](?:[\w-]*\w)?/g), ([option]) => option);
}

/** Programs that need more than an operand of each kind. */
const FRAMES: Readonly<Record<string, Partial<Pick<Profiled, "before" | "after">>>> = {
  sed: { after: ["p", "a.txt"] },
  awk: { after: ["{print}", "a.txt"] },
  gawk: { after: ["{print}", "a.txt"] },
  mawk: { after: ["{print}", "a.txt"] },
  jq: { after: [".", "data.json"] },
  diff: { after: ["a.txt", "b.txt"] },
  date: { after: ["+%F"] },
  find: { before: ["."], after: [] },
  tar: { before: ["-tf", "archive.tar"], after: [] },
  tsc: { before: ["--noEmit"], after: [] },
  "git clean": { before: ["-n"] },
  "git config": { after: ["user.name"] },
};

const OPERANDS: Partial<Record<Operand, string>> = { remote: "origin", refspec: "main", revision: "dev", text: "one" };

function frameOf(name: string, { operands = [] }: Profile): Pick<Profiled, "before" | "after"> {
  return { before: [], after: operands.map((kind) => OPERANDS[kind] ?? "a.txt"), ...FRAMES[name] };
}
