import { mapTexts } from "./map-texts.ts";
import { formsOf } from "./secret-forms.ts";
import { createTextMatcher, type Replacing, type TextMatcher } from "./text-matcher.ts";

/**
 * Takes secrets out of what is written down or handed on: each becomes `[secret NAME]`, also where it is escaped or
 * encoded. Costs nothing as long as no secret is known.
 */
export interface Redactor {
  /** Makes a secret known, for good: a value that was replaced by another may still turn up. */
  add(name: string, value: string): void;
  /** The text without secrets; the very same when it holds none. */
  text(text: string): string;
  /** A JSON value without secrets, in keys neither; the very same when it holds none. */
  json<T>(value: T): T;
  /** For a text that comes in pieces: a secret may begin in one and end in another. Looks for what is known when it starts. */
  stream(): Replacing;
}

/** Makes a redactor that knows no secret yet. */
export function createRedactor(): Redactor {
  const known = new Map<string, string>();
  let matcher: TextMatcher | undefined;

  function text(given: string): string {
    if (known.size === 0) return given;
    matcher ??= createTextMatcher(known);
    if (given.length < matcher.shortest) return given;
    const replacing = matcher.replace();
    return replacing.write(given) + replacing.end();
  }

  return {
    add(name, value) {
      for (const form of formsOf(value)) {
        if (known.has(form)) continue;
        known.set(form, `[secret ${name}]`);
        matcher = undefined;
      }
    },
    text,
    json: (value) => (known.size === 0 ? value : mapTexts(value, text)),
    stream() {
      if (known.size > 0) matcher ??= createTextMatcher(known);
      return matcher?.replace() ?? AS_IT_IS;
    },
  };
}

/** For where there is nothing to look for. */
export const AS_IT_IS: Replacing = { write: (piece) => piece, end: () => "" };
