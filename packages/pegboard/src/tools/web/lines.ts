// Deeper levels look like this one: what every line begins with must not outgrow the text.
const MOST_LEVELS = 24;

interface Level {
  readonly prefix: string;
  readonly lead: string | undefined;
}

/** Text that grows line by line. Breaks and spaces are asked for, and written only when something follows them. */
export class Lines {
  readonly #flat: boolean;
  readonly #levels: Level[] = [];
  #text = "";
  #breaks = 0;
  #space = false;
  /** What every line begins with. */
  #prefix = "";
  /** What the next line begins with, when that is not the prefix. */
  #lead: string | undefined;
  /** What an empty line begins with: what is common to the lines around it. */
  #between = "";

  /** When `flat`, everything stays on one line and nothing is indented. */
  constructor(flat = false) {
    this.#flat = flat;
  }

  get text(): string {
    return this.#text;
  }

  /** Whether what is written next begins a line. */
  get isAtStart(): boolean {
    return this.#breaks > 0 || this.#text === "";
  }

  /** Writes text without a newline, after the breaks or the space that were asked for. */
  write(text: string): void {
    if (this.isAtStart) this.#startLine();
    else if (this.#space) this.#text += " ";
    this.#text += text;
    this.#space = false;
  }

  /** Writes right behind what is there: nothing that was asked for comes between. */
  attach(text: string): void {
    this.#text += text;
  }

  /** Writes lines as they are. */
  writeBlock(text: string): void {
    this.#startLine();
    this.#text += this.#prefix === "" ? text : text.replaceAll("\n", `\n${this.#prefix}`);
  }

  space(): void {
    this.#space = true;
  }

  /** Asks for a new line (1) or an empty line (2). */
  break(count: 1 | 2): void {
    if (this.#flat) this.#space = true;
    if (this.#flat || this.#text === "") return;
    if (this.#breaks === 0 || this.#prefix.length < this.#between.length) this.#between = this.#prefix;
    if (count > this.#breaks) this.#breaks = count;
  }

  /** Adds to what every line begins with; the next one begins with `first` instead. */
  indent(prefix: string, first?: string): void {
    this.#levels.push({ prefix: this.#prefix, lead: this.#lead });
    if (this.#flat || this.#levels.length > MOST_LEVELS) return;
    if (first !== undefined) this.#lead = (this.#lead ?? this.#prefix) + first;
    else if (this.#lead !== undefined) this.#lead += prefix;
    this.#prefix += prefix;
  }

  /** Takes back the last `indent`. */
  outdent(): void {
    const level = this.#levels.pop();
    if (!level) return;
    this.#prefix = level.prefix;
    if (this.#lead !== undefined) this.#lead = level.lead;
  }

  #startLine(): void {
    if (this.#text !== "") this.#text += this.#breaks === 2 ? `\n${this.#between.trimEnd()}\n` : "\n";
    this.#text += this.#lead ?? this.#prefix;
    this.#lead = undefined;
    this.#breaks = 0;
    this.#space = false;
  }
}
