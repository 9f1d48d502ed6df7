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

// Of what is not escaped, a brace that finds no comma before the next one that closes goes on to the one after.
function mayExpand(text: string): boolean {
  return /\{(?:[^}]*(?:\.\.|\{)|.*,)/s.test(text.replaceAll(/\\./gs, ""));
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

const MAX_RESIDUES = 64;

/**
 * The words that a shell makes of a word when everything that it works out turns out empty: then defaults stand in for
 * variables, and braces make several words. Of very many, the first.
 */
export function residuesOf(part: Word | Assignment): readonly string[] {
  if (part.type === "Assignment") return [];
  const words = alternativesOf(part);
  // The default of a variable may be several words.
  return part.parts?.some(({ type }) => type === "ParameterExpansion")
    ? words.flatMap((word) => word.split(/\s+/))
    : words;
}

function alternativesOf({ parts, value }: Word): readonly string[] {
  return parts ? joined(parts) : [value];
}

function joined(parts: readonly WordPart[]): readonly string[] {
  return parts.reduce<readonly string[]>(
    (words, part) => {
      const ends = piecesOf(part);
      return words.flatMap((begin) => ends.map((end) => begin + end)).slice(0, MAX_RESIDUES);
    },
    [""],
  );
}

function piecesOf(part: WordPart): readonly string[] {
  if (part.type === "DoubleQuoted" || part.type === "LocaleString") return joined(part.parts);
  if (part.type === "BraceExpansion") return part.text.replaceAll(/[{}"'\\]/g, "").split(/,|\.\./, MAX_RESIDUES);
  if (part.type === "ParameterExpansion" && part.operation?.type === "Default")
    return alternativesOf(part.operation.operand);
  return ["value" in part ? part.value : ""];
}
