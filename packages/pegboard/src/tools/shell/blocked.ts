import { coverageProblem, profileOf } from "./coverage.ts";
import type { Folder } from "./folder.ts";
import type { FoundCommand, ParsedShell } from "./syntax/command.ts";
import { parseShell } from "./syntax/parse.ts";
import { isCarrier, isInterpreter, isShell } from "./program.ts";
import { type CompiledRule, matchesLoosely } from "./rules.ts";

const MAX_DEPTH = 4;
const MAX_TEXTS = 200;
const MAX_WORDS = 50_000;

/**
 * The first rule that blocks something in a command, wherever it hides: behind wrappers, in substitutions, in code that is
 * handed to a shell or an interpreter, in text that does not parse.
 */
export function findBlocked(
  text: string,
  parsed: ParsedShell,
  rules: readonly CompiledRule[],
  folder: Folder,
): CompiledRule | undefined {
  const blocking = rules.filter(({ approval }) => approval === "blocked");
  if (blocking.length === 0) return undefined;
  const search: Search = { blocking, folder, texts: 0, words: 0 };
  return searchParsed(search, text, parsed, 0);
}

interface Search {
  readonly blocking: readonly CompiledRule[];
  readonly folder: Folder;
  /** How much was looked at: what is nested without end must not take time without end. */
  texts: number;
  words: number;
}

function searchParsed(
  search: Search,
  text: string,
  { commands, complete }: ParsedShell,
  depth: number,
): CompiledRule | undefined {
  const feeding = new Set(
    commands.filter(({ words }) => words[0] !== undefined && isInterpreter(words[0])).map(({ pipeline }) => pipeline),
  );
  for (const command of commands) {
    const found = searchCommand(search, command, feeding.has(command.pipeline), depth);
    if (found) return found;
  }
  return complete ? undefined : searchLoosely(search, text, SEPARATORS);
}

/** `feeds`: what it says may reach a shell or an interpreter. */
function searchCommand(
  search: Search,
  { words, guess = words as readonly string[], stdin }: FoundCommand,
  feeds: boolean,
  depth: number,
): CompiledRule | undefined {
  const [program] = guess;
  const direct = matchAt(search, words, 0) ?? matchAt(search, guess, 0);
  if (direct || program === undefined) return direct;
  const carries = feeds || isCarrier(program);
  if (!carries && (program === "git" ? isCovered(words, search.folder) : profileOf(program) !== undefined))
    return undefined;
  // The words of git, or of a program that nothing is known about, are its own business; texts it may hand to a shell.
  for (let at = 1; at < guess.length && carries; at++) {
    const found = matchAt(search, guess, at);
    if (found) return found;
  }
  const code = !isShell(program) && isInterpreter(program);
  const isText = carries || program === "git" ? /[^\w./@:+-]/ : /\s/;
  for (const text of [...guess.slice(1), ...(feeds && stdin !== undefined ? [stdin] : [])]) {
    const found = isText.test(text) ? searchText(search, text, code, depth + 1) : undefined;
    if (found) return found;
  }
  return undefined;
}

function searchText(search: Search, text: string, code: boolean, depth: number): CompiledRule | undefined {
  if (code || depth > MAX_DEPTH || ++search.texts > MAX_TEXTS) return searchLoosely(search, text, CODE_SEPARATORS);
  // `alias.x=!rm`, `x=rm`: what stands behind the sign is the command.
  const parts = [text, ...(text.includes("=") ? [text.slice(text.indexOf("=") + 1)] : [])].map((part) =>
    part.replace(/^\s*!/, ""),
  );
  for (const part of parts) {
    const found = searchParsed(search, part, parseShell(part), depth);
    if (found) return found;
  }
  return undefined;
}

const SEPARATORS = /[;|&\n\r(){}`$<>]+/;
const CODE_SEPARATORS = /[;|&\n\r(){}`$<>"',[\]=!]+/;

// Takes anything that a shell could take for a command: only for text that is not understood.
function searchLoosely(search: Search, text: string, separators: RegExp): CompiledRule | undefined {
  for (const segment of text.split(separators)) {
    const words = segment
      .replaceAll(/["'\\]/g, "")
      .split(/\s+/)
      .filter(Boolean);
    for (let at = 0; at < Math.min(words.length, 8); at++) {
      const found =
        at === 0 || isCarrier(words[0]!) || /^\w+=/.test(words[0]!) || KEYWORDS.has(words[0]!)
          ? matchAt(search, words, at)
          : undefined;
      if (found) return found;
    }
  }
  return undefined;
}

const KEYWORDS = new Set(["if", "then", "elif", "else", "do", "while", "until", "!", "time", "{"]);

function matchAt(search: Search, words: readonly (string | undefined)[], at: number): CompiledRule | undefined {
  return search.words++ > MAX_WORDS ? undefined : search.blocking.find((rule) => matchesLoosely(rule, words, at));
}

function isCovered(words: readonly (string | undefined)[], folder: Folder): boolean {
  return (
    words.every((word) => word !== undefined) && coverageProblem(words as readonly string[], 2, folder) === undefined
  );
}
