/** One cell of a table: what it holds, and how it is shown. */
export interface Cell {
  readonly text: string;
  readonly show?: (text: string) => string;
}

/** Rows in aligned columns, one line each. Where there is a width, the last column is cut to it. */
export function toLines(rows: readonly (readonly Cell[])[], width?: number): string[] {
  const widths: number[] = [];
  for (const row of rows)
    row.forEach(({ text }, column) => (widths[column] = Math.max(widths[column] ?? 0, text.length)));
  return rows.map((row) => {
    let left = width ?? Infinity;
    const cells = row.map(({ text, show = (shown) => shown }, column) => {
      const isLast = column === row.length - 1;
      const shown = show(isLast ? cut(text, left) : text);
      left -= widths[column]! + GAP.length;
      return isLast ? shown : `${shown}${" ".repeat(widths[column]! - text.length)}`;
    });
    return cells.join(GAP).trimEnd();
  });
}

const GAP = "  ";

function cut(text: string, most: number): string {
  return text.length <= most ? text : `${text.slice(0, Math.max(0, most - 1))}…`;
}
