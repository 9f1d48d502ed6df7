import { PegboardError } from "../../core/error.ts";
import type { SearchProvider } from "../web-search.ts";
import { listOf, requestJson, type SearchSettings, textOf } from "./request.ts";

/** A SearXNG of the operator's own, at `url`, which must have the format `json` switched on. Needs no key. */
export function searxngSearch(settings: Omit<SearchSettings, "key">): SearchProvider {
  const { url: address } = settings;
  return {
    name: "searxng",
    async search(query, _, signal) {
      if (address === undefined)
        throw new PegboardError(
          "unavailable",
          "web_search with the provider searxng needs web_search.url in pegboard.yaml: where your SearXNG is",
        );
      const url = new URL("search", address.endsWith("/") ? address : `${address}/`);
      url.searchParams.set("q", query);
      url.searchParams.set("format", "json");
      const { results } = Object(await requestJson({ provider: "searxng", url, signal }, settings)) as {
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
