import type { Provider } from "../provider.ts";

/** Gemini, by way of Google's own API. */
export const google: Provider = {
  keys: ["GOOGLE_GENERATIVE_AI_API_KEY", "GEMINI_API_KEY", "GOOGLE_API_KEY"],
  urlVariable: "GOOGLE_GENERATIVE_AI_BASE_URL",
  url: "https://generativelanguage.googleapis.com/v1beta",
  async create(model, { baseURL, apiKey = "", headers, fetch }) {
    const { createGoogle } = await import("@ai-sdk/google");
    return createGoogle({ baseURL, apiKey, headers, fetch })(model);
  },
};
