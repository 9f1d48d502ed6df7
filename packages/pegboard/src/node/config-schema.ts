import type { JsonSchema } from "@pegboard/contract";
import { MAX_SOURCE } from "../sources/mcp/names.ts";
import { MODEL_KEYS } from "./model-schema.ts";

const approval = { enum: ["preApproved", "ask", "blocked"] };
const name = { type: "string", pattern: "^[A-Za-z][A-Za-z0-9_-]*$", maxLength: 64 };
const duration = {
  anyOf: [
    { type: "number", exclusiveMinimum: 0 },
    { type: "string", pattern: "^\\d+(\\.\\d+)?(ms|s|m|h|d)$" },
  ],
  description: 'Seconds, or a text such as "500ms", "30s", "5m", "1h"',
};
const texts = { type: "array", items: { type: "string" } };
const capability = { enum: ["read", "state", "write", "process", "network", "agent", "secrets"] };
const jsonSchema = { type: "object", description: "A JSON Schema" };

const env = {
  type: "object",
  description: "Environment variables for it alone; ${NAME} stands for one of the host",
  propertyNames: { pattern: "^[A-Za-z_][A-Za-z0-9_]*$" },
  additionalProperties: { type: "string" },
};
const trusted = { type: "boolean", description: "Runs in Pegboard's own process, with all its rights" };

const rule = {
  type: "object",
  description: "What holds for calls of certain tools: the closest rule decides, and any matching `blocked` wins",
  properties: {
    tool: { type: "string", description: "A tool's name; * stands for any characters" },
    toolset: { type: "string", description: "A toolset, plugin or server: all of its tools" },
    capability: { ...capability, description: "All tools that declare it" },
    agent: { type: "string", description: "Only when this agent calls" },
    client: { type: "string", description: "Only through this client" },
    mode: { enum: ["interactive", "headless"], description: "Only when somebody is there to ask, or nobody is" },
    input: {
      type: "object",
      additionalProperties: { type: "string" },
      description: "JSON pointer into the input → pattern with *",
    },
    approval,
    unsafe: {
      type: "boolean",
      description: "Allowing without looking at the input is meant; needed for the tool shell",
    },
    reason: { type: "string" },
    digest: { type: "string", description: "Only while the tool's definition has this digest" },
    match: { ...texts, description: "Examples, `tool {json}`, that the rule must match; checked at load" },
    not_match: { ...texts, description: "Examples that the rule must not match; checked at load" },
  },
  required: ["approval"],
  anyOf: [{ required: ["tool"] }, { required: ["toolset"] }, { required: ["capability"] }],
  additionalProperties: false,
};

const policy = {
  type: "object",
  properties: {
    default: { enum: ["ask", "blocked"], description: "For what no rule and no capability default decides" },
    rules: { type: "array", items: rule },
  },
  additionalProperties: false,
};

/** One entry of `toolsets` that brings code. */
export const TOOLSET_SCHEMA = {
  type: "object",
  properties: {
    package: { type: "string", description: "An npm package, with a subpath if need be" },
    module: { type: "string", description: "A file, relative to this one" },
    import: { type: "string", description: "The export to take; absent is the default export, else all exports" },
    call: { type: "array", description: "Arguments: the export is a function that makes the toolset" },
    select: { type: "string", description: "Dotted path to the toolset inside what the export or the call gives" },
    tools: { ...texts, description: "Only these" },
    shared: { type: "boolean", description: "One toolset for all sessions instead of one each" },
    trusted: { ...trusted },
    env: { ...env },
    approval: {
      anyOf: [
        approval,
        {
          type: "object",
          properties: { default: approval, tools: { type: "object", additionalProperties: approval } },
          additionalProperties: false,
        },
      ],
    },
  },
  oneOf: [{ required: ["package"] }, { required: ["module"] }],
  additionalProperties: false,
};

const vfs = {
  type: "object",
  description: "The virtual files",
  properties: {
    read: { ...texts, description: "Globs of the paths that may be read" },
    write: { ...texts, description: "Globs of the paths that may be written" },
    versions: { type: "integer", minimum: 1, description: "How many versions of a file are kept" },
    edit_agents: {
      type: "boolean",
      description: "Whether files under agents/ may be written: each is an agent at once",
    },
  },
  additionalProperties: false,
};

const filesystem = {
  type: "object",
  description: "Real folders, for the file tools",
  properties: {
    mounts: {
      type: "object",
      description: "Path that tools use → folder, relative to this file; absent is the folder of this file at /",
      propertyNames: { pattern: "^/" },
      minProperties: 1,
      additionalProperties: {
        anyOf: [
          { type: "string" },
          {
            type: "object",
            properties: { path: { type: "string" }, readonly: { type: "boolean" } },
            required: ["path"],
            additionalProperties: false,
          },
        ],
      },
    },
    readonly: { type: "boolean", description: "Nothing is written anywhere" },
  },
  additionalProperties: false,
};

/** Rules for commands. */
export const SHELL_RULES_SCHEMA = {
  type: "array",
  description: "Any matching `blocked` wins, else the first match decides, for each part of a command",
  items: {
    type: "object",
    properties: {
      pattern: {
        type: "string",
        minLength: 1,
        description: "The words that a command begins with, such as git status",
      },
      approval,
      unsafe: { type: "boolean", description: "Allows any arguments, of any program" },
      reason: { type: "string" },
      match: { ...texts, description: "Commands that the rule must decide about; checked at load" },
      not_match: { ...texts, description: "Commands that it must not; checked at load" },
    },
    required: ["pattern", "approval"],
    additionalProperties: false,
  },
};

const shell = {
  type: "object",
  description: "The tool that runs commands",
  properties: {
    default: { enum: ["ask", "blocked"], description: "For commands that no rule concerns; absent is blocked" },
    rules: SHELL_RULES_SCHEMA,
    timeout: {
      ...duration,
      description: "For commands that ask for no other time: 30 seconds when absent, 300 at most",
    },
    env: { ...texts, description: "Names of variables of the host that commands see" },
  },
  additionalProperties: false,
};

/** One entry of `tools`. */
export const HOST_TOOL_SCHEMA = {
  type: "object",
  properties: {
    name,
    description: { type: "string", minLength: 1 },
    module: { type: "string", description: "A file, relative to this one" },
    function: { type: "string", description: "The export that handles calls" },
    command: {
      type: "array",
      items: { type: "string" },
      minItems: 1,
      description: "A program and its arguments, instead of module and function: JSON on its input, JSON on its output",
    },
    trusted: { ...trusted },
    env: { ...env },
    parameters: jsonSchema,
    requires_approval: { type: "boolean" },
    timeout: { anyOf: [duration, { type: "null" }] },
    scope: { enum: ["global", "session"] },
    category: { type: "string" },
    capabilities: { type: "array", items: capability },
    version: { type: "string" },
  },
  required: ["name", "description"],
  if: { required: ["command"] },
  // oxlint-disable-next-line unicorn/no-thenable -- a keyword of JSON Schema
  then: { properties: { module: false, function: false, trusted: false, scope: false } },
  else: { required: ["module", "function"] },
  additionalProperties: false,
};

const count = { type: "integer", minimum: 1 };

const limits = {
  type: "object",
  properties: {
    depth: { ...count, description: "How deep calls and agents may be nested" },
    runs: { ...count, description: "How many runs of all sessions may be at work at once" },
    fanout: { ...count, description: "How many runs one run may start" },
    concurrency: { ...count, description: "How many of the runs that one run started may be at work at once" },
    waiting: { type: "integer", minimum: 0, description: "How many more may wait for their turn" },
    toolTokens: {
      ...count,
      description: "How many tokens the definitions of an agent's tools may take before it has to search for them",
    },
    sameAgentInChain: { ...count, description: "How often an agent may be in a chain of runs that started each other" },
    poolSize: { ...count, description: "How many agents are kept warm" },
    poolIdle: duration,
    sessionIdle: {
      ...duration,
      description: "How long a session of a client stays open that nobody uses; absent is 1h",
    },
    timeout: duration,
    turns: { ...count, description: "The most turns of one run" },
    budget: {
      type: "object",
      description: "What a run and all that it starts may use together",
      properties: {
        tokens: count,
        usd: { type: "number", exclusiveMinimum: 0, description: "US dollars" },
        time: duration,
        spawns: { ...count, description: "Runs that it starts, and those start, and so on" },
      },
      additionalProperties: false,
    },
  },
  additionalProperties: false,
};

const delegation = {
  type: "object",
  description: "How the results of work that agents give away are judged",
  properties: {
    validator: { type: "string", minLength: 1, description: "The agent that judges every result" },
    rubric: { type: "string", minLength: 1, description: "What it goes by" },
    validator_failure: {
      enum: ["accept", "reject", "fail"],
      description: "What becomes of a result when a validator fails itself; absent is reject",
    },
    max_iterations: { type: "integer", minimum: 0, description: "How often a task may be tried" },
    max_usd: { type: "number", exclusiveMinimum: 0, description: "US dollars after which a task is not tried again" },
    backoff: { ...duration, description: "The wait after a first failure that can pass; it doubles" },
  },
  if: { required: ["rubric"] },
  // oxlint-disable-next-line unicorn/no-thenable -- a keyword of JSON Schema
  then: { required: ["validator"] },
  additionalProperties: false,
};

const sandbox = {
  type: "object",
  description: "Where the work of tools is done",
  properties: {
    mode: {
      enum: ["auto", "process", "worker", "bubblewrap"],
      description: "auto: modules in child processes, commands confined where that is possible",
    },
    required: { type: "boolean", description: "Nothing runs when it cannot be confined" },
    network: { type: "boolean", description: "Whether what is confined has the network" },
    memory: { ...count, description: "MiB of memory that each process may use" },
  },
  // A mode that confines nothing cannot be a required one.
  if: { properties: { required: { const: true } }, required: ["required"] },
  // oxlint-disable-next-line unicorn/no-thenable -- a keyword of JSON Schema
  then: { properties: { mode: { enum: ["auto", "bubblewrap"] } } },
  additionalProperties: false,
};

const web = {
  type: "object",
  description: "Where web_fetch may go, and how; the proxy is also that of web_search",
  properties: {
    allow: { ...texts, description: "Hosts, as host or host:port, that may be in a private network" },
    ports: {
      type: "array",
      items: { type: "integer", minimum: 1, maximum: 65_535 },
      description: "Ports besides 80, 443, 8080 and 8443",
    },
    proxy: { type: "string", description: "The URL of a proxy, or env for that of the environment; absent is none" },
    maxBytes: { ...count, description: "How much of a page is read" },
    timeout: { ...duration },
    maxAttempts: { ...count, maximum: 10, description: "How often a page is asked for when that can help" },
  },
  additionalProperties: false,
};

const webSearch = {
  type: "object",
  description: "The service that web_search uses",
  properties: {
    provider: { enum: ["gemini", "brave", "tavily", "searxng"] },
    url: { type: "string", pattern: "^https?://", description: "Where it is; searxng needs it" },
    key: {
      type: "string",
      pattern: "^secret://[A-Za-z]([A-Za-z0-9_.-]{0,62}[A-Za-z0-9_])?$",
      description: "The key of the service, as secret://name; absent is what the environment says",
    },
    model: { type: "string", minLength: 1, description: "Of gemini: the model that searches" },
  },
  if: { properties: { provider: { const: "searxng" } } },
  // oxlint-disable-next-line unicorn/no-thenable -- a keyword of JSON Schema
  then: { properties: { key: false } },
  required: ["provider"],
  additionalProperties: false,
};

const forcedModel = {
  type: "string",
  minLength: 1,
  description: "The model that all agents run on, whatever they, their callers and --model name",
};

const agents = {
  type: "object",
  description: "What holds for all agents",
  properties: {
    tools: { enum: ["all", "none"], description: "What an agent has that names no tools; absent is all" },
    repeated_reads: {
      enum: ["call", "notice"],
      description: "What becomes of a call that only reads and that the same answer has made already; absent is call",
    },
    force_model: forcedModel,
  },
  additionalProperties: false,
};

const components = {
  type: "object",
  description: "Parts of a plugin that are off, by name; a hook by the name of its point",
  properties: {
    tools: texts,
    agents: texts,
    skills: texts,
    commands: texts,
    prompts: texts,
    resources: texts,
    mcpServers: texts,
    hooks: texts,
  },
  additionalProperties: false,
};

const plugins = {
  type: "object",
  description: "Which plugins are there, and how",
  properties: {
    enabled: { ...texts, description: "Plugins to have besides those in the folder plugins" },
    disabled: { ...texts, description: "Plugins not to have" },
    trusted: { ...texts, description: "Plugins whose modules run in the process of Pegboard itself" },
    settings: {
      type: "object",
      description: "Plugin → its settings; secret://name stands for a secret",
      additionalProperties: { type: "object" },
    },
    off: { type: "object", description: "Plugin → what of it is off", additionalProperties: components },
  },
  additionalProperties: false,
};

const mcpServer = {
  type: "object",
  description: "A server whose tools are called server__tool: a program, an address, or one of a list in another file",
  properties: {
    command: { type: "string", minLength: 1, description: "One program; no shell reads it" },
    args: { ...texts, description: "Its arguments; ${NAME} and ${NAME:-default} stand for variables of the host" },
    env: { ...env },
    cwd: { type: "string", description: "Where it runs; absent is the folder of the workspace" },
    url: { type: "string", minLength: 1, description: "An address instead of a program" },
    type: { enum: ["stdio", "http", "streamable-http", "sse"], description: "Absent is found out" },
    headers: { type: "object", additionalProperties: { type: "string" }, description: "Sent with every request" },
    tools: { ...texts, description: "Which of its tools are used: names, globs, !deny; absent is all, empty is none" },
    file: { type: "string", minLength: 1, description: "A file such as .mcp.json, relative to this one" },
    server: { type: "string", minLength: 1, description: "Its name in that file, where it is another" },
  },
  oneOf: [{ required: ["command"] }, { required: ["url"] }, { required: ["file"] }],
  additionalProperties: false,
};

const mcpServers = {
  type: "object",
  description: "MCP servers, by the name that stands before those of their tools",
  additionalProperties: mcpServer,
  propertyNames: { ...name, maxLength: MAX_SOURCE },
};

const server = {
  type: "object",
  description: "Where pegboard serve listens",
  properties: {
    host: { type: "string", minLength: 1, description: "The address; others than 127.0.0.1 also need --allow-remote" },
    port: { type: "integer", minimum: 0, maximum: 65_535, description: "The port; absent is 4747" },
  },
  additionalProperties: false,
};

/** The schema of `pegboard.yaml`; the file `pegboard.schema.json` is made from it. */
export const CONFIG_SCHEMA: JsonSchema = {
  $schema: "https://json-schema.org/draft/2020-12/schema",
  title: "pegboard.yaml",
  type: "object",
  properties: {
    version: { const: 1 },
    ...MODEL_KEYS,
    agents,
    toolsets: {
      type: "object",
      properties: { vfs, filesystem, shell },
      additionalProperties: TOOLSET_SCHEMA,
      propertyNames: name,
    },
    tools: { type: "array", items: HOST_TOOL_SCHEMA, description: "Host tools" },
    policy,
    limits,
    delegation,
    sandbox,
    web,
    web_search: webSearch,
    mcpServers,
    plugins,
    server,
  },
  required: ["version"],
  additionalProperties: false,
};

/** The schema of the person's own `policy.yaml`. */
export const POLICY_SCHEMA: JsonSchema = {
  type: "object",
  properties: {
    version: { const: 1 },
    ...policy.properties,
    force_model: forcedModel,
    shell: {
      type: "object",
      description: "Rules for commands in every workspace",
      properties: { rules: SHELL_RULES_SCHEMA },
      additionalProperties: false,
    },
  },
  required: ["version"],
  additionalProperties: false,
};

/** The schema of a file of host tools. */
export const HOST_TOOLS_SCHEMA: JsonSchema = {
  type: "object",
  properties: { version: { const: 1 }, tools: { type: "array", items: HOST_TOOL_SCHEMA } },
  required: ["tools"],
  additionalProperties: false,
};
