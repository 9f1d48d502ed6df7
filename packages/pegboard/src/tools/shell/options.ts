/** What the value of an option may be. */
export type ValueKind =
  /** Anything that does not look like an option. */
  | "text"
  /** Anything. */
  | "any"
  /** A path that does not lead out of the workspace. */
  | "path"
  /** The same, without the colon that stands behind the name of another machine. */
  | "local"
  /** What to look for: then the first operand is a path already. */
  | "pattern"
  /** Digits: whatever a program makes of the option, they are neither a path nor another option. */
  | "number"
  /** A format of git that makes no signature be checked by another program. */
  | "format"
  /** A filter of jq that reads nothing but its input. */
  | "filter"
  /** A name, or two with a slash between: no room for the name of a machine. */
  | "slug"
  /** One of a few words. */
  | readonly string[];

/** One option: whether it has a value, and of what kind. */
export interface Option {
  readonly value: "none" | "required" | "attached";
  readonly kind: ValueKind;
}

/** The options of a profile, by their names with dashes; `-#` stands for any number. */
export type Options = ReadonlyMap<string, Option>;

const KINDS = ["any", "path", "local", "pattern", "number", "format", "filter", "slug"] as const;
const parsed = new Map<string, Options>();

/**
 * Reads the options of a profile: `-s` and `--short` have no value, `-n=` takes one (`-n 3`, `-n3`, `--max 3`, `--max=3`),
 * `--color[=]` takes one only if attached. Behind the `=` may stand the kind of the value, or the words it may be:
 * `-F=path`, `--color[=always|never]`.
 */
export function parseOptions(text: string): Options {
  let options = parsed.get(text);
  if (!options) {
    options = new Map(text.split(/\s+/).filter(Boolean).map(parseOption));
    parsed.set(text, options);
  }
  return options;
}

function parseOption(word: string): [string, Option] {
  const [, name, open, kind] = /^([^=[]+)(\[?=)?([^\]]*)\]?$/.exec(word)!;
  if (open === undefined) return [name!, { value: "none", kind: "text" }];
  return [name!, { value: open === "=" ? "required" : "attached", kind: toKind(kind!) }];
}

function toKind(kind: string): ValueKind {
  const known = KINDS.find((one) => one === kind);
  return known ?? (kind === "" ? "text" : kind.split("|"));
}
