/** Texts of a JSON file, which may look like comments, or comments. */
const PIECES = /"(?:[^"\\\n]|\\.)*"|\/\/[^\n]*|\/\*[^]*?\*\//g;

/** JSON with blanks for its comments: everything else stays where it is. */
export function blankComments(text: string): string {
  return text.replaceAll(PIECES, (piece) => (piece.startsWith('"') ? piece : piece.replaceAll(/[^\n]/g, " ")));
}
