import { PHRASES, SYNONYMS } from "./synonyms.ts";

/** Words that say nothing about what is looked for. */
const EMPTY = new Set(
  "a about all an and any are as at be been but by can could do does for from get gets had has have how i if in into is it its let like me my need needs no not of on one only or other our out please put should so some such that the their them then there these they this those to tool tools up use used using want was way we what when where which who will with would you your".split(
    " ",
  ),
);

const MEANINGS: readonly (readonly string[])[] = SYNONYMS.map((line) => line.split(" ").map(stem));

const alikeOf = new Map<string, ReadonlySet<string>>();
for (const group of MEANINGS)
  for (const word of group) alikeOf.set(word, new Set([...(alikeOf.get(word) ?? []), ...group]));

/** The words of a text as they are compared: small letters, without endings, parts of `camelCase` and `snake_case` apart. */
export function wordsOf(text: string): string[] {
  return (text.match(/[\p{L}\p{N}]+/gu) ?? []).flatMap((word) => {
    const parts = word
      .replace(/([a-z0-9])([A-Z])|([A-Z])([A-Z][a-z])/g, "$1$3 $2$4")
      .toLowerCase()
      .split(" ");
    // Some that look like two are written as one as well: GitHub.
    const all = parts.length === 2 ? [...parts, parts.join("")] : parts;
    return all.filter((one) => !EMPTY.has(one)).map(stem);
  });
}

/** More of a question than this says nothing new. */
const LONGEST = 1_000;

/** The words of a question, and those that it says in several. */
export function wordsAsked(question: string): string[] {
  const text = question.slice(0, LONGEST).toLowerCase();
  return wordsOf(PHRASES.reduce((said, [phrase, meant]) => said.replace(phrase, meant), text));
}

/** Other words for this one, itself left out. */
export function alike(word: string): readonly string[] {
  return [...(alikeOf.get(word) ?? [])].filter((other) => other !== word);
}

/** A word without the endings that say nothing about its meaning. Rough, and the same for all forms of most words. */
function stem(word: string): string {
  if (word.length <= 3) return word;
  const base = word
    .replace(/ies$/, "y")
    .replace(/(ss|sh|ch|x|z)es$/, "$1")
    .replace(/([^su])s$/, "$1");
  const cut = base
    .replace(/(?:ations?|ating|ated|ators?|ate)$/, "at")
    .replace(/(?:ing|ed)$|(?<=.{4})(?:er|ly|ment|ion)$/, "");
  const shorter = cut.length >= 3 ? cut : base;
  return shorter.replace(/([b-df-hj-np-tv-z])\1$/, "$1").replace(/e$/, "");
}
