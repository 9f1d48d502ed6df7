import type { Lines } from "./lines.ts";

/** Tags that only mark text, and how Markdown does. */
export const MARKS: ReadonlyMap<string, string> = new Map([
  ["b", "**"],
  ["strong", "**"],
  ["i", "*"],
  ["em", "*"],
  ["s", "~~"],
  ["del", "~~"],
  ["code", "`"],
]);

interface Mark {
  readonly tag: string;
  readonly before: string;
  readonly after: string;
  isOpen: boolean;
}

const MOST_MARKS = 8;

/** Text inside of lines, with emphasis, links and code. What is marked gets its marks only where there is text. */
export class Inline {
  readonly #markdown: boolean;
  #marks: Mark[] = [];
  /** The text of a code element that is open; its fence depends on what is in it. */
  #code: string | undefined;

  /** Plain text when it is not to be Markdown: nothing is marked then. */
  constructor(markdown: boolean) {
    this.#markdown = markdown;
  }

  /** Writes text; white space of any length is one space. */
  write(lines: Lines, given: string): void {
    if (this.#code !== undefined) return void (this.#code += given.replace(SPACES, " "));
    if (given === "") return;
    const body = given.trim();
    if (given.charCodeAt(0) !== body.charCodeAt(0)) lines.space();
    if (body === "") return;
    const text = UNEVEN.test(body) ? body.replace(SPACES, " ") : body;
    this.#mark(lines, this.#markdown ? escape(text, lines.isAtStart) : text);
    if (given.charCodeAt(given.length - 1) !== body.charCodeAt(body.length - 1)) lines.space();
  }

  /** Begins a mark, or a link when there is where it leads. */
  open(tag: string, link?: string): void {
    if (!this.#markdown || this.#marks.length >= MOST_MARKS) return;
    if (tag === "code") return void (this.#code ??= "");
    const before = link === undefined ? MARKS.get(tag)! : "[";
    const after = link === undefined ? before : `](${link})`;
    if (this.#marks.every((mark) => mark.before !== before)) this.#marks.push({ tag, before, after, isOpen: false });
  }

  close(lines: Lines, tag: string): void {
    if (tag === "code") return this.#flushCode(lines);
    const index = this.#marks.findLastIndex((mark) => mark.tag === tag);
    if (index === -1) return;
    this.#end(lines, index);
    this.#marks.splice(index, 1);
  }

  /** Ends all marks, as a block does; a link is over then, the others go on with the next text. */
  interrupt(lines: Lines): void {
    if (this.#code !== undefined) this.#flushCode(lines);
    if (this.#marks.length === 0) return;
    const linked = this.#marks.some(({ tag, isOpen }) => tag === "a" && isOpen);
    this.#end(lines, 0);
    if (linked) this.#marks = this.#marks.filter(({ tag }) => tag !== "a");
  }

  /** Ends all marks for good, as the end of a cell does. */
  clear(lines: Lines): void {
    this.interrupt(lines);
    this.#marks = [];
  }

  #mark(lines: Lines, text: string): void {
    if (this.#marks.length === 0) return lines.write(text);
    let before = "";
    for (const mark of this.#marks) {
      if (!mark.isOpen) before += mark.before;
      mark.isOpen = true;
    }
    lines.write(before + text);
  }

  #end(lines: Lines, from: number): void {
    for (let index = this.#marks.length - 1; index >= from; index--) {
      const mark = this.#marks[index]!;
      if (mark.isOpen) lines.attach(mark.after);
      mark.isOpen = false;
    }
  }

  #flushCode(lines: Lines): void {
    const text = this.#code?.trim();
    this.#code = undefined;
    if (!text) return;
    const fence = toFence(text, 1);
    const room = text.startsWith("`") || text.endsWith("`") ? " " : "";
    this.#mark(lines, fence + room + text + room + fence);
  }
}

/** Backticks that can stand around a text: more than stand together in it, and at least so many. */
export function toFence(text: string, least: number): string {
  const longest = text.match(/`+/g)?.reduce((most, run) => Math.max(most, run.length), 0) ?? 0;
  return "`".repeat(Math.max(least, longest + 1));
}

const SPACES = /\s+/g;
const UNEVEN = /[^\S ]| {2}/;

const SPECIAL = /[\\`*_<\]~]/;
const TO_ESCAPE =
  /[`*]|\\(?=[!-/:-@[-`{-~]|$)|(?<![\p{L}\p{N}])_|_(?![\p{L}\p{N}])|<(?=[a-z/!?]|$)|\](?=[([:]|$)|~(?=~)/giu;
const LINE_START = /^(?=#{1,6}(?:\s|$)|>|[-+](?:\s|$)|=+\s*$|---)|^(\d{1,9})(?=[.)](?:\s|$))/;
const LETTER_A = 65;

// Where the text would mean something in Markdown that it did not mean on the page.
function escape(text: string, atStart: boolean): string {
  const plain = SPECIAL.test(text) ? text.replace(TO_ESCAPE, "\\$&") : text;
  // What means something at the beginning of a line is no letter.
  return atStart && plain.charCodeAt(0) < LETTER_A ? plain.replace(LINE_START, "$1\\") : plain;
}
