import type { Provider } from "../provider.ts";

/** Any server that speaks OpenAI's chat completions. */
export const openaiCompatible: Provider = {
  keys: ["OPENAI_COMPATIBLE_API_KEY"],
  keyless: true,
  urlVariable: "OPENAI_COMPATIBLE_BASE_URL",
  url: undefined,
  // Servers that cannot bind an answer refuse the whole request.
  options: { structured: false, resultFiles: "after" },
  async create(model, { provider: name, baseURL, apiKey, headers, structured, fetch }) {
    const { createOpenAICompatible } = await import("@ai-sdk/openai-compatible");
    const settings = { name, baseURL, headers, fetch, includeUsage: true, supportsStructuredOutputs: structured };
    return createOpenAICompatible({ ...settings, ...(apiKey && { apiKey }) })(model);
  },
};

/** Ollama on this machine. */
export const ollama: Provider = {
  ...openaiCompatible,
  keys: ["OLLAMA_API_KEY"],
  urlVariable: "OLLAMA_HOST",
  url: "http://127.0.0.1:11434/v1",
  toURL: fromHost,
  options: { structured: true, resultFiles: "after" },
};

/** LM Studio on this machine. */
export const lmstudio: Provider = {
  ...openaiCompatible,
  keys: ["LMSTUDIO_API_KEY"],
  urlVariable: "LMSTUDIO_BASE_URL",
  url: "http://127.0.0.1:1234/v1",
  options: { structured: true, resultFiles: "after" },
};

/** Ollama's own notation: scheme and port may be missing, and what it listens on may be all addresses. */
function fromHost(host: string): string {
  const url = URL.parse(host.includes("://") ? host : `http://${host}`);
  if (!url) return host;
  if (url.port === "" && !host.includes("://")) url.port = "11434";
  if (url.hostname === "0.0.0.0") url.hostname = "127.0.0.1";
  return new URL("v1", url).href;
}
