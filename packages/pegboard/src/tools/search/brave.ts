import type { SearchProvider } from "../web-search.ts";
import { listOf, needKey, requestJson, type SearchSettings, textOf } from "./request.ts";

/** Brave Search. Needs `BRAVE_API_KEY`. */
export function braveSearch(settings: SearchSettings): SearchProvider {
  return {
    name: "brave",
    async search(query, maxResults, signal) {
      const url = new URL(settings.url ?? "https://api.search.brave.com/res/v1/web/search");
      url.searchParams.set("q", query.slice(0, 400));
      url.searchParams.set("count", String(maxResults));
      url.searchParams.set("text_decorations", "false");
      const headers = { "x-subscription-token": await needKey("brave", settings, "BRAVE_API_KEY") };
      const { web } = Object(await requestJson({ provider: "brave", url, headers, signal }, settings)) as {
        web?: { results?: unknown };
      };
      const results = listOf(web?.results).map(async (result) => {
        const page = textOf(result["url"]);
        return {
          title: await toPlain(result["title"], page),
          url: page,
          snippet: await toPlain(result["description"], page),
        };
      });
      return Promise.all(results);
    },
  };
}

// Its texts are HTML: entities, and tags around what was searched for.
async function toPlain(value: unknown, url: string): Promise<string> {
  const { toPageText } = await import("../web/to-text.ts");
  return (await toPageText(textOf(value), { format: "text", url })).text;
}
