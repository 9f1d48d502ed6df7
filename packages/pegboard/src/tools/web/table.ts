import { Lines } from "./lines.ts";

const MOST_COLUMNS = 64;

/** One table while it is read: its cells are kept back until their row is whole. */
export class Table {
  readonly #outer: Lines;
  readonly #markdown: boolean;
  #isLayout: boolean;
  #cell: Lines | undefined;
  #span = 1;
  #cells: string[] = [];
  #hasRows = false;

  /** Writes its rows to these lines: as Markdown, or with bars between the cells. */
  constructor(outer: Lines, markdown: boolean, isLayout: boolean) {
    this.#outer = outer;
    this.#markdown = markdown;
    this.#isLayout = isLayout;
  }

  /** Where to write now: into the cell that is open, or beside the table. */
  get lines(): Lines {
    return this.#cell ?? this.#outer;
  }

  openRow(): void {
    this.closeRow();
    this.#outer.break(1);
  }

  openCell(colspan: string | undefined): void {
    this.closeCell();
    if (this.#isLayout) return this.#outer.break(1);
    this.#cell = new Lines(true);
    this.#span = Math.min(MOST_COLUMNS, Number.parseInt(colspan ?? "1", 10) || 1);
  }

  closeCell(): void {
    if (!this.#cell) return;
    const { text } = this.#cell;
    this.#cells.push(this.#markdown ? text.replaceAll("|", "\\|") : text);
    for (; this.#span > 1 && this.#cells.length < MOST_COLUMNS; this.#span--) this.#cells.push("");
    this.#cell = undefined;
  }

  closeRow(): void {
    this.closeCell();
    const cells = this.#cells;
    if (cells.length === 0) return;
    this.#cells = [];
    if (cells.every((text) => text === "")) return;
    if (this.#markdown && (cells.length > 1 || this.#hasRows)) return this.#writeRow(cells);
    while (cells.at(-1) === "") cells.pop();
    this.#outer.break(1);
    this.#outer.write(cells.join(" | "));
  }

  /** From now on its cells are only text one below the other: it arranges a page and holds no data. */
  dissolve(): void {
    if (this.#isLayout) return;
    this.closeCell();
    this.#isLayout = true;
    for (const text of this.#cells.filter((each) => each !== "")) {
      this.#outer.break(1);
      this.#outer.write(text);
    }
    this.#cells = [];
    this.#outer.break(1);
  }

  #writeRow(cells: readonly string[]): void {
    this.#outer.break(1);
    this.#outer.write(`| ${cells.join(" | ")} |`);
    if (this.#hasRows) return;
    this.#hasRows = true;
    this.#outer.break(1);
    this.#outer.write(`|${" --- |".repeat(cells.length)}`);
  }
}
