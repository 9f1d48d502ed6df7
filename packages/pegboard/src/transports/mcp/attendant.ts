import type { ClientMethod, Json, LogLevel } from "@pegboard/contract";
import type { CancelSignal } from "./call-signal.ts";
import type { Report } from "./progress.ts";

/** Whoever waits for a call. */
export interface Attendant {
  /** Cancels the call. */
  readonly signal: CancelSignal;
  /** What the client can be asked for. */
  readonly methods: readonly ClientMethod[];
  /** Whether it can come back for the result. */
  readonly tasks?: boolean;
  progress?(report: Report): void;
  log?(level: LogLevel, message: Json): void;
}
