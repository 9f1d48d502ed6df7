import {
  type InputRequest,
  MissingRequiredClientCapabilityError,
  ProtocolError,
  ProtocolErrorCode,
  type Server,
  type ServerContext,
} from "@modelcontextprotocol/server";
import type { Result } from "@pegboard/contract";
import { TASKS_EXTENSION } from "../../core/mcp-names.ts";
import { toWaitingText } from "./approval-form.ts";
import { takeResponses, toInputRequests } from "./attend-call.ts";
import { capabilitiesOf, takesTasks } from "./request-attendant.ts";
import { ANYTHING } from "./anything.ts";
import type { McpSeat } from "./seat.ts";
import { type McpTask, TASK_TTL_MS } from "./session-tasks.ts";

/** What a client is handed instead of a result. */
export type CreatedTask = ReturnType<typeof toCreatedTask> & { readonly _meta?: object };

/** How often it is worth to ask. */
const POLL_MS = 500;

/** The answer to a call that goes on without its client. */
export function toCreatedTask(task: McpTask) {
  return { resultType: "task" as const, ...toView(task) };
}

/** Lets a server answer for tasks: how one stands, what it asks, and that it is no longer wanted. */
export function serveTasks(server: Server, { tasks }: McpSeat): void {
  const serve = (method: string, answer: (task: McpTask, responses: Readonly<Record<string, unknown>>) => object) =>
    server.setRequestHandler(method, { params: ANYTHING }, (given, context) => {
      checkAnnounced(server, context);
      const { taskId } = Object(given) as { taskId?: unknown };
      const task = typeof taskId === "string" ? tasks.find(taskId) : undefined;
      if (!task)
        throw new ProtocolError(ProtocolErrorCode.InvalidParams, "There is no such task: it may be over for long");
      return answer(task, context.mcpReq.inputResponses ?? {}) as never;
    });

  serve("tasks/get", (task) => ({ ...toView(task), ...toOutcome(task) }));
  serve("tasks/update", (task, responses) => {
    takeResponses(task.call, responses, { partly: true });
    task.updatedAt = new Date();
    return {};
  });
  serve("tasks/cancel", ({ call }) => {
    call.cancel();
    return {};
  });
}

function checkAnnounced(server: Server, context: ServerContext): void {
  if (takesTasks(capabilitiesOf(server, context))) return;
  throw new MissingRequiredClientCapabilityError({ requiredCapabilities: { extensions: { [TASKS_EXTENSION]: {} } } });
}

type Status = "working" | "input_required" | "completed" | "failed" | "cancelled";

function statusOf({ call }: McpTask): Status {
  const { result } = call;
  if (!result) return Object.keys(inputRequestsOf(call)).length > 0 ? "input_required" : "working";
  // A failure of the tool is a result; only what never became one has failed.
  if (result.error?.code === "cancelled") return "cancelled";
  return failureOf(result) ? "failed" : "completed";
}

/** Why a call never became a result: a defect, or the task of another server that it was. */
function failureOf({ error }: Result): { readonly code: number; readonly message: string } | undefined {
  const { task, mcp } = Object(error?.details) as { task?: unknown; mcp?: unknown };
  if (!error || (error.code !== "internal" && task !== "failed")) return undefined;
  return { code: typeof mcp === "number" ? mcp : ProtocolErrorCode.InternalError, message: error.message };
}

function toView(task: McpTask) {
  return {
    taskId: task.call.id,
    status: statusOf(task),
    createdAt: task.createdAt.toISOString(),
    lastUpdatedAt: task.updatedAt.toISOString(),
    ttlMs: TASK_TTL_MS,
    pollIntervalMs: POLL_MS,
  };
}

function toOutcome({ call, toAnswer }: McpTask): object {
  const { result, asks } = call;
  if (result?.error?.code === "cancelled") return { statusMessage: result.error.message };
  const failure = result && failureOf(result);
  if (failure) return { error: failure };
  if (result) return { result: toAnswer(result) };
  const inputRequests = inputRequestsOf(call);
  if (Object.keys(inputRequests).length > 0) return { inputRequests };
  return asks.length > 0 ? { statusMessage: toWaitingText(asks) } : {};
}

/** What the client can answer; what it cannot is for others. */
function inputRequestsOf({ methods, asks, questions }: McpTask["call"]): Readonly<Record<string, InputRequest>> {
  return toInputRequests(methods.includes("elicitation/create") ? asks : [], questions.open);
}
