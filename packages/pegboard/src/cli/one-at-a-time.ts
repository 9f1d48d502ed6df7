import type { Approver } from "../core/approval.ts";

/** The same approver, asked one request at a time, in their order: an answer that is typed must not answer two. */
export function oneAtATime(approver: Approver): Approver {
  let last: Promise<unknown> = Promise.resolve();
  return (request, options) => {
    const answer = last.then(() =>
      options.signal.aborted ? { decision: "deny" as const, note: "no answer" } : approver(request, options),
    );
    last = answer.catch(() => {});
    return answer;
  };
}
