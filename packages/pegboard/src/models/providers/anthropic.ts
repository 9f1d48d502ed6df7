import type { Provider } from "../provider.ts";

// A run sends its whole conversation with every turn: read from the cache, that costs a tenth.
const CACHED = { anthropic: { cacheControl: { type: "ephemeral" } } };

/** Claude, by way of Anthropic's own API. */
export const anthropic: Provider = {
  keys: ["ANTHROPIC_API_KEY"],
  urlVariable: "ANTHROPIC_BASE_URL",
  url: "https://api.anthropic.com/v1",
  // Other programs take it without the version.
  toURL: (value) => (URL.parse(value)?.pathname === "/" ? `${value.replace(/\/+$/, "")}/v1` : value),
  options: { providerOptions: () => CACHED },
  async create(model, { baseURL, apiKey = "", headers, fetch }) {
    const { createAnthropic } = await import("@ai-sdk/anthropic");
    return createAnthropic({ baseURL, apiKey, headers, fetch })(model);
  },
};
