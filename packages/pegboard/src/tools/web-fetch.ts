import { defineTool, type Json, type Tool } from "@pegboard/contract";
import { PegboardError } from "../core/error.ts";
import { retry } from "../core/retry.ts";
import { retryAfterMs, statusError, withDeadline } from "./http-status.ts";
import { decode, essenceOf, kindOf, sniff } from "./web/decode.ts";
import type { FetchPage, Page } from "./web/page.ts";
import { toVisible } from "./web/visible.ts";

/** How `web_fetch` works. */
export interface WebFetchDeps {
  /** Decides where the tool may go, and goes there. */
  readonly fetchPage: FetchPage;
  /** Read anew for every call. */
  settings?(): WebFetchSettings;
}

/** What the operator can say about one call. */
export interface WebFetchSettings {
  /** For a whole call, redirects and retries included; 30,000 milliseconds by default. */
  readonly timeoutMs?: number;
  /** How often a page is asked for when the server is busy or the network fails; 3 by default. */
  readonly maxAttempts?: number;
}

const TIMEOUT = 30_000;
const MOST_EXCERPT = 1_000;

/** The tool that reads a page of the web. What it returns is somebody else's text: `meta.untrusted` says so. */
export function webFetchTool({ fetchPage, settings = () => ({}) }: WebFetchDeps): Tool {
  return defineTool({
    name: "web_fetch",
    description:
      "Read a page of the web as text, Markdown or HTML. Long pages come in parts: a note says how to read on",
    input: {
      type: "object",
      properties: {
        url: { type: "string", minLength: 1, description: "An absolute http or https URL" },
        maxLength: {
          type: "integer",
          minimum: 1,
          maximum: 1_000_000,
          default: 50_000,
          description: "How many characters to return",
        },
        format: {
          enum: ["text", "markdown", "html"],
          default: "text",
          description: "What an HTML page is turned into",
        },
        offset: {
          type: "integer",
          minimum: 0,
          default: 0,
          description: "The first character to return, for reading on",
        },
      },
      required: ["url"],
      additionalProperties: false,
    },
    capabilities: ["network"],
    // Its own deadline comes first, and says more.
    timeoutMs: null,
    summary: ({ url }) => `Fetch ${url}`,
    async execute({ url, maxLength, format, offset }, context) {
      const { timeoutMs = TIMEOUT, maxAttempts = 3 } = settings();
      const page = await withDeadline(timeoutMs, context.signal, `${url} was not fetched`, (signal) => {
        const attempt = async () =>
          toAnswer(await fetchPage(url, { signal, reads: (type) => kindOf(type) !== "binary" }), signal);
        return retry(attempt, { maxAttempts, signal, askedMs: retryAfterMs });
      });
      const { text, meta } = await read(page, format, context.signal);
      return toPart(text, offset, maxLength, page, meta);
    },
  });
}

/** The page, unless its status is a failure: then it is thrown, with the beginning of what the server said. */
async function toAnswer(page: Page, signal: AbortSignal): Promise<Page> {
  const { url, status, retryAfter } = page;
  if (status < 400) return page;
  const excerpt =
    kindOf(page.contentType) === "binary" ? "" : (await read(page, "text", signal)).text.slice(0, MOST_EXCERPT).trim();
  throw statusError(`${url} answered ${status}`, status, excerpt, retryAfter);
}

async function read(
  page: Page,
  format: "text" | "markdown" | "html",
  signal: AbortSignal,
): Promise<{ text: string; meta: Record<string, Json> }> {
  const { url, contentType, bytes, size } = page;
  const kind = bytes.length === 0 ? kindOf(contentType) : sniff(contentType, bytes);
  if (kind === "binary") {
    const length = size ?? bytes.length;
    throw new PegboardError(
      "tool_error",
      `${url} is not text: ${essenceOf(contentType) || "of unknown type"}${length > 0 ? `, ${length} bytes` : ""}. web_fetch reads only text`,
    );
  }
  const source = decode(contentType, bytes, kind === "html");
  if (kind !== "html" || format === "html") return { text: toVisible(source), meta: {} };
  // The parser is loaded with the first page that needs it.
  const { toPageText } = await import("./web/to-text.ts");
  const { text, title, isCut } = await toPageText(source, { format, url, signal });
  return {
    text: toVisible(text),
    meta: {
      ...(title !== "" && { title: toVisible(title) }),
      ...(isCut && { partial: "the text is longer than can be read" }),
    },
  };
}

function toPart(whole: string, offset: number, maxLength: number, page: Page, extra: Record<string, Json>) {
  const characters = whole.length;
  if (offset > 0 && offset >= characters)
    throw new PegboardError(
      "invalid_input",
      `offset ${offset} is behind the end: the page has ${characters} characters`,
    );
  const end = toBoundary(whole, offset + maxLength);
  const text = whole.slice(offset, end);
  const note = [
    ...toPartNote(offset, end, characters),
    ...[page.partial, extra["partial"]].filter((each) => typeof each === "string"),
  ].join("; ");
  const { url, status, contentType, partial } = page;
  return {
    content: [{ type: "text", text }, ...(note === "" ? [] : [{ type: "text", text: `[${note}]` }])],
    meta: {
      kind: "web_page",
      untrusted: true,
      url,
      status,
      contentType,
      ...extra,
      ...(partial && { partial }),
      offset,
      length: text.length,
      characters,
    },
  };
}

function toPartNote(offset: number, end: number, characters: number): string[] {
  if (offset === 0 && end >= characters) return [];
  const percent = Math.floor(((end - offset) / characters) * 100);
  const further = end < characters ? `; read on with offset ${end}` : "; this is the end";
  return [`cut: characters ${offset} to ${end} of ${characters} are shown, ${percent} % of the page${further}`];
}

// Not in the middle of a character that takes two.
function toBoundary(text: string, index: number): number {
  if (index >= text.length) return text.length;
  const code = text.charCodeAt(index);
  return code >= 0xdc00 && code <= 0xdfff && index > 1 ? index + 1 : index;
}
