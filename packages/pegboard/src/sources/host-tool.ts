import type { Approval, Capability, JsonSchema, Result, Tool, ToolContext } from "@pegboard/contract";
import { parseDuration } from "../core/duration.ts";
import { PegboardError } from "../core/error.ts";
import type { AnyTool } from "../core/registry.ts";

/** What a host tool's handler is told besides its input: the fields of the host tool format and Pegboard's own context. */
export interface HostToolContext extends ToolContext {
  readonly session_id: string;
  readonly cwd: string;
  readonly environment: Readonly<Record<string, string>>;
  readonly metadata: ToolContext["session"]["metadata"];
}

/** What a handler may return, besides anything that a tool may return. */
export interface HostToolResult {
  readonly success: boolean;
  readonly output?: unknown;
  readonly error?: string | null;
  readonly metadata?: Record<string, unknown>;
}

/** A host tool as an application defines it. `timeout` is in seconds, or a text such as "30s". */
export interface HostToolDefinition {
  readonly name: string;
  readonly description: string;
  readonly parameters?: JsonSchema;
  readonly handler: (input: any, context: HostToolContext) => unknown;
  /** `session` gives every session a tool of its own; state that a session needs is better kept by a `SessionTool`. */
  readonly scope?: "global" | "session";
  readonly category?: string;
  readonly requires_approval?: boolean;
  readonly timeout?: number | string | null;
  readonly capabilities?: readonly Capability[];
  readonly version?: string;
}

/** A host tool as a tool. Throws `invalid_definition` when the handler or the timeout is wrong. */
export function fromHostTool(definition: HostToolDefinition): AnyTool {
  const {
    name,
    description,
    parameters = { type: "object" },
    handler,
    requires_approval,
    timeout,
    capabilities,
    category,
    version,
  } = definition;
  if (typeof handler !== "function")
    throw new PegboardError("invalid_definition", `Host tool "${name}" has no handler function`);
  const approval: Approval | undefined =
    requires_approval === undefined ? undefined : requires_approval ? "ask" : "preApproved";
  const execute: Tool["execute"] = async (input, context) =>
    fromHostResult(await handler(input, toHostContext(context)));
  return {
    name,
    description,
    input: parameters,
    ...(approval && { approval }),
    ...(timeout !== undefined && { timeoutMs: timeout === null ? null : toMilliseconds(name, timeout) }),
    ...(capabilities && { capabilities }),
    ...(category !== undefined && { category }),
    ...(version !== undefined && { version }),
    ...(definition.scope === "session" ? { open: () => ({ execute }) } : { execute }),
  };
}

/** Whether a value looks like a host tool definition. */
export function isHostTool(value: unknown): value is HostToolDefinition {
  const { name, description, handler } = Object(value) as Record<string, unknown>;
  return typeof name === "string" && typeof description === "string" && typeof handler === "function";
}

/** A handler's `{success, output, error, metadata}` as a result; any other value as it is. */
function fromHostResult(value: unknown): unknown {
  if (!isHostResult(value)) return value;
  const { success, output, error, metadata } = value;
  if (!success)
    return {
      ok: false,
      error: { message: error ?? "The tool failed without saying why" },
      ...(metadata && { meta: metadata }),
    };
  if (!metadata || Object.keys(metadata).length === 0) return output;
  const content: Result["content"] = typeof output === "string" ? [{ type: "text", text: output }] : [];
  return {
    ok: true,
    content,
    ...(typeof output !== "string" && output !== undefined && { structured: output }),
    meta: metadata,
  };
}

const RESULT_KEYS = ["success", "output", "error", "metadata"];

function isHostResult(value: unknown): value is HostToolResult {
  if (typeof value !== "object" || value === null || typeof (value as HostToolResult).success !== "boolean")
    return false;
  return Object.keys(value).every((key) => RESULT_KEYS.includes(key));
}

function toHostContext(context: ToolContext): HostToolContext {
  const { id, cwd, env, metadata } = context.session;
  const view = { session_id: id, cwd, environment: env, metadata };
  // The context makes its signal only when it is asked for, so it is passed through, not copied.
  return Object.freeze(
    Object.defineProperties(view, Object.getOwnPropertyDescriptors(context)),
  ) as unknown as HostToolContext;
}

function toMilliseconds(name: string, timeout: number | string): number {
  const milliseconds = typeof timeout === "number" ? timeout * 1000 : parseDuration(timeout);
  if (milliseconds !== undefined && milliseconds > 0) return milliseconds;
  throw new PegboardError(
    "invalid_definition",
    `The timeout of host tool "${name}" must be more than 0 seconds, or a text such as "30s"; it is ${JSON.stringify(timeout)}`,
  );
}
