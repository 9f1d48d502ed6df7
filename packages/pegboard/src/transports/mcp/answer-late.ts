import { inputResponse } from "@modelcontextprotocol/server";
import type { Json } from "@pegboard/contract";
import type { ApprovalAnswer } from "../../core/approval.ts";
import { findApproval } from "../../core/inbox.ts";
import type { Session } from "../../core/session.ts";
import type { Desk } from "../desk.ts";
import type { Principal } from "../principal.ts";
import { toApprovalAnswer } from "./approval-form.ts";

/** The answer of a client to what a process asked that is gone. */
export interface LateAnswer {
  readonly approval: string;
  readonly tool: string;
  readonly input: Json;
  readonly responses: Readonly<Record<string, unknown>> | undefined;
}

/** Takes such an answer. Resolves to what it says; undefined where it cannot count, and nothing has happened. */
export type AnswerLate = (answer: LateAnswer) => Promise<ApprovalAnswer | undefined>;

/** The key under which a client answers an approval request. */
export function toKey(approval: string): string {
  return `approval-${approval}`;
}

/**
 * Takes late answers for the sessions of a principal. One counts when the request is on record as theirs, nobody has
 * answered it, its time is not over, and the same would be asked today about the same definition of the tool. It is then on
 * record, so that no other counts, in whichever process.
 */
export function createAnswerLate(desk: Desk, principal: Principal, session: Session): AnswerLate {
  return async ({ approval, tool, input, responses }) => {
    const record = await findApproval(desk.runtime.store, approval).catch(() => undefined);
    // What a call of a call asked is not asked again by whoever calls the outer one.
    if (record?.id !== approval || record.tool !== tool || record.parent !== undefined) return undefined;
    const question = await session.question(tool, input);
    const response = inputResponse(responses, toKey(approval));
    if (question?.digest !== record.digest || response.kind !== "elicit") return undefined;
    const answer = toApprovalAnswer(response, record);
    if (!answer) return undefined;
    try {
      await desk.answer(principal, approval, answer);
      return answer;
    } catch {
      // It expired, or somebody was faster.
      return undefined;
    }
  };
}
