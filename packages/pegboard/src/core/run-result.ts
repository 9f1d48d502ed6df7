import type { ErrorCode, Json } from "@pegboard/contract";
import type { Usage } from "./model.ts";

/** What a run came to. */
export interface RunResult {
  readonly run: string;
  readonly session: string;
  readonly agent: string;
  readonly status: "completed" | "failed" | "cancelled";
  /** The last answer, also of a run that failed later. */
  readonly text: string;
  /** The answer as JSON, of an agent with an output schema. */
  readonly structured?: Json;
  /** Tokens of the run and of all that it started. */
  readonly usage: Usage;
  /** US dollars, likewise; what the price of a model is not known for is left out, and told in `warnings`. */
  readonly cost: number;
  readonly turns: number;
  readonly calls: number;
  readonly warnings?: readonly string[];
  readonly error?: { readonly code: ErrorCode; readonly message: string };
}
