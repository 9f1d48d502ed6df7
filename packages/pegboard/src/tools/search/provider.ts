import type { SearchProvider } from "../web-search.ts";
import { braveSearch } from "./brave.ts";
import { geminiSearch } from "./gemini.ts";
import type { SearchDeps } from "./request.ts";
import { searxngSearch } from "./searxng.ts";
import { tavilySearch } from "./tavily.ts";

/** The services that `web_search` can use. */
export const SEARCH_PROVIDERS = {
  gemini: geminiSearch,
  brave: braveSearch,
  tavily: tavilySearch,
  searxng: searxngSearch,
};

/** Which service searches, and where it is when not at its own address. */
export interface SearchChoice {
  readonly provider: keyof typeof SEARCH_PROVIDERS;
  readonly url?: string;
  /** Of gemini: the model that searches. */
  readonly model?: string;
}

/** The provider that was chosen; undefined when none was. */
export function toSearchProvider(choice: SearchChoice | undefined, deps: SearchDeps): SearchProvider | undefined {
  return choice && SEARCH_PROVIDERS[choice.provider]({ ...choice, ...deps });
}
