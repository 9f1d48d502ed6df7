import type { SearchProvider, SearchResult } from "../web-search.ts";
import { listOf, needKey, requestJson, type SearchSettings, textOf } from "./request.ts";

/** Which model searches; a small one will do. */
export interface GeminiSettings extends SearchSettings {
  readonly model?: string;
}

/** Google Search by way of Gemini: one request in which the model searches. Needs `GOOGLE_GENERATIVE_AI_API_KEY` or `GEMINI_API_KEY`. */
export function geminiSearch(settings: GeminiSettings): SearchProvider {
  const { url: base = "https://generativelanguage.googleapis.com/v1beta", model = "gemini-2.5-flash" } = settings;
  return {
    name: "gemini",
    async search(query, _, signal) {
      const url = new URL(`${base.replace(/\/$/, "")}/models/${encodeURIComponent(model)}:generateContent`);
      const headers = {
        "x-goog-api-key": await needKey("gemini", settings, "GOOGLE_GENERATIVE_AI_API_KEY", "GEMINI_API_KEY"),
      };
      const text = `Search the web and report what the pages that you find say about: ${query}`;
      const body = { contents: [{ role: "user", parts: [{ text }] }], tools: [{ googleSearch: {} }] };
      return toResults(await requestJson({ provider: "gemini", url, headers, body, signal }, settings));
    },
  };
}

/** The pages that the answer rests on; the snippet of each is what the answer says by it. */
function toResults(answer: unknown): readonly SearchResult[] {
  const { candidates } = Object(answer) as { candidates?: unknown };
  const grounding = Object(listOf(candidates)[0]?.["groundingMetadata"]) as {
    groundingChunks?: unknown;
    groundingSupports?: unknown;
  };
  const supports = listOf(grounding.groundingSupports);
  return listOf(grounding.groundingChunks).flatMap(({ web }, index) => {
    const { uri, title } = Object(web) as { uri?: unknown; title?: unknown };
    const said = supports.filter(
      ({ groundingChunkIndices: indices }) => Array.isArray(indices) && indices.includes(index),
    );
    const snippet = said.map(({ segment }) => textOf((Object(segment) as { text?: unknown }).text)).join(" ");
    return textOf(uri) === "" ? [] : [{ title: textOf(title), url: textOf(uri), snippet }];
  });
}
