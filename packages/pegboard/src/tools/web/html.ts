import { Tokenizer } from "htmlparser2";

/** What a page is made of, as a reader meets it. Tags are in small letters; attributes only those that matter here. */
export interface HtmlSink {
  open(tag: string, attributes: Attributes): void;
  close(tag: string): void;
  text(text: string): void;
  /** Once it is true, nothing more is read. */
  readonly isFull: boolean;
}

export type Attributes = Readonly<Partial<Record<string, string>>>;

/** How a page is read. */
export interface ReadHtmlOptions {
  /** Reads also what stands around the content: navigation, header, footer, asides. */
  readonly surroundings?: boolean;
  readonly signal?: AbortSignal;
}

/** What was found besides the content. */
export interface HtmlFacts {
  readonly title: string;
  /** Whether something was left out because it only surrounds the content. */
  readonly hasSurroundings: boolean;
}

// So much at a time: in between, others get their turn, and a cancelled call ends.
const CHUNK = 1024 * 1024;

/** The attribute that matters of a tag, besides those that hide it. */
const ATTRIBUTES: ReadonlyMap<string, string> = new Map([
  ["a", "href"],
  ["base", "href"],
  ["img", "alt"],
  ["ol", "start"],
  ["td", "colspan"],
  ["th", "colspan"],
  ["pre", "class"],
  ["code", "class"],
]);
const NEVER_READ = new Set([
  "script",
  "style",
  "noscript",
  "template",
  "svg",
  "iframe",
  "noembed",
  "noframes",
  "object",
  "select",
  "datalist",
]);
const SURROUNDINGS = new Set(["nav", "header", "footer", "aside"]);
// Inside of these, a header or footer belongs to the content.
const CONTENT = new Set(["main", "article", "section"]);
const NO_CONTENT = new Set([
  "area",
  "base",
  "br",
  "col",
  "embed",
  "hr",
  "img",
  "input",
  "link",
  "meta",
  "param",
  "source",
  "track",
  "wbr",
]);
// The next of its kind ends these: they need no end tag.
const ENDS_ITSELF = new Set(["p", "li", "dt", "dd", "tr", "td", "th", "option"]);
const NONE: Attributes = {};

/**
 * Reads HTML from beginning to end and tells the sink what a person would see. However deep tags are nested and whatever
 * is not closed, the time it takes grows with the length alone. Never throws but the signal's reason.
 */
export async function readHtml(html: string, sink: HtmlSink, options: ReadHtmlOptions = {}): Promise<HtmlFacts> {
  const { surroundings = false, signal } = options;
  let tag = "";
  let wanted = "";
  let attribute = "";
  let value = "";
  let attributes: Record<string, string> | undefined;
  let title = "";
  let inTitle = false;
  let contentDepth = 0;
  let hasSurroundings = false;
  /** The element that is being passed over, and how many of its kind are open in it. */
  let passed = "";
  let passedDepth = 0;

  function open(): void {
    if (passed !== "" && !isOver()) return;
    if (NO_CONTENT.has(tag)) return sink.open(tag, attributes ?? NONE);
    if (tag === "title") return void (inTitle = title === "");
    const around = SURROUNDINGS.has(tag) && (contentDepth === 0 || tag === "nav" || tag === "aside");
    if (around) hasSurroundings = true;
    if (NEVER_READ.has(tag) || (around && !surroundings) || isHidden(attributes)) {
      passed = tag;
      passedDepth = 1;
      return;
    }
    if (CONTENT.has(tag)) contentDepth++;
    sink.open(tag, attributes ?? NONE);
  }

  /** Whether the tag at hand ends what is being passed over. */
  function isOver(): boolean {
    if (tag === passed && !ENDS_ITSELF.has(tag)) passedDepth++;
    else if (tag === passed || (tag === "main" && SURROUNDINGS.has(passed))) passed = "";
    return passed === "";
  }

  function close(name: string): void {
    if (name === "title") inTitle = false;
    if (passed !== "") {
      if (name === passed) passedDepth--;
      if (passedDepth === 0 || name === "body") passed = "";
      return;
    }
    if (CONTENT.has(name) && contentDepth > 0) contentDepth--;
    sink.close(name);
  }

  function text(found: string): void {
    if (inTitle) title += found;
    else if (passed === "") sink.text(found);
  }

  const slice = (start: number, end: number) => html.slice(start, end);
  const tokenizer = new Tokenizer(
    { decodeEntities: true },
    {
      onopentagname(start, end) {
        tag = slice(start, end).toLowerCase();
        wanted = ATTRIBUTES.get(tag) ?? "";
        attributes = undefined;
      },
      onattribname(start, end) {
        const length = end - start;
        // Most attributes are told apart by their length: no text is made of them.
        const name = length === 5 || length === 6 || length === wanted.length ? slice(start, end).toLowerCase() : "";
        attribute = name === "hidden" || name === "style" || name === wanted ? name : "";
        value = "";
      },
      onattribdata(start, end) {
        if (attribute !== "") value += slice(start, end);
      },
      onattribentity(point) {
        if (attribute !== "") value += String.fromCodePoint(point);
      },
      onattribend() {
        if (attribute !== "") (attributes ??= {})[attribute] ??= value;
      },
      onopentagend: open,
      onselfclosingtag() {
        open();
        if (tag === "svg") close(tag);
      },
      onclosetag: (start, end) => close(slice(start, end).toLowerCase()),
      ontext: (start, end) => text(slice(start, end)),
      ontextentity: (point) => text(String.fromCodePoint(point)),
      oncdata() {},
      oncomment() {},
      ondeclaration() {},
      onprocessinginstruction() {},
      onend() {},
      isInForeignContext: () => passed === "svg",
    },
  );
  for (let start = 0; start < html.length && !sink.isFull; start += CHUNK) {
    if (start > 0) await new Promise((resolve) => setTimeout(resolve));
    signal?.throwIfAborted();
    tokenizer.write(html.slice(start, start + CHUNK));
  }
  if (!sink.isFull) tokenizer.end();
  return { title: title.replace(/\s+/g, " ").trim(), hasSurroundings };
}

function isHidden(attributes: Attributes = NONE): boolean {
  const { hidden, style } = attributes;
  return (
    (hidden !== undefined && hidden !== "until-found") ||
    (style !== undefined && /(?:display\s*:\s*none|visibility\s*:\s*hidden)/i.test(style))
  );
}
