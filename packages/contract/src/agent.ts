import type { Json, JsonSchema } from "./schema.ts";

/** How hard a model should think, for models that can be told. */
export type ReasoningEffort = "low" | "medium" | "high";

/** An agent: who it is, what it is told, and which tools it may use. Written as a markdown file with front matter. */
export interface Agent {
  /** `[A-Za-z][A-Za-z0-9_-]*`, at most 64 characters. */
  readonly name: string;
  readonly description: string;
  /** What the model is told before anything else. */
  readonly instructions: string;
  /** `provider:model` or an alias; absent is the model of whoever runs it. */
  readonly model?: string;
  /** Globs of the `provider:model` names it may run on; absent is any. */
  readonly compatibleModels?: readonly string[];
  /** From 0 to 2. */
  readonly temperature?: number;
  readonly reasoningEffort?: ReasoningEffort;
  /** Names, globs and `!deny` entries. Absent is the default scope, empty is no tools at all. */
  readonly tools?: readonly string[];
  /** Names and globs of the agents that it may ask, and `!deny` entries. Absent is all, empty is none. */
  readonly agents?: readonly string[];
  /**
   * The agents that may ask it: names, `plugin/name`, and `main` for the one that no agent asked. Absent is all, empty is
   * `main` alone. Whoever runs it directly may always do so.
   */
  readonly visibleFrom?: readonly string[];
  /** Of the tools that it may use, only those whose capabilities are `read` and `state` alone. Absent is no such limit. */
  readonly mode?: "read-only";
  /** Tools that are prompts; this agent alone has them, whatever `tools` says. */
  readonly promptTools?: readonly PromptTool[];
  /** Toolsets of its own, by the key that prefixes their tools; loaded for each run by whoever can load code. */
  readonly toolsets?: Readonly<Record<string, Json>>;
  /** What the agent takes instead of a plain prompt. */
  readonly input?: JsonSchema;
  /** What its last answer must be, as JSON. */
  readonly output?: JsonSchema;
  readonly requirements?: Requirements;
  /** The most turns of one run; the operator's limit holds as well. */
  readonly maxTurns?: number;
  readonly attachments?: AttachmentLimits;
  /** ISO 8601. */
  readonly createdAt?: string;
  /** ISO 8601. */
  readonly updatedAt?: string;
}

/** A tool that is a prompt: a call fills it in and runs it on a model, in a run of its own. */
export interface PromptTool {
  readonly name: string;
  readonly description: string;
  /** `{{parameter}}` stands for an argument. Filled in once: what an argument holds is not filled in again. */
  readonly prompt: string;
  /** The arguments, as JSON Schema. */
  readonly input: JsonSchema;
  /** What the answer must be, as JSON. */
  readonly output?: JsonSchema;
  /** Absent is the agent's model. */
  readonly model?: string;
  /** Tools of the agent that its run may use; absent is none. */
  readonly tools?: readonly string[];
}

/** What a run must have done before its answer counts. Only calls that succeeded count. */
export interface Requirements {
  /** At least one call of any tool. */
  readonly toolUse?: boolean;
  /** At least one of these. */
  readonly oneOf?: readonly string[];
  /** Every one of these. */
  readonly all?: readonly string[];
  /** So many calls. */
  readonly minimumCalls?: number;
  /** How often the model is reminded before the run fails; 2 when absent. */
  readonly maxReminders?: number;
  /** What the model is told when something is missing; absent is a text that names it. */
  readonly reminder?: string;
}

/** Which files a run takes along. */
export interface AttachmentLimits {
  /** How many; 10 when absent. */
  readonly count?: number;
  /** How many bytes together; 10 MiB when absent. */
  readonly bytes?: number;
  /** Endings of file names, such as `.png`; absent is what models can read. */
  readonly suffixes?: readonly string[];
}
