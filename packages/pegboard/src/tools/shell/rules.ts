import type { Approval } from "@pegboard/contract";
import { PegboardError } from "../../core/error.ts";
import { profileOf } from "./coverage.ts";
import { parseOptions } from "./options.ts";
import { parseShell } from "./syntax/parse.ts";
import { isBuiltin, isInterpreter, nameOf } from "./program.ts";

/** One rule for commands: the beginning of a command, and what holds for commands that begin with it. */
export interface ShellRule {
  /** Plain words, such as `git status`. They are compared as words: `git` is not the beginning of `gitk`. */
  readonly pattern: string;
  readonly approval: Approval;
  /** Allows any arguments, of any program: nothing of them is looked at. */
  readonly unsafe?: boolean;
  readonly reason?: string;
  readonly origin?: { readonly file: string; readonly line: number };
}

/** A rule whose pattern is words. No words at all are the beginning of every command. */
export interface CompiledRule extends ShellRule {
  readonly words: readonly string[];
}

/** The words of a rule. Throws `invalid_config` for a pattern that is not one plain command. */
export function compileRule(rule: ShellRule): CompiledRule {
  const pattern = rule.pattern.trim();
  if (pattern === "*") return { ...rule, words: [] };
  // `git *` is how others write the beginning `git`.
  const { steps } = parseShell(pattern.replace(/\s\*$/, ""));
  const command = steps?.length === 1 && steps[0]!.commands.length === 1 ? steps[0]!.commands[0] : undefined;
  const plain = command && command.stdin === undefined && command.stdout === "out" && command.stderr === "err";
  if (!plain || command.argv[0] === "") {
    throw new PegboardError(
      "invalid_config",
      `The pattern ${JSON.stringify(rule.pattern)} must be the plain words that a command begins with, such as "git status"; quote what a shell would read otherwise`,
    );
  }
  return { ...rule, words: command.argv };
}

/** What is odd about a rule that allows: why it covers less than it seems to. */
export function ruleWarning({ words, approval, unsafe, pattern }: CompiledRule): string | undefined {
  const [program] = words;
  if (approval !== "preApproved" || unsafe) return undefined;
  const shown = JSON.stringify(pattern);
  if (program === undefined)
    return `the pattern ${shown} would allow every command, so it allows none; only "unsafe: true" allows any`;
  if (isBuiltin(program))
    return `${program} is part of shells and no program: the rule ${shown} allows nothing${program === "cd" ? "; within the workspace, at the beginning of a command, cd needs no rule" : ", commands with it ask"}`;
  if (!profileOf(program))
    return `nothing is known about the arguments of ${program}, so the rule ${shown} asks; "unsafe: true" allows any arguments`;
  if (isInterpreter(program))
    return `${program} runs code, so the rule ${shown} covers next to nothing; "unsafe: true" allows any code`;
  return undefined;
}

/** Whether a command begins with exactly the words of a rule. A path to a program is not its name. */
export function matchesExactly({ words }: CompiledRule, command: readonly (string | undefined)[]): boolean {
  return words.every((word, index) => word === command[index]);
}

/**
 * Whether a rule that asks or blocks concerns a command, from this word on: the program by its name in any folder, the
 * words of the rule in order though options stand between, its options wherever they stand.
 */
export function matchesLoosely({ words }: CompiledRule, command: readonly (string | undefined)[], from = 0): boolean {
  const [program, ...rest] = words;
  if (program === undefined) return true;
  const name = command[from];
  if (name === undefined || (name !== program && nameOf(name) !== nameOf(program))) return false;
  const isOption = (word: string) => word.startsWith("-") && word.length > 1;
  if (!rest.filter(isOption).every((option) => hasOption(command, from + 1, option))) return false;
  let at = from + 1;
  for (const word of rest.filter((one) => !isOption(one))) {
    at = findOperand(command, at, word, program);
    if (at < 0) return false;
    at++;
  }
  return true;
}

// Options and, where the profile does not say that they have none, their values may stand before the word.
function findOperand(command: readonly (string | undefined)[], from: number, word: string, program: string): number {
  const known = parseOptions(profileOf(program)?.options ?? "");
  let mayBeValue = false;
  for (let at = from; at < command.length; at++) {
    const next = command[at];
    if (next === word) return at;
    if (next === undefined) return -1;
    const option = next.startsWith("-");
    if (!option && !mayBeValue) return -1;
    mayBeValue = option && known.get(next)?.value !== "none";
  }
  return -1;
}

function hasOption(command: readonly (string | undefined)[], from: number, option: string): boolean {
  const words = command.slice(from).filter((word) => word !== undefined);
  if (option.startsWith("--")) {
    const name = option.replace(/=.*/s, "");
    return words.some(
      (word) =>
        word === option || (word.length > 2 && name.startsWith(word.replace(/=.*/s, "")) && word.startsWith("--")),
    );
  }
  const given = words.filter((word) => /^-[^-]/.test(word)).join("");
  return words.includes(option) || Array.from(option.slice(1)).every((letter) => given.includes(letter));
}
