import type { JsonSchema } from "@pegboard/contract";

const text = { type: "string", minLength: 1 };
const texts = { type: "array", items: { type: "string" } };

const tool = {
  type: "object",
  properties: {
    name: { type: "string" },
    display_name: { type: "string" },
    description: { ...text, description: "What it does, for the model" },
    command: { ...text, description: "A program: its name, or a path inside of the plugin" },
    args: { ...texts, description: "Its arguments; nothing of the input gets into them" },
    schema: { type: "object", description: "The JSON Schema of the input, which comes as JSON on standard input" },
    required_agent: { ...text, description: "The only agent that sees it and may call it" },
    visible_to: { ...texts, description: "The only agents that see it and may call it; empty is all" },
    timeout: {
      anyOf: [
        { type: "number", exclusiveMinimum: 0, maximum: 2_147_483_647 },
        { type: "string", pattern: "^(0*[1-9]\\d*(\\.\\d+)?|0+\\.0*[1-9]\\d*)(ms|s|m|h|d)$" },
      ],
      description: 'Milliseconds, or a text such as "500ms", "30s", "5m"',
    },
    requiresConfirmation: {
      type: "boolean",
      description: "Asks before every call, unless the operator's policy says else",
    },
    usageGuidance: { type: "string", description: "When and how to use it, for the model" },
    capabilities: { type: "array", items: { type: "string" } },
    version: { type: "string" },
  },
  required: ["name", "description", "command"],
  additionalProperties: false,
};

/** The types of settings: those of JSON, and texts that name something that must exist. */
export const SETTING_TYPES = ["string", "integer", "number", "boolean", "choice", "filepath", "directory"] as const;

const setting = {
  type: "object",
  properties: {
    type: { enum: [...SETTING_TYPES] },
    description: { type: "string" },
    required: { type: "boolean" },
    secret: { type: "boolean", description: "Kept encrypted, and out of the log" },
    encrypted: { type: "boolean", description: "The same as secret" },
    default: {},
    enum: { type: "array", minItems: 1 },
    choices: { type: "array", minItems: 1, description: "The same as enum" },
    minimum: { type: "number" },
    maximum: { type: "number" },
    pattern: { type: "string" },
  },
  required: ["type"],
  additionalProperties: false,
};

const settings = {
  type: "object",
  properties: {
    type: { const: "object" },
    properties: {
      type: "object",
      propertyNames: { pattern: "^[A-Za-z_][A-Za-z0-9_]*$" },
      additionalProperties: setting,
    },
    required: texts,
  },
  required: ["properties"],
  additionalProperties: false,
};

/** What an entry of `agents` may hold; what it says beats the front matter of its file. */
const agent = {
  type: "object",
  properties: {
    name: {},
    system_prompt_file: {},
    description: { type: "string" },
    model: { type: "string" },
    temperature: { type: "number" },
    reasoning_effort: { type: "string" },
    tools: texts,
    usage_guidelines: { type: "string" },
    requirements: { type: "object" },
    visible_from_agents: texts,
    can_delegate_to_agents: { type: "boolean" },
    can_see_agents: { type: "boolean" },
    max_turns: { type: "integer" },
  },
  additionalProperties: false,
};

/** The schema of a `plugin.json`. */
export const MANIFEST_SCHEMA: JsonSchema = {
  $schema: "https://json-schema.org/draft/2020-12/schema",
  title: "plugin.json",
  type: "object",
  properties: {
    $schema: { type: "string" },
    name: { type: "string" },
    version: { ...text },
    description: { type: "string" },
    author: {},
    homepage: { type: "string" },
    repository: {},
    license: { type: "string" },
    keywords: texts,
    tools: { type: "array", items: tool },
    agents: { type: "array", items: agent },
    config: {
      type: "object",
      if: { required: ["schema"] },
      // oxlint-disable-next-line unicorn/no-thenable -- a keyword of JSON Schema
      then: { properties: { schema: settings }, additionalProperties: false },
      else: settings,
      description: "The settings; a tool sees each as the variable PLUGIN_CONFIG_NAME",
    },
    activationMode: { enum: ["always", "tagged"] },
    runtime: { enum: ["node", "python3"], description: "What its dependencies are for" },
    dependencies: {
      type: "object",
      properties: { file: { ...text, description: "package.json or requirements.txt, inside of the plugin" } },
      required: ["file"],
      additionalProperties: false,
    },
  },
  required: ["name", "version"],
  additionalProperties: false,
};
