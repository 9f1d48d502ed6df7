import type { Result } from "./result.ts";
import type { Json, JsonSchema } from "./schema.ts";
import type { SessionTool, Tool } from "./tool.ts";

/** One call, as hooks see it. The input is a copy: changing it changes nothing. */
export interface CallView {
  readonly id: string;
  readonly tool: string;
  readonly input: Json;
  readonly session: string;
  readonly agent?: string;
}

/** What a gate hook decides. Nothing at all lets the call pass. */
export type GateAnswer =
  | { readonly action: "continue" }
  | { readonly action: "deny"; readonly reason: string }
  | { readonly action: "ask"; readonly reason?: string }
  | { readonly action: "modify"; readonly input: Json };

/** A piece of work that an agent gave away, as hooks see it. */
export interface TaskView {
  readonly id: string;
  readonly agent: string;
  readonly prompt: string;
  readonly session: string;
  /** The run that gave it away. */
  readonly parent: string;
}

/** What a validator says of a result. */
export type Verdict = { readonly accepted: true } | { readonly accepted: false; readonly feedback: string };

/** The points at which a plugin or the host can take part in a call. */
export interface Hooks {
  /** Gate, in order of registration: a `deny` ends the call, a `modify` is checked again. A throw or a timeout denies. */
  beforeCall?(call: CallView): GateAnswer | void | Promise<GateAnswer | void>;
  /** Chain: each sees the result of the one before and may replace it. A throw is logged and changes nothing. */
  afterCall?(call: CallView, result: Result): Result | void | Promise<Result | void>;
  /** Observe: a task is on record and about to run for the first time. A throw is logged and changes nothing. */
  taskCreated?(task: TaskView): void | Promise<void>;
  /**
   * Validate: all must accept, in order, and nothing at all accepts. A throw rejects with its message. Of a text, the last
   * line `VERDICT: accept` or `VERDICT: reject` counts, with what follows `FEEDBACK:`; one without is a failure.
   */
  validateTask?(task: TaskView, result: string): Verdict | string | void | Promise<Verdict | string | void>;
  /** Observe: a task failed for good. */
  taskFailed?(task: TaskView, reason: string): void | Promise<void>;
}

/** What the host lends a plugin. */
export interface PluginHost {
  readonly settings: Json;
}

/** Tools and hooks that come and go together. Its tools are called `name__tool`. */
export interface Plugin {
  readonly name: string;
  readonly version: string;
  readonly tools?: readonly (Tool<any, any> | SessionTool<any, any>)[];
  readonly settingsSchema?: JsonSchema;
  /** Returns the hooks; nothing of the plugin is visible until it has returned. */
  register?(host: PluginHost): Hooks | void | Promise<Hooks | void>;
  start?(host: PluginHost): void | Promise<void>;
  stop?(): void | Promise<void>;
}

/** Gives a plugin its types. Returns it unchanged. */
export function definePlugin(plugin: Plugin): Plugin {
  return plugin;
}
