import type { CallClient, SessionView, ToolContext, ToolInstance } from "@pegboard/contract";
import type { Control } from "./control.ts";
import { PegboardError } from "./error.ts";
import type { CallingAgent } from "./caller.ts";

/** What one execution needs besides the tool and its input. */
export interface Execution {
  readonly callId: string;
  readonly session: SessionView;
  readonly agent?: CallingAgent;
  readonly client?: CallClient | undefined;
  readonly control: Control;
  readonly timeoutMs: number | null;
  readonly progress: ToolContext["progress"];
  readonly call: ToolContext["call"];
  /** The work ended after the call was answered; what it yielded is dropped. */
  late(ok: boolean): void;
}

/**
 * Runs a tool and waits for it until its time is up or the call is cancelled; then its signal fires, and what it yields
 * later is dropped. Throws what the tool throws; rejects with `timeout`, `cancelled` or what the tool rejected with.
 */
export function execute(instance: ToolInstance<any>, input: unknown, execution: Execution): unknown {
  const { control, timeoutMs } = execution;
  // Cancelled while its intent was written: nothing would tell it any more.
  control.throwIfCancelled();
  const value = instance.execute(input, toContext(execution));
  if (!isThenable(value)) return value;
  return new Promise((resolve, reject) => {
    let over = false;
    const end = (): boolean => {
      if (over) return false;
      clearTimeout(timer);
      stopListening();
      return (over = true);
    };
    const stopListening = control.onCancel((reason) => void (end() && reject(reason)));
    const timer =
      timeoutMs === null
        ? undefined
        : setTimeout(() => control.cancel(timedOut(timeoutMs)), Math.min(timeoutMs, MAX_TIMER));
    // Promise.resolve takes the first answer of a thenable that gives several.
    Promise.resolve(value).then(
      (result) => (end() ? resolve(result) : execution.late(true)),
      (error: unknown) => (end() ? reject(error) : execution.late(false)),
    );
  });
}

// A longer delay would fire at once.
const MAX_TIMER = 2 ** 31 - 1;

/** The error of a call that ran too long. */
function timedOut(timeoutMs: number): PegboardError {
  return new PegboardError("timeout", `The tool did not answer within ${timeoutMs / 1000} seconds`, {
    retryable: true,
    details: { timeoutMs },
  });
}

function isThenable(value: unknown): boolean {
  return typeof value === "object" && value !== null && typeof (value as { then?: unknown }).then === "function";
}

// Frozen and without anything to assign to: a tool cannot become somebody else.
function toContext({ callId, session, agent, client, control, progress, call }: Execution): ToolContext {
  return Object.freeze({
    callId,
    session,
    ...(agent && { agent: toAgentView(agent) }),
    // A getter here would cost more than the rest of the call's setup: each gives its object a shape of its own.
    signal: control.signal,
    progress,
    call,
    ...(client && { client }),
  });
}

function toAgentView({ name, chain, run }: CallingAgent): NonNullable<ToolContext["agent"]> {
  return Object.freeze({ name, chain, depth: chain.length - 1, ...(run !== undefined && { run }) });
}
