import type { Folder } from "./folder.ts";
import type { ValueKind } from "./options.ts";
import type { Operand } from "./profile.ts";

/** Why an operand is not what its kind says, or undefined when it is. */
export function operandProblem(kind: Operand, operand: string, folder: Folder): string | undefined {
  return OPERANDS[kind](operand, folder);
}

/** Why the value of an option is not what its kind says, or undefined when it is. */
export function valueProblem(name: string, kind: ValueKind, value: string, folder: Folder): string | undefined {
  if (typeof kind !== "string") return kind.includes(value) ? undefined : `${name} may only be ${kind.join(", ")}`;
  return VALUES[kind](value, folder, name);
}

/** Why a filter of jq reads more than its input, or undefined when it does not. */
export function filterProblem(filter: string): string | undefined {
  return /\b(?:import|include|env|input_filename|modulemeta)\b|\$ENV/.test(filter)
    ? "the filter reads more than its input"
    : undefined;
}

/** A word in quotes, short enough for a reason: the command itself is shown whole. */
export function quoted(word: string): string {
  return `"${shorten(word)}"`;
}

/** The beginning of a word that is long. */
export function shorten(word: string): string {
  return word.length > 80 ? `${word.slice(0, 80)}…` : word;
}

const OPERANDS: Readonly<Record<Operand, (operand: string, folder: Folder) => string | undefined>> = {
  text: () => undefined,
  path: pathProblem,
  file: (operand, folder) =>
    pathProblem(operand, folder) ??
    (folder.locate(operand) === "folder" ? `${quoted(operand)} is a folder` : undefined),
  tree: (operand, folder) =>
    pathProblem(operand, folder) ??
    (folder.locate(operand) === "repository" ? `${quoted(operand)} is where git keeps its own` : undefined),
  revision: (operand, folder) =>
    pathProblem(operand, folder) ??
    // A pattern of git, or the sign before one, stands for files.
    (/^:|[*?[]/.test(operand) || (operand !== "-" && folder.locate(operand) !== "absent")
      ? `${quoted(operand)} may be files whose changes would be lost`
      : undefined),
  remote: (operand, folder) =>
    /^[A-Za-z][\w-]*$/.test(operand) && folder.locate(operand) === "absent"
      ? undefined
      : `${quoted(operand)} may be something else than a remote`,
  refspec: (operand) =>
    /^[A-Za-z][\w./-]*(:[A-Za-z][\w./-]*)?$/.test(operand) ? undefined : `${quoted(operand)} may force or delete`,
  slug: slugProblem,
  spelled: (operand) => `only a rule that spells out ${quoted(operand)} covers it`,
};

const VALUES: Readonly<
  Record<Extract<ValueKind, string>, (value: string, folder: Folder, name: string) => string | undefined>
> = {
  text: () => undefined,
  any: () => undefined,
  pattern: () => undefined,
  number: (value, _, name) => (/^\d+$/.test(value) ? undefined : `the value of ${name} is not a number`),
  path: pathProblem,
  local: (value, folder, name) =>
    value.includes(":") ? `${name} may mean another machine` : pathProblem(value, folder),
  // Between the sign and the letter may stand one that says what to do with an empty value.
  format: (value, _, name) => (/%[-+ ]?G|signature/.test(value) ? `${name} makes signatures be checked` : undefined),
  filter: filterProblem,
  slug: slugProblem,
};

function pathProblem(path: string, folder: Folder): string | undefined {
  return path !== "-" && folder.locate(path) === "outside" ? `${quoted(path)} leads out of the workspace` : undefined;
}

function slugProblem(word: string): string | undefined {
  return /^[\w.#-]+(?:\/[\w.-]+)?$/.test(word) ? undefined : `${quoted(word)} may name another machine`;
}
