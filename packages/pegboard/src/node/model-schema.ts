const model = { type: "string", minLength: 1 };

const rate = { type: "number", minimum: 0 };
const rates = {
  input: rate,
  output: rate,
  cached: { ...rate, description: "Input that is read from a cache; as input when absent" },
  written: { ...rate, description: "Input that is put into a cache; as input when absent" },
};
const price = {
  type: "object",
  description: "US dollars for a million tokens",
  properties: {
    ...rates,
    over: {
      type: "object",
      description: "For requests with more tokens than that",
      properties: { tokens: { type: "integer", minimum: 1 }, ...rates },
      required: ["tokens", "input", "output"],
      additionalProperties: false,
    },
  },
  required: ["input", "output"],
  additionalProperties: false,
};

const provider = {
  type: "object",
  properties: {
    baseURL: { type: "string", pattern: "^https?://", description: "Where it is, up to the version" },
    apiKey: { type: "string", description: "Its key, as secret://name or ${VARIABLE}; absent is its usual variable" },
    headers: { type: "object", additionalProperties: { type: "string" } },
    structured: { type: "boolean", description: "Whether it can bind an answer to a JSON Schema" },
  },
  additionalProperties: false,
};

/** The keys of `pegboard.yaml` that say which models there are. */
export const MODEL_KEYS = {
  model: { ...model, description: "The model of agents that name none: provider:model, or an alias" },
  models: { type: "object", additionalProperties: model, description: "Aliases of models" },
  prices: { type: "object", additionalProperties: price, description: "Prices by provider:model" },
  providers: {
    type: "object",
    additionalProperties: provider,
    description:
      "How providers of models are reached; one that is not known speaks OpenAI's format and needs a baseURL",
  },
};
