import {
  type CallToolResult,
  type InputRequiredResult,
  MissingRequiredClientCapabilityError,
  type ServerContext,
} from "@modelcontextprotocol/server";
import type { Json, Result } from "@pegboard/contract";
import { toFailedResult } from "../../core/result.ts";
import { toWaitingText } from "./approval-form.ts";
import { attendCall, type CallServer } from "./attend-call.ts";
import type { OpenAsk } from "./asks.ts";
import type { McpSeat } from "./seat.ts";
import { toToolWork } from "./tool-work.ts";
import { type CreatedTask, toCreatedTask } from "./tasks.ts";
import type { Target } from "./tools.ts";
import { ERROR_META, toToolResult } from "./tool-result.ts";

/** What a client asked for, and what that stands for. */
export interface ToolCall {
  readonly name: string;
  readonly input: Json;
  readonly target: Target;
}

/**
 * Calls a tool for a client. Where nobody there can be asked for approval, the client is told who else can answer, and how.
 * A call that goes on without its client is a task.
 */
export async function callTool(
  server: CallServer,
  seat: McpSeat,
  { name, input, target }: ToolCall,
  context: ServerContext,
): Promise<CallToolResult | InputRequiredResult | CreatedTask> {
  let work: Disposable;
  try {
    work = seat.enter();
  } catch (error) {
    return toToolResult(toFailedResult(error), false);
  }
  // A task is work until it is over, however soon its client was let go.
  let isTask = false;
  try {
    const request = { method: "tools/call", name, input };
    const outcome = await attendCall(
      server,
      seat,
      request,
      toToolWork(seat, target.tool, target.input(input), target.background),
      context,
    );
    if (outcome.state === "asks") return outcome.question;
    if (outcome.state === "waits") return toWaitingResult(outcome.waiting);
    if (outcome.state === "detached") {
      isTask = true;
      void outcome.call.over.then(() => work[Symbol.dispose]());
      return toCreatedTask(seat.tasks.keep(outcome.call, (result) => toAnswer(server, target, result)));
    }
    if (seat.era === "modern") refuseUnable(outcome.result);
    return toAnswer(server, target, outcome.result);
  } finally {
    if (!isTask) work[Symbol.dispose]();
  }
}

function toAnswer(server: CallServer, { outputSchema }: Target, result: Result): CallToolResult {
  const told = toToolResult(result, outputSchema !== undefined);
  return server.projectCallToolResult(told, outputSchema as Record<string, unknown> | undefined);
}

/** In the new era a client that cannot do what a tool needs is told so by the protocol. */
function refuseUnable({ error }: Result): void {
  const { requiredCapabilities } = Object(error?.details) as { requiredCapabilities?: Record<string, never> };
  if (error && requiredCapabilities)
    throw new MissingRequiredClientCapabilityError({ requiredCapabilities }, error.message);
}

function toWaitingResult(waiting: readonly OpenAsk[]): CallToolResult {
  return {
    content: [{ type: "text", text: toWaitingText(waiting) }],
    isError: true,
    _meta: { [ERROR_META]: { code: "denied", retryable: true, approvals: waiting.map(({ id }) => id) } },
  };
}
