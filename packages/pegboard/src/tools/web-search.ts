import { defineTool, type Tool } from "@pegboard/contract";
import { PegboardError } from "../core/error.ts";
import { retry } from "../core/retry.ts";
import { retryAfterMs, withDeadline } from "./http-status.ts";
import { toVisible } from "./web/visible.ts";

/** One thing that was found. */
export interface SearchResult {
  readonly title: string;
  readonly url: string;
  readonly snippet: string;
}

/** A service that searches the web. Throws `unavailable` when it lacks what it needs, such as a key. */
export interface SearchProvider {
  readonly name: string;
  /** What was found, best first. More than was asked for is cut off by the tool. */
  search(query: string, maxResults: number, signal: AbortSignal): Promise<readonly SearchResult[]>;
}

/** How `web_search` works. */
export interface WebSearchDeps {
  /** The provider at hand, asked for every call; undefined when none is configured. */
  provider(): SearchProvider | undefined | Promise<SearchProvider | undefined>;
  /** For a whole call; 30,000 milliseconds by default. */
  readonly timeoutMs?: number;
  /** How often the provider is asked when it is busy or the network fails; 3 by default. */
  readonly maxAttempts?: number;
}

const MOST_TEXT = 2_000;

const RESULT = {
  type: "object",
  properties: { title: { type: "string" }, url: { type: "string" }, snippet: { type: "string" } },
  required: ["title", "url", "snippet"],
  additionalProperties: false,
} as const;

/** The tool that searches the web. What it returns is somebody else's text: `meta.untrusted` says so. */
export function webSearchTool({ provider, timeoutMs = 30_000, maxAttempts = 3 }: WebSearchDeps): Tool {
  return defineTool({
    name: "web_search",
    description:
      "Search the web. Returns a list of pages, each with title, url and snippet; web_fetch reads one of them",
    input: {
      type: "object",
      properties: {
        query: { type: "string", minLength: 1, maxLength: 2_000, description: "What to search for" },
        maxResults: { type: "integer", minimum: 1, maximum: 20, default: 5, description: "How many results at most" },
      },
      required: ["query"],
      additionalProperties: false,
    },
    output: { type: "array", items: RESULT },
    capabilities: ["network"],
    timeoutMs: null,
    summary: ({ query }) => `Search the web for "${query}"`,
    async execute({ query, maxResults }, context) {
      const service = await provider();
      if (!service)
        throw new PegboardError(
          "unavailable",
          "web_search has no provider: set web_search.provider in pegboard.yaml to gemini, brave, tavily or searxng",
        );
      const found = await withDeadline(timeoutMs, context.signal, `${service.name} did not answer`, (signal) =>
        retry(() => service.search(query, maxResults, signal), { maxAttempts, signal, askedMs: retryAfterMs }),
      );
      const results = found.flatMap(toClean).slice(0, maxResults);
      return {
        content: [{ type: "text", text: JSON.stringify(results) }],
        structured: results,
        meta: { kind: "json", untrusted: true, provider: service.name },
      };
    },
  });
}

/** The result as it may be shown: plain text of bounded length, and a web address in its one spelling. */
function toClean({ title, url, snippet }: SearchResult): SearchResult[] {
  const page = URL.parse(url);
  if (!page || !/^https?:$/.test(page.protocol) || page.href.length > MOST_TEXT) return [];
  return [{ title: toPlain(title), url: page.href, snippet: toPlain(snippet) }];
}

function toPlain(text: string): string {
  return toVisible(text.slice(0, MOST_TEXT).toWellFormed().replace(/\s+/g, " ").trim());
}
