/** Text that a dialog can show: what it would obey or hide is an escape; lines and tabs stay. */
export function visible(text: string): string {
  return text.replaceAll(/[\p{Cc}\p{Cf}\p{Co}\p{Cs}\u2028\u2029]/gu, (character) =>
    character === "\n" || character === "\t" ? character : `\\u{${character.codePointAt(0)!.toString(16)}}`,
  );
}
