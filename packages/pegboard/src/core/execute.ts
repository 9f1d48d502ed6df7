import type { SessionView, ToolContext, ToolInstance } from "@pegboard/contract";
import type { Call } from "./call.ts";
import type { CallingAgent } from "./caller.ts";
import type { Control } from "./control.ts";
import { PegboardError } from "./error.ts";

/** What one execution needs besides the tool and its input. */
export interface Execution {
  readonly call: Call;
  readonly session: SessionView;
  readonly timeoutMs: number | null;
  progress(...report: Parameters<ToolContext["progress"]>): void;
  callTool(...call: Parameters<ToolContext["call"]>): ReturnType<ToolContext["call"]>;
  /** Nobody waits for the tool any more: it has ended, or was given up. */
  ended(): void;
  /** The work ended after the call was answered; what it yielded is dropped. */
  late(ok: boolean): void;
}

/**
 * Runs a tool and waits for it until its time is up or the call is cancelled; then its signal fires, and what it yields
 * later is dropped. Throws what the tool throws; rejects with `timeout`, `cancelled` or what the tool rejected with.
 */
export function execute(instance: ToolInstance<any>, input: unknown, execution: Execution): unknown {
  // Cancelled while its intent was written: nothing would tell it any more.
  execution.call.control.throwIfCancelled();
  let value: unknown;
  try {
    value = instance.execute(input, toContext(execution));
  } catch (error) {
    execution.ended();
    throw error;
  }
  if (isThenable(value)) return wait(value, execution);
  execution.ended();
  return value;
}

function wait(value: unknown, execution: Execution): Promise<unknown> {
  const { timeoutMs } = execution;
  const { control } = execution.call;
  return new Promise((resolve, reject) => {
    let over = false;
    const giveUp = (reason: PegboardError) => {
      over = true;
      clearTimeout(timer);
      execution.ended();
      reject(reason);
    };
    const end = (): boolean => {
      if (over) return false;
      clearTimeout(timer);
      control.offCancel(giveUp);
      execution.ended();
      return (over = true);
    };
    control.onCancel(giveUp);
    const timer =
      timeoutMs === null ? undefined : setTimeout(expire, Math.min(timeoutMs, MAX_TIMER), control, timeoutMs);
    // Promise.resolve takes the first answer of a thenable that gives several.
    Promise.resolve(value).then(
      (result) => (end() ? resolve(result) : execution.late(true)),
      (error: unknown) => (end() ? reject(error) : execution.late(false)),
    );
  });
}

// A longer delay would fire at once.
const MAX_TIMER = 2 ** 31 - 1;

function expire(control: Control, timeoutMs: number): void {
  control.cancel(
    new PegboardError("timeout", `The tool did not answer within ${timeoutMs / 1000} seconds`, {
      retryable: true,
      details: { timeoutMs },
    }),
  );
}

function isThenable(value: unknown): boolean {
  return typeof value === "object" && value !== null && typeof (value as { then?: unknown }).then === "function";
}

// Frozen and without anything to assign to: a tool cannot become somebody else.
function toContext(execution: Execution): ToolContext {
  const { id, caller, control, client } = execution.call;
  return Object.freeze({
    callId: id,
    session: execution.session,
    ...(caller.agent && { agent: toAgentView(caller.agent) }),
    // A getter here would cost more than the rest of the call's setup: each gives its object a shape of its own.
    signal: control.signal,
    progress: (message: string, amount?: Parameters<ToolContext["progress"]>[1]) => execution.progress(message, amount),
    call: (tool: string, input: Parameters<ToolContext["call"]>[1]) => execution.callTool(tool, input),
    ...(client && { client }),
  });
}

function toAgentView({ name, chain, run }: CallingAgent): NonNullable<ToolContext["agent"]> {
  return Object.freeze({ name, chain, depth: chain.length - 1, ...(run !== undefined && { run }) });
}
