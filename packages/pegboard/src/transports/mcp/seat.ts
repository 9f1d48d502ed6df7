import type { Session } from "../../core/session.ts";
import type { AnswerLate } from "./answer-late.ts";
import type { Seal } from "./seal.ts";
import type { SessionCalls } from "./session-calls.ts";
import type { SessionTasks } from "./session-tasks.ts";

/** Which of the two protocols that are called MCP: with a handshake and sessions, or, since 2026-07-28, without. */
export type Era = "legacy" | "modern";

/** What a server of MCP serves: one session of one principal. */
export interface McpSeat {
  readonly era: Era;
  readonly session: Session;
  readonly calls: SessionCalls;
  readonly tasks: SessionTasks;
  readonly principal: string;
  readonly seal: Seal;
  /** Counts a piece of work until it is disposed. Throws `busy` or `unavailable`. */
  enter(): Disposable;
  /** Takes an answer to what a process asked that is gone; absent where none is kept that long. */
  readonly answerLate?: AnswerLate;
  /**
   * Where sending does not wait for a client that is slow: nothing when the client of a request keeps up, else a promise of
   * that.
   */
  readonly room?: ((request: unknown) => Promise<unknown> | undefined) | undefined;
}
