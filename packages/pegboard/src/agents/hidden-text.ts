import type { Findings } from "./field.ts";

// Controls, formats (zero-width, bidirectional, tags) and variation selectors that can carry bytes. What joins emoji, or
// letters of scripts that need it, is not meant; between plain letters it is.
const HIDDEN = /(?![\n\t\u200c\u200d])[\p{Cc}\p{Cf}]|[\u{e0100}-\u{e01ef}]|(?<=[\0-\x7f])[\u200c\u200d]/gu;
/** Most texts hold nothing else, and are told by a look. */
const PLAIN = /^[\t\n\x20-\x7e]*$/;
const MOST = 10_000;

/** The characters of a text that nobody sees and a model reads, as `U+200B`, with the line of the first one. */
function findHiddenText(text: string): { readonly line: number; readonly characters: readonly string[] } | undefined {
  if (PLAIN.test(text)) return undefined;
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

/** Warns of characters in a part of a file that cannot be seen; `firstLine` is where the part starts. */
export function warnOfHiddenText(text: string, where: string, firstLine: number, findings: Findings): void {
  const hidden = findHiddenText(text);
  if (!hidden) return;
  findings.add("warning", {
    code: "hidden_characters",
    message: `${where} holds characters that cannot be seen: ${hidden.characters.join(", ")}`,
    place: { line: hidden.line + firstLine - 1 },
    fix: `remove them, or do not use this ${findings.what}`,
  });
}
