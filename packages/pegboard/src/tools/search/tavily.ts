import type { SearchProvider } from "../web-search.ts";
import { listOf, needKey, requestJson, type SearchSettings, textOf } from "./request.ts";

/** Tavily. Needs `TAVILY_API_KEY`. */
export function tavilySearch(settings: SearchSettings): SearchProvider {
  return {
    name: "tavily",
    async search(query, maxResults, signal) {
      const url = new URL(settings.url ?? "https://api.tavily.com/search");
      const headers = { authorization: `Bearer ${await needKey("tavily", settings, "TAVILY_API_KEY")}` };
      const body = { query, max_results: maxResults };
      const { results } = Object(await requestJson({ provider: "tavily", url, headers, body, signal }, settings)) as {
        results?: unknown;
      };
      return listOf(results).map((result) => ({
        title: textOf(result["title"]),
        url: textOf(result["url"]),
        snippet: textOf(result["content"]),
      }));
    },
  };
}
