import type { Assignment, Word, WordPart } from "unbash";

/** What a shell would make of a word, where that is sure; undefined where it depends on variables, files or commands. */
export function literalOf({ parts, text, value }: Word): string | undefined {
  if (!parts) return isBare(text) ? checked(value) : undefined;
  let literal = "";
  for (const part of parts) {
    const piece = literalPart(part);
    if (piece === undefined) return undefined;
    literal += piece;
  }
  // An unquoted brace may expand together with what stands in the next part.
  const braced = parts.some((part) => part.type === "Literal" && part.text.includes("{"));
  return braced && mayExpand(text) ? undefined : checked(literal);
}

function literalPart(part: WordPart): string | undefined {
  if (part.type === "SingleQuoted" || part.type === "AnsiCQuoted") return part.value;
  if (part.type === "Literal") return isBare(part.text) ? part.value : undefined;
  if (part.type !== "DoubleQuoted") return undefined;
  return part.parts.every((child) => child.type === "Literal")
    ? part.parts.map(({ value }) => value).join("")
    : undefined;
}

// A tilde at the beginning, or behind = or :, may become a folder; braces with a comma or two dots become several words.
function isBare(text: string): boolean {
  return !/(?:^|[=:])~/.test(text) && !mayExpand(text);
}

function mayExpand(text: string): boolean {
  return /(?<!\\)\{[^}]*(?:,|\.\.|\{)/.test(text);
}

// No program can be given a NUL, and a control character in a word shows nobody what it is.
function checked(value: string): string | undefined {
  return /[\0\r]/.test(value) ? undefined : value;
}

const WORD_PROBLEMS: Partial<Record<WordPart["type"], string>> = {
  Glob: "a pattern for file names",
  ExtendedGlob: "a pattern for file names",
  BraceExpansion: "a brace expansion",
  CommandExpansion: "a command substitution",
  ProcessSubstitution: "a process substitution",
  ArithmeticExpansion: "arithmetic",
  SimpleExpansion: "a variable",
  ParameterExpansion: "a variable",
};

/** Why a word is not literal. */
export function wordProblem({ parts = [], text }: Word): string {
  const inside = parts.flatMap((part): readonly WordPart[] => (part.type === "DoubleQuoted" ? part.parts : [part]));
  const what = inside.map(({ type }) => WORD_PROBLEMS[type]).find((problem) => problem !== undefined);
  const shown = text.length > 60 ? `${text.slice(0, 60)}…` : text;
  return text.includes("\r")
    ? "it has a carriage return"
    : `a shell would work out the word ${shown}${what ? ` (${what})` : ""}`;
}

/** An assignment as a word, where its value is literal. */
export function literalAssignment({ name, value }: Assignment): string | undefined {
  const literal = value.type === "Word" ? literalOf(value) : undefined;
  return literal === undefined ? undefined : `${name}=${literal}`;
}

/** What is left of a word when everything that a shell works out turns out empty. */
export function residueOf(part: Word | Assignment): string {
  if (part.type === "Assignment") return "";
  const { parts, value } = part;
  if (!parts) return value;
  const literals = parts.flatMap((one): readonly WordPart[] =>
    one.type === "DoubleQuoted" || one.type === "LocaleString" ? one.parts : [one],
  );
  return literals.map((one) => ("value" in one ? one.value : "")).join("");
}
