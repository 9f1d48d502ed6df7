import { jsonSchema, type Tool, type ToolExecutionOptions } from "@ai-sdk/provider-utils";
import type { Json, Result } from "@pegboard/contract";
import { canonicalJson } from "../core/json.ts";
import type { Session } from "../core/session.ts";
import type { ToolView } from "../core/tool-view.ts";
import { toModelOutput } from "./ai-sdk-result.ts";

/** What `generateText`, `streamText` and agents of the AI SDK 7 take: spread it into their options. */
export interface AiSdkTools {
  /** The tools that the session lists, by their names. Their output is the `Result` of the call. */
  readonly tools: Record<string, Tool<Json, Result>>;
  /** Whom the SDK asks before it runs them: the user, about what policy asks about. */
  readonly toolApproval: Record<string, (input: Json) => Promise<AiSdkApproval>>;
}

/** A status of the SDK: the user is asked and told why, or nobody is. */
export type AiSdkApproval = { type: "user-approval"; reason: string } | { type: "not-applicable" };

/**
 * The tools of a session for the AI SDK 7. Each call goes through the session: what is blocked there is not here, and what
 * asks is asked of the user by the SDK, whose answer counts for that call and that input. Without one, as where the host
 * sets another `toolApproval`, the session's own mode decides. It is the list of this moment: make it anew for each request.
 */
export function toAiSdkTools(session: Session): AiSdkTools {
  const list = session.list();
  return {
    tools: Object.fromEntries(list.map((view) => [view.name, toTool(session, view)])),
    toolApproval: Object.fromEntries(list.map(({ name }) => [name, (input) => toApproval(session, name, input)])),
  };
}

function toTool(session: Session, { name, description, inputSchema }: ToolView): Tool<Json, Result> {
  return {
    description,
    // The session checks inputs, and tells the model what is wrong with one.
    inputSchema: jsonSchema<Json>(inputSchema as Parameters<typeof jsonSchema>[0]),
    execute: (input, options) =>
      session.call(name, input, {
        ...(options.abortSignal && { signal: options.abortSignal }),
        ...(wasAllowed(name, input, options) && { approved: "the user, asked by the AI SDK" }),
      }),
    toModelOutput: ({ output }) => toModelOutput(output),
  };
}

async function toApproval(session: Session, name: string, input: Json): Promise<AiSdkApproval> {
  const question = await session.question(name, input);
  if (!question) return { type: "not-applicable" };
  return { type: "user-approval", reason: `${question.summary} (${question.reason})` };
}

/**
 * Whether the user has allowed this very call. The SDK runs what was allowed before it asks the model again, so the answer
 * is in the last message; an older one belongs to another call, whose id some providers use again.
 */
function wasAllowed(
  name: string,
  input: Json,
  { toolCallId, messages }: Pick<ToolExecutionOptions<unknown>, "toolCallId" | "messages">,
): boolean {
  const last = messages.at(-1);
  if (last?.role !== "tool") return false;
  const allowed = new Set(
    last.content.flatMap((part) => (part.type === "tool-approval-response" && part.approved ? part.approvalId : [])),
  );
  const said = messages.flatMap((message) =>
    message.role === "assistant" && typeof message.content !== "string" ? message.content : [],
  );
  const asked = said.findLast(
    (part) => part.type === "tool-approval-request" && allowed.has(part.approvalId) && part.toolCallId === toolCallId,
  );
  const call = said.findLast((part) => part.type === "tool-call" && part.toolCallId === toolCallId);
  return (
    asked !== undefined &&
    call?.type === "tool-call" &&
    call.toolName === name &&
    canonicalJson(call.input as Json) === canonicalJson(input)
  );
}
