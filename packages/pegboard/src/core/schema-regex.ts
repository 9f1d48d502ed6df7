import type { RE2JS } from "re2js";
import type { Spend } from "./schema-values.ts";

/** What a pattern is compiled to. Its text is unique to the pattern: the engine keeps one for each text. */
export interface Matcher {
  test(text: string): boolean;
  toString(): string;
}

/** Compiles patterns for matching in time linear in the text. */
export interface MatcherFactory {
  /** Why the pattern cannot be matched in linear time; nothing when it can. */
  obstacle(pattern: string): string | undefined;
  /** The matcher of a pattern; one that has an obstacle is left to the engine of the host. */
  compile(pattern: string): Matcher;
}

let factory: typeof RE2JS | undefined;

/** Whether a pattern is a regular expression of ECMAScript, with or without the rules of its `u` flag. */
export function isPattern(pattern: string): boolean {
  return toRegExp(pattern) !== undefined;
}

/**
 * Makes matchers, which report what their tests cost through `spend`, in units of 10 ns.
 * A promise only until the linear-time engine has been loaded.
 */
export function createMatchers(spend: Spend): MatcherFactory | Promise<MatcherFactory> {
  if (factory) return toFactory(factory, spend);
  return import("re2js").then((module) => toFactory((factory = module.RE2JS), spend));
}

function toFactory(engine: typeof RE2JS, spend: Spend): MatcherFactory {
  const compiled = new Map<string, RE2JS | Error>();

  function parse(pattern: string): RE2JS | Error {
    let parsed = compiled.get(pattern);
    if (parsed === undefined) {
      try {
        parsed = engine.compile(engine.translateRegExp(pattern));
      } catch (error) {
        parsed = error as Error;
      }
      compiled.set(pattern, parsed);
    }
    return parsed;
  }

  return {
    obstacle(pattern) {
      const parsed = parse(pattern);
      return parsed instanceof Error ? (inspectPattern(pattern).obstacle ?? "its syntax") : undefined;
    },
    compile(pattern) {
      const parsed = parse(pattern);
      const linear = !(parsed instanceof Error);
      const matcher = linear ? parsed : (toRegExp(pattern) ?? /(?!)/);
      const size = linear ? parsed.programSize() : 1;
      return {
        test(text) {
          const most = mostUnits(text.length, size);
          if (most > MOST_OF_ONE) spend(Infinity);
          const start = performance.now();
          const matches = matcher.test(text);
          // Most tests take a hundredth of what they could, so the clock decides; the bound keeps a pause from counting.
          spend(Math.min(most, 30 + (performance.now() - start) * UNITS_PER_MS));
          return matches;
        },
        toString: () => `${linear} ${pattern}`,
      };
    },
  };
}

const UNITS_PER_MS = 100_000;
const MOST_OF_ONE = 25 * UNITS_PER_MS;

/** The most that a test can cost: to go through the text, and to build the states of the automaton, in units of 10 ns. */
function mostUnits(length: number, size: number): number {
  return 30 + length * Math.max(2, size) + 5 * size * Math.min(length, 2 ** size);
}

function toRegExp(pattern: string): RegExp | undefined {
  for (const flags of ["u", ""]) {
    try {
      return new RegExp(pattern, flags);
    } catch {
      // Escapes that the `u` flag forbids are common, and harmless without it.
    }
  }
  return undefined;
}

/**
 * About how many instructions a pattern becomes when its counted repetitions are written out, and what keeps it from
 * being matched in linear time. Reads the text only: no engine is needed.
 */
export function inspectPattern(pattern: string): { size: number; obstacle?: string } {
  const around: number[] = [];
  let total = 0;
  let last = 0;
  let obstacle: string | undefined;
  for (let at = 0; at < pattern.length; at++) {
    const character = pattern[at];
    if (character === "(") {
      if (/^\(\?<?[=!]/.test(pattern.slice(at, at + 4))) obstacle = "lookaround";
      if (pattern[at + 1] === "?") at++;
      around.push(total);
      total = last = 0;
    } else if (character === ")") {
      last = total + 2;
      total = last + (around.pop() ?? 0);
    } else if (character === "*" || character === "+" || character === "?") {
      total++;
    } else if (character === "{" && COUNT.test(pattern.slice(at, at + 24))) {
      const [text, least, most] = COUNT.exec(pattern.slice(at, at + 24))!;
      const times = Math.max(Number(least), Number(most ?? 0), 1);
      total += last * (times - 1);
      last *= times;
      at += text.length - 1;
    } else {
      const length = lengthOfAtom(pattern, at);
      if (/^\\([1-9]|k<)/.test(pattern.slice(at, at + 3))) obstacle = "back-reference";
      at += length - 1;
      last = 1;
      total++;
    }
  }
  return { size: total, ...(obstacle !== undefined && { obstacle }) };
}

const COUNT = /^\{(\d+)(?:,(\d*))?\}/;

function lengthOfAtom(pattern: string, at: number): number {
  if (pattern[at] === "\\") return /^\\(?:[pPu]\{[^}]*\}|.?)/s.exec(pattern.slice(at, at + 64))![0].length;
  if (pattern[at] !== "[") return 1;
  let end = at + 1;
  while (end < pattern.length && pattern[end] !== "]") end += pattern[end] === "\\" ? 2 : 1;
  return end - at + 1;
}
