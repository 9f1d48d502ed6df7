import {
  ERRORS,
  type ErrorCode,
  fail,
  type Json,
  type PluginCallMeta,
  type PluginTool,
  type Result,
  type Tool,
  type ToolContext,
} from "@pegboard/contract";
import { messageOf, PegboardError } from "../core/error.ts";
import type { AnyTool } from "../core/registry.ts";
import type { OwnedHost } from "./plugin-host.ts";

/** What a plugin may bring as a tool. */
export type PluginsTool = AnyTool | PluginTool;

/** The task that the agent of a call works on, if any. */
export type TaskOf = (context: ToolContext) => string | undefined;

/** A tool of a plugin in the one form that is registered; the handler of a `PluginTool` gets its own plugin's host. */
export function toTool(tool: PluginsTool, owned: OwnedHost, taskOf: TaskOf): AnyTool {
  if (!isPluginTool(tool)) return tool;
  const { name, description, schema, audience = "both" } = tool;
  const adapted: Tool = {
    name,
    description,
    input: schema,
    ...(audience === "human" && { callers: ["user"] }),
    ...(audience === "agent" && { callers: ["model", "tool"] }),
    async execute(input, context) {
      try {
        return toReturn(await tool.handler(owned.during(context), input, toMeta(context, taskOf(context))));
      } catch (error) {
        return toFailure(error, context.signal);
      }
    },
  };
  return adapted;
}

/** The code that hosts of such handlers give what has none. */
const UNKNOWN = "INTERNAL_ERROR";

function isPluginTool(tool: PluginsTool): tool is PluginTool {
  return "handler" in tool;
}

function toMeta({ session, callId, signal, progress }: ToolContext, task: string | undefined): PluginCallMeta {
  return Object.freeze({
    threadId: session.id,
    traceId: callId,
    ...(task !== undefined && { taskId: task }),
    signal,
    progress,
  });
}

// Other hosts have codes of their own: one that ours knows is taken, and theirs is told in any case.
function toFailure(error: unknown, signal: AbortSignal): Result {
  if (error instanceof PegboardError || signal.aborted) throw error;
  const { code: given, retryable } = Object(error) as { readonly code?: unknown; readonly retryable?: unknown };
  const code = typeof given === "string" && given !== "" ? given : UNKNOWN;
  const known = code.toLowerCase();
  return fail(Object.hasOwn(ERRORS, known) ? (known as ErrorCode) : "tool_error", messageOf(error), {
    retryable: retryable === true,
    details: { code },
  });
}

// The model reads the text; the blocks are for whoever shows the result.
function toReturn(
  answer: string | { readonly text: string; readonly blocks?: readonly Json[] },
): string | Partial<Result> {
  if (typeof answer === "string") return answer;
  const { text, blocks = [] } = answer;
  return {
    ok: true,
    content: [{ type: "text", text }],
    ...(blocks.length > 0 && { structured: { blocks: [...blocks] } }),
  };
}
