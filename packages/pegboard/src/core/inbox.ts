import { type ApprovalAnswer, answerProblem } from "./approval.ts";
import { PegboardError } from "./error.ts";
import type { EventData, EventOf, EventType } from "./event.ts";
import { eventPages, type PagedLog } from "./event-pages.ts";
import { type Answer, type EventSink, SessionLog } from "./log.ts";

/** A log that several processes share, as far as approvals need to know. */
export interface ApprovalLog extends EventSink, PagedLog<{ readonly type: EventType }> {}

/** An approval request as the log tells it: what was asked, where, and how it stands. */
export interface ApprovalRecord extends Readonly<EventData["approval-request"]> {
  readonly session: string;
  readonly call?: string;
  readonly parent?: string;
  readonly chain?: readonly string[];
  readonly requestedAt: number;
  readonly status: "waiting" | "expired" | "answered";
  readonly answer?: Answer;
}

/** The requests that nobody has answered, oldest first; those whose time is over are `expired`. */
export async function listApprovals(log: ApprovalLog): Promise<readonly ApprovalRecord[]> {
  const answered = new Set<string>();
  for await (const page of eventPages(log, { type: "approval-response" }))
    for (const { data } of page) answered.add((data as Answer).id);
  const open: ApprovalRecord[] = [];
  for await (const request of requests(log))
    if (!answered.has(request.data.id)) open.push(toRecord(request, undefined));
  return open;
}

/** One request; the beginning of its id is enough. Rejects with `not_found`, or `invalid_input` when it may be several. */
export async function findApproval(log: ApprovalLog, id: string): Promise<ApprovalRecord> {
  const found: EventOf<"approval-request">[] = [];
  for await (const request of requests(log)) if (id !== "" && request.data.id.startsWith(id)) found.push(request);
  const request = found.find(({ data }) => data.id === id) ?? found[0];
  if (!request) throw new PegboardError("not_found", `There is no approval request "${id}" in the log`);
  if (found.length > 1 && request.data.id !== id) {
    throw new PegboardError(
      "invalid_input",
      `"${id}" may be any of ${found.map(({ data }) => data.id).join(", ")}: write more of it`,
    );
  }
  return toRecord(request, await new SessionLog(request.session, log, { fresh: false }).answerTo(request.data.id));
}

/**
 * Answers a request of any process through the log: whoever waits for it finds the answer there. Of several answers the
 * first counts. Rejects with `not_found`, `expired`, `duplicate` when it is answered, `invalid_input` for a wrong answer.
 */
export async function answerApproval(
  log: ApprovalLog,
  id: string,
  answer: ApprovalAnswer,
  by: string,
): Promise<ApprovalRecord> {
  const record = await findApproval(log, id);
  const problem = answerProblem(answer, record);
  if (problem)
    throw new PegboardError("invalid_input", `The answer to approval request "${id}" is refused: ${problem}`);
  if (record.status !== "waiting") throw refusal(record);
  const { decision, remember, note } = answer;
  const given: Answer = {
    id: record.id,
    decision,
    by,
    ...(remember && { remember }),
    ...(note !== undefined && { note }),
  };
  const { call, parent, chain } = record;
  const about = {
    ...(call !== undefined && { call }),
    ...(parent !== undefined && { parent }),
    ...(chain && { chain }),
  };
  const counting = await new SessionLog(record.session, log, { fresh: false }).answer(given, about);
  const answered: ApprovalRecord = { ...record, status: "answered", answer: counting };
  if (counting !== given) throw refusal(answered);
  return answered;
}

async function* requests(log: ApprovalLog): AsyncGenerator<EventOf<"approval-request">, void, undefined> {
  for await (const page of eventPages(log, { type: "approval-request" }))
    yield* page as readonly EventOf<"approval-request">[];
}

function toRecord(
  { session, call, parent, chain, at, data }: EventOf<"approval-request">,
  answer: Answer | undefined,
): ApprovalRecord {
  return {
    ...data,
    session,
    ...(call !== undefined && { call }),
    ...(parent !== undefined && { parent }),
    ...(chain && { chain }),
    requestedAt: at,
    status: answer ? "answered" : data.expiresAt <= Date.now() ? "expired" : "waiting",
    ...(answer && { answer }),
  };
}

function refusal({ id, expiresAt, answer }: ApprovalRecord): PegboardError {
  if (!answer || answer.decision === "expired")
    return new PegboardError("expired", `The approval request "${id}" expired at ${new Date(expiresAt).toISOString()}`);
  return new PegboardError(
    "duplicate",
    `The approval request "${id}" was answered already: ${answer.decision}, by ${answer.by}`,
  );
}
