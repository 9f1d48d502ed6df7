import type { ApprovalAnswer } from "../core/approval.ts";
import { PegboardError } from "../core/error.ts";
import { answerApproval, findApproval } from "../core/inbox.ts";
import type { Session } from "../core/session.ts";
import type { Runtime } from "../runtime.ts";
import type { Principal } from "./principal.ts";
import { savedSession } from "./saved-session.ts";

/** Who answers, and where they have sessions open. */
export interface Answering {
  readonly runtime: Runtime;
  readonly principal: Principal;
  readonly sessions: readonly Session[];
}

/**
 * Answers an approval request in a session that is open here, or through the log when another process waits with it.
 * Rejects as `Desk.answer` says.
 */
export async function answerAsPrincipal(
  { runtime, principal, sessions }: Answering,
  approval: string,
  answer: ApprovalAnswer,
): Promise<void> {
  const waiting = sessions.find(({ pending }) => pending.some(({ id }) => id === approval));
  if (waiting) return waiting.answer(approval, answer);
  const record = await findApproval(runtime.store, approval).catch(() => undefined);
  // The beginning of an id is enough at a terminal; a program that sends one has made a mistake.
  if (record?.id !== approval || !(await savedSession(runtime, principal.id, record.session)))
    throw new PegboardError("not_found", `No approval request "${approval}" is waiting for an answer`);
  // One that is open here and does not wait any more has its answer, which is about to be on record.
  if (record.status === "waiting" && sessions.some(({ id }) => id === record.session))
    throw new PegboardError("duplicate", `The approval request "${approval}" was answered already`);
  await answerApproval(runtime.store, approval, answer, principal.id);
}
