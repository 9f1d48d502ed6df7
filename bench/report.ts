/** What a benchmark found. */
export interface Report {
  readonly title: string;
  /** Header and rows. */
  readonly table: readonly (readonly string[])[];
  readonly ratios: readonly Ratio[];
  /** What a reader must know to take the numbers right. */
  readonly notes?: readonly string[];
}

/** A number that can be compared between machines; `target` is the most it is meant to be. */
export interface Ratio {
  readonly name: string;
  readonly value: number;
  readonly target?: number;
  readonly unit?: string;
}

/** The report as text. */
export function toText({ title, table, ratios, notes = [] }: Report): string {
  return [title, ...toLines(table), "", ...toLines(ratios.map(toCells)), ...notes.map((note) => `  ${note}`), ""].join(
    "\n",
  );
}

/** A time in the unit that fits it. */
export function toTime(ns: number): string {
  if (ns < 1e3) return `${ns.toPrecision(3)} ns`;
  return ns < 1e6 ? `${(ns / 1e3).toPrecision(3)} µs` : `${(ns / 1e6).toPrecision(3)} ms`;
}

/** A size in the unit that fits it. */
export function toSize(bytes: number): string {
  if (Math.abs(bytes) < 1e3) return `${Math.round(bytes)} B`;
  return Math.abs(bytes) < 1e6 ? `${(bytes / 1e3).toFixed(1)} kB` : `${(bytes / 1e6).toFixed(1)} MB`;
}

function toCells({ name, value, target, unit = "" }: Ratio): string[] {
  const shown = `${value < 100 ? value.toPrecision(3) : Math.round(value)}${unit}`;
  return [name, shown, target === undefined ? "" : `target ${target}${unit}: ${value <= target ? "met" : "missed"}`];
}

function toLines(rows: readonly (readonly string[])[]): string[] {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]!.length)));
  return rows.map((row) =>
    `  ${row.map((cell, column) => (column === 0 ? cell.padEnd(widths[0]!) : cell.padStart(widths[column]!))).join("  ")}`.trimEnd(),
  );
}
