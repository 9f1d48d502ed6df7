import { readHtml } from "./html.ts";
import { Writer } from "./writer.ts";

/** A page as text. */
export interface PageText {
  readonly title: string;
  readonly text: string;
  /** Whether the page goes on where the text ends. */
  readonly isCut: boolean;
}

/** What a page is turned into, and where it is from: links are made absolute. */
export interface PageTextOptions {
  readonly format: "text" | "markdown";
  readonly url: string;
  readonly signal?: AbortSignal;
}

/**
 * The content of an HTML page as text or Markdown: what only surrounds it is left out, unless nothing else is there. Takes
 * any input, in time that grows with its length. Never throws but the signal's reason.
 */
export async function toPageText(html: string, options: PageTextOptions): Promise<PageText> {
  const found = await attempt(html, options, false);
  const { text, title, hasHeading, isCut } =
    found.text === "" && found.hasSurroundings ? await attempt(html, options, true) : found;
  const heading = hasHeading || title === "" ? "" : `${options.format === "markdown" ? "# " : ""}${title}\n\n`;
  return { title, text: heading + text, isCut };
}

async function attempt(html: string, { format, url, signal }: PageTextOptions, surroundings: boolean) {
  const writer = new Writer(format === "markdown", url);
  const facts = await readHtml(html, writer, { surroundings, ...(signal && { signal }) });
  return { ...facts, text: writer.finish(), hasHeading: writer.hasHeading, isCut: writer.isFull };
}
