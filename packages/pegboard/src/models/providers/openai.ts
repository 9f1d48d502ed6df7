import type { JsonSchema } from "@pegboard/contract";
import type { Access, Provider } from "../provider.ts";

const shared = {
  keys: ["OPENAI_API_KEY"],
  urlVariable: "OPENAI_BASE_URL",
  url: "https://api.openai.com/v1",
} as const;

/** OpenAI's models by way of its responses API. */
export const openai: Provider = {
  ...shared,
  // Nothing is left with the provider: our log is the conversation, and parts of it may be taken out.
  options: { providerOptions: ({ output }) => ({ openai: { store: false, strictJsonSchema: bindsTo(output) } }) },
  create: async (model, access) => (await load(access)).responses(model),
};

/** OpenAI's models by way of chat completions, for what speaks only that. */
export const openaiChat: Provider = {
  ...shared,
  options: {
    // A result is a text there.
    resultFiles: "after",
    providerOptions: ({ output }) => ({ openai: { strictJsonSchema: bindsTo(output) } }),
  },
  create: async (model, access) => (await load(access)).chat(model),
};

async function load({ baseURL, apiKey = "", headers, fetch }: Access) {
  const { createOpenAI } = await import("@ai-sdk/openai");
  return createOpenAI({ baseURL, apiKey, headers, fetch });
}

function bindsTo(output: JsonSchema | undefined): boolean {
  return output?.["type"] === "object" && isStrict(output);
}

const STRICT_KEYWORDS = new Set(
  "type properties required additionalProperties items enum const anyOf $defs $ref title description".split(" "),
);

// OpenAI binds an answer to a schema only when it knows all of its keywords, and all properties of all objects are required
// and no others allowed. It refuses the request otherwise, unless it is told not to bind.
function isStrict(schema: unknown): boolean {
  if (typeof schema !== "object" || schema === null) return false;
  const {
    type,
    properties = {},
    required = [],
    additionalProperties,
    items,
    anyOf = [],
    $defs = {},
  } = schema as Strict;
  if (!Object.keys(schema).every((keyword) => STRICT_KEYWORDS.has(keyword))) return false;
  const names = Object.keys(properties);
  const isOpen = additionalProperties !== false || !names.every((name) => required.includes(name));
  if ((type === "object" || names.length > 0) && isOpen) return false;
  const below = [
    ...Object.values(properties),
    ...Object.values($defs),
    ...anyOf,
    ...(items === undefined ? [] : [items]),
  ];
  return below.every(isStrict);
}

/** What is looked at of a schema; schemas are checked to be schemas before. */
interface Strict {
  readonly type?: unknown;
  readonly properties?: Readonly<Record<string, unknown>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: unknown;
  readonly items?: unknown;
  readonly anyOf?: readonly unknown[];
  readonly $defs?: Readonly<Record<string, unknown>>;
}
