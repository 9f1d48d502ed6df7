import type { ApprovalOutcome, Approvals } from "./approval.ts";
import type { EventData } from "./event.ts";
import type { EventSink } from "./log.ts";

/** Makes the answers known that the log of a session remembers. */
export async function restoreApprovals(approvals: Approvals, session: string, log: EventSink): Promise<void> {
  const types = ["approval-request", "approval-response", "approvals-change"] as const;
  const events = (await Promise.all(types.map((type) => log.read({ session, type }))))
    .flat()
    .sort((a, b) => a.seq - b.seq);
  const requests = new Map<string, EventData["approval-request"]>();
  let answers: (readonly [EventData["approval-request"], ApprovalOutcome])[] = [];
  for (const { type, data } of events) {
    if (type === "approval-request") requests.set(data.id, data);
    // From there on everything was forgotten.
    if (type === "approvals-change") answers = [];
    const request = type === "approval-response" ? requests.get(data.id) : undefined;
    if (request && type === "approval-response") answers.push([request, data as ApprovalOutcome]);
  }
  for (const [request, outcome] of answers) approvals.remember(request, outcome);
}
