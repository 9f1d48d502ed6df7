// Controls, formats (zero-width, bidirectional, tags) and variation selectors that can carry bytes. What joins emoji, or
// letters of scripts that need it, is not meant; between plain letters it is.
const HIDDEN = /(?![\n\t\u200c\u200d])[\p{Cc}\p{Cf}]|[\u{e0100}-\u{e01ef}]|(?<=[\0-\x7f])[\u200c\u200d]/gu;
const MOST = 10_000;

/** The characters of a text that nobody sees and a model reads, as `U+200B`, with the line of the first one. */
export function findHiddenText(
  text: string,
): { readonly line: number; readonly characters: readonly string[] } | undefined {
  const characters = new Set<string>();
  let first: number | undefined;
  let seen = 0;
  for (const { 0: character, index } of text.matchAll(HIDDEN)) {
    first ??= index;
    characters.add(`U+${character.codePointAt(0)!.toString(16).toUpperCase().padStart(4, "0")}`);
    if (++seen >= MOST) break;
  }
  if (first === undefined) return undefined;
  return { line: text.slice(0, first).split("\n").length, characters: [...characters].slice(0, 5) };
}
