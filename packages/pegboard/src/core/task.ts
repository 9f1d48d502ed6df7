import type { ErrorCode, Json } from "@pegboard/contract";

/** Whether whoever gives work away waits for it, or is told its result later. */
export type TaskMode = "wait" | "background";

/** Work that an agent gives away. */
export interface TaskRequest {
  /** Absent is another run of the agent that asks. */
  readonly agent?: string;
  readonly prompt: string;
  readonly mode: TaskMode;
  /** Over the agent's own. */
  readonly model?: string;
  /** Tries again until the result is accepted; absent is one try, whose result is not judged. */
  readonly validation?: TaskValidation;
}

/** How the result of a task is judged. It can only add to what the operator demands, and lower what the operator allows. */
export interface TaskValidation {
  readonly maxIterations?: number;
  /** US dollars after which it is not tried again. */
  readonly maxUsd?: number;
  /** The agent that judges the result. */
  readonly validator?: string;
  /** What the validator goes by. */
  readonly rubric?: string;
}

/** How a task ended. */
export interface TaskOutcome {
  readonly state: "completed" | "failed" | "cancelled";
  readonly iterations: number;
  readonly text: string;
  readonly structured?: Json;
  /** US dollars of all tries and of judging them. */
  readonly cost: number;
  /** The last try. */
  readonly run?: string;
  readonly error?: { readonly code: ErrorCode; readonly message: string };
}

/** A task that is on record. */
export interface StartedTask {
  readonly id: string;
  readonly agent: string;
  /** Never rejects. */
  readonly outcome: Promise<TaskOutcome>;
}
