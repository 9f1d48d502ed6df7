import type { ErrorCode, Json } from "@pegboard/contract";
import type { Usage } from "./model.ts";

/** How a task ended. */
export interface TaskOutcome {
  readonly state: "completed" | "failed" | "cancelled";
  readonly iterations: number;
  readonly text: string;
  readonly structured?: Json;
  /** Tokens of all tries and of judging them. */
  readonly usage: Usage;
  /** US dollars, likewise. */
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
