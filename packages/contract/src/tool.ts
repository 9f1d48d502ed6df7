import type { CallClient } from "./client.ts";
import type { Result, ToolReturn } from "./result.ts";
import type { Infer, Json, Schema } from "./schema.ts";

/** Whether a call may run: at once, after somebody was asked, or never. */
export type Approval = "preApproved" | "ask" | "blocked";

/** What a tool touches. `state` is only Pegboard's own state, such as virtual files. */
export type Capability = "read" | "state" | "write" | "process" | "network" | "agent" | "secrets";

/** Who may call a tool: the model, a person, another tool. */
export type CallerKind = "model" | "user" | "tool";

/** The session a call belongs to, as tools see it. */
export interface SessionView {
  readonly id: string;
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  readonly metadata: Readonly<Record<string, Json>>;
}

/** Handed to `execute`, made anew for every call. Whatever else a tool needs, it captures when it is made. */
export interface ToolContext {
  readonly callId: string;
  readonly session: SessionView;
  /** The agent that calls; absent when a client called directly. `chain` starts at the root agent; `run` is its run. */
  readonly agent?: {
    readonly name: string;
    readonly chain: readonly string[];
    readonly depth: number;
    readonly run?: string;
  };
  /** Fires on cancel and on timeout; a tool that ignores it is answered for anyway, and its late value is dropped. */
  readonly signal: AbortSignal;
  /** Tells people how far the work is; the model does not see it. */
  progress(message: string, amount?: { readonly current: number; readonly total?: number }): void;
  /** Calls another tool, under the same policy, limits and log as the call at hand. Never throws. */
  call(tool: string, input: Json): Promise<Result>;
  /** The client through which the call came, where there is one that can be asked. */
  readonly client?: CallClient;
}

/** What every tool says of itself, whatever runs it. */
export interface ToolDefinition<Input extends Schema = Schema, Output extends Schema = Schema> {
  /** `[A-Za-z][A-Za-z0-9_-]*`, at most 64 characters, without `__`. */
  readonly name: string;
  readonly description: string;
  readonly input: Input;
  readonly output?: Output;
  readonly capabilities?: readonly Capability[];
  /** The author's own word. It can raise what policy decides; only a built-in or host tool's word can also lower it. */
  readonly approval?: Approval | ((input: Infer<Input>) => Approval | boolean | Promise<Approval | boolean>);
  /** Milliseconds; `null` is no limit but the operator's. Absent is the operator's default. */
  readonly timeoutMs?: number | null;
  /** Only these agents see the tool and may call it. */
  readonly requiredAgent?: string | readonly string[];
  /** Absent is everybody; `["user"]` makes a manual tool, which no model sees. */
  readonly callers?: readonly CallerKind[];
  readonly version?: string;
  readonly category?: string;
  /** One line for the person who approves: what this very call would do. */
  summary?(input: Infer<Input>): string | Promise<string>;
}

/** One capability. Throw to fail, or return `fail(code, message)`; anything else that is returned is a success. */
export interface Tool<Input extends Schema = Schema, Output extends Schema = Schema> extends ToolDefinition<
  Input,
  Output
> {
  execute(input: Infer<Input>, context: ToolContext): ToolReturn | Promise<ToolReturn>;
}

/** A tool with state of its own in each session: `open` runs at most once a session, on the first call. */
export interface SessionTool<Input extends Schema = Schema, Output extends Schema = Schema> extends ToolDefinition<
  Input,
  Output
> {
  open(session: SessionView): ToolInstance<Input> | Promise<ToolInstance<Input>>;
}

/** What a session tool's `open` returns; disposed when the session closes. */
export interface ToolInstance<Input extends Schema = Schema> extends Partial<Disposable>, Partial<AsyncDisposable> {
  execute(input: Infer<Input>, context: ToolContext): ToolReturn | Promise<ToolReturn>;
}

/** Gives a tool its types: `execute` knows the input from the schema. Returns the tool unchanged. */
export function defineTool<const Input extends Schema, const Output extends Schema = Schema>(
  tool: Tool<Input, Output>,
): Tool<Input, Output>;
export function defineTool<const Input extends Schema, const Output extends Schema = Schema>(
  tool: SessionTool<Input, Output>,
): SessionTool<Input, Output>;
export function defineTool(tool: unknown): unknown {
  return tool;
}
