/** The longest command, in UTF-16 units: nobody reads more before saying yes. */
export const MAX_COMMAND = 32 * 1024;

// Controls, formats (zero-width, bidirectional, tags), private use, lone surrogates, line and paragraph separators,
// letters and blanks that show nothing, and the variation selectors that can carry hidden text.
const UNSEEN = /[\u{E0100}-\u{E01EF}\p{Cc}\p{Cf}\p{Co}\p{Cs}\p{Zl}\p{Zp}\u115F\u1160\u3164\uFFA0\u2800]/u;
const ALL_UNSEEN = new RegExp(UNSEEN, "gu");

/** Why a person could not see what a command says, or undefined when all of it shows. */
export function presentProblem(text: string): string | undefined {
  if (text.length > MAX_COMMAND) return `it is longer than ${MAX_COMMAND} characters`;
  // A line end in the manner of Windows shows as one; whether it can be run is another question.
  const unseen = UNSEEN.exec(text.replaceAll(/\r?\n|\t/g, ""));
  return unseen ? `it holds the character ${toEscape(unseen[0])}, which does not show` : undefined;
}

/** The text with everything that would not show as an escape; line ends and tabs stay. */
export function toVisible(text: string): string {
  return text.replaceAll(ALL_UNSEEN, (character) =>
    character === "\n" || character === "\t" ? character : toEscape(character),
  );
}

function toEscape(character: string): string {
  return `\\u{${character.codePointAt(0)!.toString(16)}}`;
}
