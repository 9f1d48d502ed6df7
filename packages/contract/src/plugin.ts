import type { Agent } from "./agent.ts";
import type { Hooks, ThreadHooks } from "./hooks.ts";
import type { Prompt } from "./prompt.ts";
import type { Resource } from "./resource.ts";
import type { Result } from "./result.ts";
import type { Json, JsonSchema } from "./schema.ts";
import type { SessionTool, Tool } from "./tool.ts";

/** How a plugin does: `degraded` works in part, `failed` and `disabled` bring nothing. */
export type PluginStatus = "healthy" | "degraded" | "failed" | "disabled";

/** What the host lends a plugin, and no other plugin sees. */
export interface PluginHost {
  /** The plugin's own name. */
  readonly name: string;
  /** The settings as they are now, checked and with defaults; a change makes a new value. */
  readonly settings: Json;
  /** What the plugin keeps from `register` to `stop`; empty afterwards. */
  readonly state: Map<string, unknown>;
  /** Fires before `stop` is called, and when `register` or `start` has failed. */
  readonly signal: AbortSignal;
  /** Says how the plugin does; shown wherever plugins are listed. */
  report(status: "healthy" | "degraded", reason?: string): void;
  /** Starts work that nobody waits for. What it throws degrades the plugin, and ends nothing else. */
  background(name: string, work: (signal: AbortSignal) => Promise<void>): void;
  /**
   * Calls a tool by its full name, under the same policy, limits and log as any call. In a handler the call hangs below the
   * one at hand and can do no more than that one; elsewhere it is made as this plugin. Never throws.
   */
  call(tool: string, input: Json): Promise<Result>;
  /**
   * Runs an agent on a prompt, by default the built-in one, and answers with its text. A bare name is the plugin's own agent
   * first. In a handler the run hangs below the one at hand, within its limits. With the id of a task that the plugin is
   * validating, it hangs below the run that gave the task away, and is charged to the task. Throws when the run fails.
   */
  run(
    prompt: string,
    options?: { readonly agent?: string; readonly model?: string; readonly task?: string },
  ): Promise<string>;
  /** Tells every other plugin that listens (`broadcast`). Throws `invalid_input` for what is not JSON. */
  broadcast(topic: string, data: Json): void;
}

/** Instructions that are read when they are needed: in advance only name and description are told. */
export interface Skill {
  /** `[A-Za-z][A-Za-z0-9_-]*`, at most 64 characters. */
  readonly name: string;
  readonly description: string;
  /** Its text. */
  read(): string | Promise<string>;
  /** The paths of its other files, relative to it. */
  list?(): readonly string[] | Promise<readonly string[]>;
  /** One of its other files. Rejects for every other path. */
  readFile?(path: string): string | Uint8Array | Promise<string | Uint8Array>;
  /** Tools that it asks for; told, never granted. */
  readonly tools?: readonly string[];
  /** `false`: only people call it up, no model sees it. */
  readonly forModels?: boolean;
}

/** A prompt that people call up by its name. `$ARGUMENTS` is what they wrote behind it, `$1` to `$9` its words. */
export interface Command {
  readonly name: string;
  readonly description: string;
  readonly prompt: string;
  /** What may stand behind the name, for people. */
  readonly argumentHint?: string;
  readonly agent?: string;
  readonly model?: string;
  /** The tools that its run may use, of those that the agent has; absent is all of them. */
  readonly tools?: readonly string[];
}

/** How an MCP server is reached, as a program that is started or at an address, and what is used of it. */
export type McpServer = {
  /** Names, globs and `!deny` entries of the server's own names. Absent is all of its tools, empty is none. */
  readonly tools?: readonly string[];
  /** Nothing is filled in: `${NAME}` is text. */
  readonly literal?: boolean;
} & (
  | {
      readonly command: string;
      readonly args?: readonly string[];
      readonly env?: Readonly<Record<string, string>>;
      readonly cwd?: string;
    }
  | {
      readonly url: string;
      /** `http` is Streamable HTTP; absent tries it, and SSE when the server does not know it. */
      readonly type?: "http" | "sse";
      readonly headers?: Readonly<Record<string, string>>;
    }
);

/** A tool as plugins of other hosts write it: its handler is handed the plugin's host, the input and where the call comes from. */
export interface PluginTool {
  readonly name: string;
  readonly description: string;
  /** A JSON Schema of an object; clients are told exactly this. */
  readonly schema: JsonSchema;
  /** Who it is offered to; absent is everybody. */
  readonly audience?: "agent" | "human" | "both";
  handler(
    host: PluginHost,
    input: any,
    meta: PluginCallMeta,
  ): Promise<string | { readonly text: string; readonly blocks?: readonly Json[] }>;
}

/** Where a call of a plugin's tool comes from. */
export interface PluginCallMeta {
  /** The session. */
  readonly threadId: string;
  /** The call. */
  readonly traceId: string;
  /** The task, when an agent works on one. */
  readonly taskId?: string;
  readonly signal: AbortSignal;
  progress(message: string, amount?: { readonly current: number; readonly total?: number }): void;
}

/**
 * Tools, agents, hooks, skills, commands, prompts, resources and MCP servers that come and go together. Its tools are called `name__tool`,
 * its agents `name/agent`.
 */
export interface Plugin {
  readonly name: string;
  readonly version: string;
  readonly description?: string;
  readonly tools?: readonly (Tool<any, any> | SessionTool<any, any> | PluginTool)[];
  readonly agents?: readonly Agent[];
  readonly skills?: readonly Skill[];
  readonly commands?: readonly Command[];
  readonly prompts?: readonly Prompt[];
  readonly resources?: readonly Resource[];
  readonly mcpServers?: Readonly<Record<string, McpServer>>;
  readonly settingsSchema?: JsonSchema;
  /** `tagged`: a session sees nothing of it until a prompt says `+name`, and no more after `-name`. */
  readonly activation?: "always" | "tagged";
  /** Returns the hooks; nothing of the plugin is visible until it has returned. */
  register?(host: PluginHost): Hooks | ThreadHooks | void | Promise<Hooks | ThreadHooks | void>;
  start?(host: PluginHost): void | Promise<void>;
  /** `start` has thrown. When this returns, the plugin stays, degraded; when it throws too, the plugin has failed. */
  onStartFailed?(host: PluginHost, error: unknown): void | Promise<void>;
  /** The plugin was started and is to end; nothing of it is visible any more. What it keeps in `state` is dropped after it. */
  stop?(host: PluginHost): void | Promise<void>;
}

/** Gives a plugin its types. Returns it unchanged. */
export function definePlugin(plugin: Plugin): Plugin {
  return plugin;
}
