import type { Attributes, HtmlSink } from "./html.ts";
import { Inline, toFence } from "./inline.ts";
import { Lines } from "./lines.ts";
import { toLink } from "./link.ts";
import { Table } from "./table.ts";
import { type Kind, KINDS } from "./tags.ts";

/** An element that changes what the lines in it begin with. */
interface Frame {
  readonly tag: string;
  readonly lines: Lines;
  /** Of a numbered list: the number of its next item. */
  next: number;
}

const MOST_CHARACTERS = 10_000_000;
const MOST_TABLES = 12;
// How far back the element is looked for that an end tag ends.
const FAR = 64;

/** Writes a page as text or Markdown while it is read. Links are made absolute from the page's URL. */
export class Writer implements HtmlSink {
  readonly #markdown: boolean;
  readonly #whole = new Lines();
  readonly #inline: Inline;
  readonly #frames: Frame[] = [];
  readonly #tables: Table[] = [];
  #base: string;
  #hasHeading = false;
  /** The text of a pre element that is open. */
  #pre: string | undefined;
  #language = "";

  constructor(markdown: boolean, url: string) {
    this.#markdown = markdown;
    this.#inline = new Inline(markdown);
    this.#base = url;
  }

  get isFull(): boolean {
    return this.#whole.text.length > MOST_CHARACTERS;
  }

  /** Whether the page names itself. */
  get hasHeading(): boolean {
    return this.#hasHeading;
  }

  /** Ends everything that is open. Returns the whole text. */
  finish(): string {
    this.#flushPre();
    this.#inline.interrupt(this.#lines);
    while (this.#tables.length > 0) this.#closeTable();
    return this.#whole.text;
  }

  open(tag: string, attributes: Attributes): void {
    const kind = KINDS.get(tag);
    if (kind === undefined) return;
    if (this.#pre !== undefined) return this.#openInPre(tag, kind, attributes);
    if (kind === "mark") this.#inline.open(tag);
    else if (kind === "link") this.#openLink(attributes["href"]);
    else if (kind === "image") this.text(attributes["alt"] ?? "");
    else if (kind === "frame") this.#openFrame(tag, attributes);
    else if (kind === "break") this.#breakLine();
    else if (kind === "table") this.#openTable();
    else if (kind === "row") this.#openRow();
    else if (kind === "cell") this.#openCell(attributes["colspan"]);
    else if (kind === "pre") this.#openPre(attributes);
    else if (kind === "rule") this.#writeRule();
    else if (kind === "base") this.#base = URL.parse(attributes["href"] ?? "", this.#base)?.href ?? this.#base;
    else this.#startBlock(kind === "paragraph" ? 2 : 1);
  }

  close(tag: string): void {
    const kind = KINDS.get(tag);
    if (kind === undefined) return;
    if (this.#pre !== undefined) return kind === "pre" ? this.#flushPre() : undefined;
    if (kind === "mark" || kind === "link") this.#inline.close(this.#lines, tag);
    else if (kind === "frame") this.#closeFrame(tag);
    else if (kind === "table") this.#closeTable();
    else if (kind === "row" || kind === "cell") this.#closeInTable(kind);
    else this.#startBlock(kind === "paragraph" ? 2 : 1);
  }

  text(text: string): void {
    if (this.#pre === undefined) this.#inline.write(this.#lines, text);
    else this.#pre += text;
  }

  get #lines(): Lines {
    return this.#tables.at(-1)?.lines ?? this.#whole;
  }

  #startBlock(count: 1 | 2): void {
    const lines = this.#lines;
    this.#inline.interrupt(lines);
    lines.break(count);
  }

  #openLink(href: string | undefined): void {
    this.#inline.close(this.#lines, "a");
    const link = this.#markdown && href !== undefined ? toLink(href, this.#base) : undefined;
    if (link !== undefined) this.#inline.open("a", link);
  }

  #breakLine(): void {
    const lines = this.#lines;
    if (lines.isAtStart) return this.#startBlock(2);
    if (this.#markdown && lines === this.#whole) lines.attach("  ");
    lines.break(1);
  }

  #writeRule(): void {
    this.#startBlock(2);
    if (this.#markdown) this.#lines.write("---");
    this.#lines.break(2);
  }

  #openFrame(tag: string, attributes: Attributes): void {
    const around = this.#frames.at(-1)?.tag;
    if (tag === "li" && around === "li") this.#closeFrame("li");
    const level = tag.startsWith("h") ? Number(tag[1]) : 0;
    if (level === 1) this.#hasHeading = true;
    if (level > 0) this.#dissolveTable();
    this.#startBlock(tag === "li" || (tag.endsWith("l") && around === "li") ? 1 : 2);
    const lines = this.#lines;
    const list = this.#frames.at(-1);
    const marker = tag !== "li" ? "" : list?.tag === "ol" ? `${list.next++}. ` : "- ";
    this.#frames.push({ tag, lines, next: Number.parseInt(attributes["start"] ?? "1", 10) || 1 });
    if (marker !== "") lines.indent(" ".repeat(marker.length), marker);
    else if (level > 0 && this.#markdown) lines.indent("", `${"#".repeat(level)} `);
    else lines.indent(tag !== "blockquote" ? "" : this.#markdown ? "> " : "  ");
  }

  #closeFrame(tag: string): void {
    const frames = this.#frames;
    let first = frames.length - 1;
    const last = Math.max(0, frames.length - FAR);
    while (first >= last && frames[first]!.tag !== tag) first--;
    if (first < last) return;
    this.#inline.interrupt(this.#lines);
    while (frames.length > first) frames.pop()!.lines.outdent();
    this.#lines.break(tag === "li" || (tag.endsWith("l") && frames.at(-1)?.tag === "li") ? 1 : 2);
  }

  // What a table of data does not hold.
  #dissolveTable(): void {
    this.#inline.interrupt(this.#lines);
    this.#tables.at(-1)?.dissolve();
  }

  #openTable(): void {
    this.#dissolveTable();
    this.#startBlock(2);
    this.#tables.push(new Table(this.#lines, this.#markdown, this.#tables.length >= MOST_TABLES));
  }

  #openRow(): void {
    this.#inline.clear(this.#lines);
    this.#tables.at(-1)?.openRow();
  }

  #openCell(colspan: string | undefined): void {
    this.#inline.clear(this.#lines);
    this.#tables.at(-1)?.openCell(colspan);
  }

  #closeInTable(kind: "row" | "cell"): void {
    this.#inline.clear(this.#lines);
    if (kind === "row") this.#tables.at(-1)?.closeRow();
    else this.#tables.at(-1)?.closeCell();
  }

  #closeTable(): void {
    const table = this.#tables.at(-1);
    if (!table) return;
    this.#inline.clear(table.lines);
    table.closeRow();
    this.#tables.pop();
    this.#lines.break(2);
  }

  #openPre(attributes: Attributes): void {
    this.#dissolveTable();
    this.#startBlock(2);
    this.#pre = "";
    this.#language = languageOf(attributes);
  }

  #openInPre(tag: string, kind: Kind, attributes: Attributes): void {
    if (tag === "code") this.#language ||= languageOf(attributes);
    else if (kind === "break" || (kind === "block" && this.#pre !== "" && !this.#pre!.endsWith("\n")))
      this.#pre += "\n";
  }

  #flushPre(): void {
    const text = this.#pre?.replaceAll("\r\n", "\n").replace(/^\n/, "").trimEnd() ?? "";
    this.#pre = undefined;
    if (text === "") return;
    const fence = toFence(text, 3);
    this.#lines.break(2);
    this.#lines.writeBlock(this.#markdown ? `${fence}${this.#language}\n${text}\n${fence}` : text);
    this.#lines.break(2);
  }
}

function languageOf({ class: names = "" }: Attributes): string {
  return /(?:^|\s)lang(?:uage)?-([\w+#.-]{1,30})/.exec(names)?.[1] ?? "";
}
