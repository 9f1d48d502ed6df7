import type { CallClient, Json } from "@pegboard/contract";
import type { ApprovalAnswer } from "../../core/approval.ts";

/** What a call does, and for whom. Failure is a value, not a rejection. */
export interface CallWork<T> {
  readonly tool: string;
  readonly input: Json;
  run(call: RunningCall): Promise<T>;
  /** Ends what runs by this id; absent where the signal of the call does. */
  cancel?(id: string): void;
}

/** A call as its work sees it, and whom the work can ask. */
export interface RunningCall extends CallClient {
  readonly id: string;
  /** Fires when the call is cancelled. */
  readonly signal: AbortSignal;
  /** What the client has answered already when asked whether it may run. */
  readonly earlier: ApprovalAnswer | undefined;
  /** Whether the client may come back with an answer after this process. */
  readonly staysAsked: boolean;
}
