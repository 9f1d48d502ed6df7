import fc from "fast-check";
import { expect, test } from "vitest";
import { createTextMatcher } from "../../src/core/text-matcher.ts";

/** What must come out, found in the plainest way: every occurrence, then those that overlap taken together. */
function expected(text: string, replacements: ReadonlyMap<string, string>): string {
  const found = [...replacements.keys()].flatMap((known) =>
    Array.from(text, (_, start) => ({ start, end: start + known.length, known })).filter(({ start }) =>
      text.startsWith(known, start),
    ),
  );
  found.sort((a, b) => a.start - b.start || b.end - a.end);
  let written = "";
  let at = 0;
  for (const { start, end, known } of found) {
    if (start >= at) written += text.slice(at, start) + replacements.get(known)!;
    at = Math.max(at, end);
  }
  return written + text.slice(at);
}

function replaceAll(pieces: readonly string[], replacements: ReadonlyMap<string, string>) {
  const longest = Math.max(...Array.from(replacements.keys(), ({ length }) => length));
  const replacing = createTextMatcher(replacements).replace();
  let written = "";
  for (const piece of pieces) written += replacing.write(piece);
  const rest = replacing.end();
  expect(rest.length).toBeLessThan(longest);
  return written + rest;
}

const letters = (lengths: { minLength?: number; maxLength: number }) =>
  fc.string({ unit: fc.constantFrom("a", "b", "c", "ü"), ...lengths });

test("every occurrence is replaced, overlapping ones together, in whatever pieces the text comes", () => {
  const known = fc.uniqueArray(letters({ minLength: 1, maxLength: 6 }), { minLength: 1, maxLength: 6 });
  fc.assert(
    fc.property(known, fc.array(letters({ maxLength: 8 }), { maxLength: 8 }), (texts, pieces) => {
      const replacements = new Map(texts.map((text, index) => [text, String(index)]));
      const whole = pieces.join("");
      expect(replaceAll(pieces, replacements)).toBe(expected(whole, replacements));
      expect(replaceAll([whole], replacements)).toBe(expected(whole, replacements));
      expect(replaceAll(whole.split(""), replacements)).toBe(expected(whole, replacements));
    }),
    { numRuns: 2_000 },
  );
});

test("what runs over an occurrence that is out already takes everything with it that it covers", () => {
  const replacements = new Map([
    ["abc", "1"],
    ["cxdefy", "2"],
    ["def", "3"],
  ]);
  expect(replaceAll(["abcx", "def", "y!"], replacements)).toBe("1!");
});
