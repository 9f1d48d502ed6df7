import type { Folder } from "./folder.ts";
import { operandProblem, quoted, shorten, valueProblem } from "./kinds.ts";
import { type Option, type Options, parseOptions, type ValueKind } from "./options.ts";
import { isInterpreter } from "./program.ts";
import type { Parts, Profile } from "./profile.ts";
import { PROFILES } from "./profiles.ts";

/** The profile of a program, by its bare name. */
export function profileOf(program: string | undefined): Profile | undefined {
  return program !== undefined && Object.hasOwn(PROFILES, program) ? PROFILES[program] : undefined;
}

/**
 * Why a command is not covered by a rule that spells out its first `spelled` words, or undefined when it is: all that
 * follows must be in the profile of the program. Where paths lead is for `folder` to say.
 */
export function coverageProblem(argv: readonly string[], spelled: number, folder: Folder): string | undefined {
  const [program] = argv;
  const profile = profileOf(program);
  if (!profile) return `there is no profile that says which arguments of ${program} are harmless`;
  const misplaced = profile.place?.(folder);
  if (misplaced !== undefined) return misplaced;
  if (argv.length === spelled && spelled > 1 && !isInterpreter(program!)) return undefined;
  const walk: Walk = {
    argv,
    spelled,
    folder,
    profile,
    options: new Set(),
    operands: [],
    places: [],
    patterned: false,
    path: program!,
    ended: false,
  };
  for (let at = 1; at < argv.length;) {
    const step = takeWord(walk, at);
    if (typeof step === "string") return step;
    at += step;
  }
  return checkOperands(walk) ?? walk.profile.check?.(walk);
}

/** The shortest beginning of a command that a rule could spell out and so cover it; undefined when none would. */
export function narrowestPrefix(argv: readonly string[], folder: Folder): readonly string[] | undefined {
  let profile = profileOf(argv[0]);
  let length = 1;
  while (profile?.commands) {
    const next = argv[length];
    // Behind a program that does many things, its name alone would say too much.
    if (next === undefined || !Object.hasOwn(profile.commands, next)) return undefined;
    profile = profile.commands[next];
    length++;
  }
  if (!profile) return undefined;
  const named = profile.operands?.findLastIndex((kind) => kind === "spelled") ?? -1;
  const prefix = argv.slice(0, length + (named < 0 ? 0 : named + 1));
  return coverageProblem(argv, prefix.length, folder) === undefined ? prefix : undefined;
}

interface Walk extends Parts {
  readonly spelled: number;
  readonly folder: Folder;
  profile: Profile;
  readonly options: Set<string>;
  readonly operands: string[];
  /** Where the operands stand. */
  readonly places: number[];
  /** What to look for was given by an option. */
  patterned: boolean;
  /** The program and its sub-commands so far. */
  path: string;
  ended: boolean;
}

/** Takes the word at this place, with its value if it has one: how many words that were, or why it is not covered. */
function takeWord(walk: Walk, at: number): number | string {
  const word = walk.argv[at]!;
  const { profile, ended, spelled } = walk;
  if (!ended && word === "--") {
    walk.ended = true;
    return profile.commands ? `-- stands before a sub-command of ${walk.path}` : 1;
  }
  if (word.startsWith("-") && word !== "-") {
    if (!ended) return takeOption(walk, at);
    // Not every program knows what -- means, and one that takes it for a value goes on with options.
    if (at >= spelled) return `${quoted(word)} may still be taken for an option`;
  }
  if (!profile.commands) {
    walk.operands.push(word);
    walk.places.push(at);
    return 1;
  }
  const next = Object.hasOwn(profile.commands, word) ? profile.commands[word] : undefined;
  if (!next) return `${quoted(word)} is not among what the profile of ${walk.path} covers`;
  if (next.spelled && at >= spelled) return `only a rule that names ${quoted(`${walk.path} ${word}`)} itself covers it`;
  walk.profile = next;
  walk.path += ` ${word}`;
  return 1;
}

function takeOption(walk: Walk, at: number): number | string {
  const word = walk.argv[at]!;
  const options = parseOptions(walk.profile.options ?? "");
  const taken =
    word.startsWith("--") || walk.profile.whole ? takeLong(walk, options, at) : takeShort(walk, options, at);
  if (typeof taken === "number" || at >= walk.spelled) return taken;
  // The rule says this very option; whether the next word belongs to it, only its program knows.
  return walk.argv.length === walk.spelled
    ? 1
    : `the rule spells out ${shorten(word)}, which the profile of ${walk.path} does not know`;
}

function takeLong(walk: Walk, options: Options, at: number): number | string {
  const word = walk.argv[at]!;
  const equals = word.indexOf("=");
  const name = equals < 0 ? word : word.slice(0, equals);
  const option = options.get(name);
  if (!option) return notListed(walk, name);
  walk.options.add(name);
  if (equals >= 0) {
    if (option.value === "none") return `${shorten(name)} of ${walk.path} has no value`;
    return checkValue(walk, name, option.kind, word.slice(equals + 1), at) ?? 1;
  }
  return option.value === "required" ? takeValue(walk, name, option, at) : 1;
}

function takeShort(walk: Walk, options: Options, at: number): number | string {
  const word = walk.argv[at]!;
  if (/^-\d+$/.test(word) && options.has("-#")) return 1;
  for (let index = 1; index < word.length; index++) {
    const name = `-${word[index]}`;
    const option = options.get(name);
    if (!option) return notListed(walk, word.length === 2 ? word : `${name} (in ${word})`);
    walk.options.add(name);
    const rest = word.slice(index + 1);
    if (option.value === "none") continue;
    if (rest !== "") return checkValue(walk, name, option.kind, rest, at) ?? 1;
    return option.value === "required" ? takeValue(walk, name, option, at) : 1;
  }
  return 1;
}

function notListed({ path }: Walk, name: string): string {
  return `the option ${shorten(name)} is not among what the profile of ${path} covers`;
}

function takeValue(walk: Walk, name: string, { kind }: Option, at: number): number | string {
  const value = walk.argv[at + 1];
  if (value === undefined) return `${name} of ${walk.path} lacks its value`;
  // Were the profile wrong about this option, the program would take the next word for another one.
  if (value.startsWith("-") && value !== "-" && kind !== "any") return `the value of ${name} looks like an option`;
  return checkValue(walk, name, kind, value, at + 1) ?? 2;
}

function checkValue(walk: Walk, name: string, kind: ValueKind, value: string, at: number): string | undefined {
  if (kind === "pattern") walk.patterned = true;
  return at < walk.spelled ? undefined : valueProblem(name, kind, value, walk.folder);
}

function checkOperands({ operands, places, profile, path, patterned, folder, spelled }: Walk): string | undefined {
  const kinds = patterned ? (profile.operands ?? []).slice(1) : (profile.operands ?? []);
  for (const [index, operand] of operands.entries()) {
    if (places[index]! < spelled) continue;
    const kind = kinds[index] ?? kinds.at(-1);
    const problem =
      kind === undefined ? `${path} with ${quoted(operand)} is not covered` : operandProblem(kind, operand, folder);
    if (problem !== undefined) return problem;
  }
  return undefined;
}
