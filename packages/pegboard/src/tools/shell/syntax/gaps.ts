/** A word or redirection of a command, where it stands in the text, and by what it is joined to what stands before it. */
export interface Token {
  readonly pos: number;
  readonly end: number;
  /** Absent within one command; `;` stands for a new line too, "" for the beginning of the text. */
  readonly join?: "" | ";" | "&&" | "||" | "|";
}

/**
 * Whether tokens, what joins them, blanks and comments are all there is in a text. A parser that forgives would leave out
 * what it does not expect; nothing that was left out may be taken for looked at. `ignored` are the bodies of here-documents.
 */
export function areAll(
  text: string,
  tokens: readonly Token[],
  ignored: readonly Pick<Token, "pos" | "end">[],
): boolean {
  let masked = text;
  for (const { pos, end } of ignored) masked = masked.slice(0, pos) + " ".repeat(end - pos) + masked.slice(end);
  let at = 0;
  for (const { pos, end, join } of tokens) {
    const signs = pos < at ? undefined : signsIn(masked.slice(at, pos));
    if (signs === undefined || !isJoin(signs, join)) return false;
    at = end;
  }
  const rest = signsIn(masked.slice(at));
  return rest !== undefined && /^;?\n*$/.test(rest);
}

function isJoin(signs: string, join: Token["join"]): boolean {
  if (join === undefined) return signs === "";
  if (join === "") return /^\n*$/.test(signs);
  return join === ";" ? /^(?:;\n*|\n+)$/.test(signs) : signs.replace(/\n+$/, "") === join;
}

/** The operators and line ends in what stands between two words; undefined when there is anything else. */
function signsIn(gap: string): string | undefined {
  let signs = "";
  for (let at = 0; at < gap.length; at++) {
    const sign = gap[at]!;
    if (sign === " " || sign === "\t") continue;
    if (sign === "\\" && gap[at + 1] === "\n") at++;
    else if (sign === "#" && /^$|[\s;&|]/.test(gap[at - 1] ?? ""))
      at = (gap.indexOf("\n", at) + 1 || gap.length + 1) - 2;
    else if (";&|\n".includes(sign)) signs += sign;
    else return undefined;
  }
  return signs;
}
