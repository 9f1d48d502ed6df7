import type { Json } from "@pegboard/contract";
import type { ApprovalOutcome, ApprovalRequest, Remember } from "./approval.ts";
import { scopesOf } from "./approval-scope.ts";
import type { Call, DispatchDeps } from "./call.ts";
import { PegboardError } from "./error.ts";
import type { EventData } from "./event.ts";
import { canonicalJson, cloneJson } from "./json.ts";
import type { About, SessionLog } from "./log.ts";
import { newId } from "./new-id.ts";
import type { Decision } from "./policy.ts";
import { definitionDigest, type Registration } from "./registry.ts";

/** Through whom an `ask` was allowed, and whether an earlier answer covered it. */
export interface Approved {
  readonly by: string;
  readonly cached: boolean;
}

/**
 * The approval stop: an earlier answer, the mode of the session, or whoever is asked decides. Request and response are in
 * the log. Throws `denied`, `expired` or `cancelled`.
 */
export async function approve(
  call: Call,
  registration: Registration,
  input: Json,
  decision: Decision,
  about: About,
  deps: DispatchDeps,
): Promise<Approved> {
  const { name } = registration;
  const { approvals, approveMode, approver, log } = deps;
  const digest = await definitionDigest(registration);
  const covered = await coveredBy(registration, input, decision, deps);
  if (covered) return covered;
  if (call.approved !== undefined) return { by: call.approved, cached: false };
  if (approveMode === "none") {
    throw new PegboardError(
      "denied",
      `Tool "${name}" needs approval (${decision.reason}) and nobody is there to ask. ${decision.firm ? "No rule allows it, only an approver" : "A policy rule can allow it, or an approver"}`,
    );
  }
  const made = await toRequest(call, registration, input, decision, digest, deps);
  const earlier = call.asked && isSame(call.asked, made) ? call.asked : undefined;
  const request: ApprovalRequest = earlier ? { ...made, id: earlier.id, expiresAt: earlier.expiresAt } : made;
  const { id, summary, reason, options, expiresAt, suggestions, scope } = request;
  if (!earlier)
    await log.append(
      "approval-request",
      {
        id,
        tool: name,
        input,
        summary,
        reason,
        options,
        digest,
        expiresAt,
        ...(suggestions && { suggestions }),
        ...(scope && { scope }),
      },
      about,
    );
  const answered = earlier && (await log.answerTo(id));
  const first =
    answered ??
    (await approvals.ask(
      request,
      earlier ? Math.max(0, expiresAt - Date.now()) : deps.limits.approvalMs,
      call.control.signal,
      approveMode === "wait" ? undefined : approver,
      log.shared ? (signal) => awaitAnswer(log, id, signal) : undefined,
    ));
  const outcome =
    first.decision === "cancelled" && call.staysAsked?.() ? first : await log.answer({ id, ...first }, about);
  approvals.remember(request, outcome);
  const { decision: answer, remember } = outcome;
  if (remember === "rule" && (answer === "allow" || answer === "deny")) await deps.saveRule?.(request, answer);
  if (answer !== "allow") throw refusal(name, outcome);
  return { by: outcome.by, cached: false };
}

/** What allows an `ask` without asking anybody: an earlier answer, or the mode of the session; undefined when nothing does. */
export async function coveredBy(
  registration: Registration,
  input: Json,
  { firm, suggestions }: Decision,
  deps: DispatchDeps,
): Promise<Approved | undefined> {
  await deps.restoreApprovals();
  const scopes = scopesOf(registration, input, suggestions);
  const digest = await definitionDigest(registration);
  const recalled = deps.approvals.recall({ tool: registration.name, digest, input, scopes }, firm);
  if (recalled) return { by: `answer remembered for this ${recalled}`, cached: true };
  return deps.approveMode === "all" ? { by: "approve mode all", cached: false } : undefined;
}

/** Whether an answer to the one is an answer to the other. */
function isSame(one: EventData["approval-request"], other: ApprovalRequest): boolean {
  return (
    one.digest === other.digest && canonicalJson([one.tool, one.input]) === canonicalJson([other.tool, other.input])
  );
}

/** A date cannot be later. */
const LAST_TIME = 8.64e15;
const POLL_MS = 200;

/** Waits until another process has answered. */
async function awaitAnswer(log: SessionLog, id: string, signal: AbortSignal): Promise<ApprovalOutcome | undefined> {
  while (!signal.aborted) {
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
    // A store that cannot be read now may be read the next time.
    const answer = await log.answerTo(id).catch(() => undefined);
    if (answer) return answer;
  }
  return undefined;
}

async function toRequest(
  call: Call,
  registration: Registration,
  input: Json,
  { reason, firm, suggestions }: Decision,
  digest: string,
  deps: DispatchDeps,
): Promise<ApprovalRequest> {
  const scope = firm ? [] : scopesOf(registration, input, suggestions).map(([name]) => name);
  return {
    id: newId(),
    tool: registration.name,
    description: registration.tool.description,
    input: cloneJson(input),
    summary: await summarize(registration, input),
    reason,
    chain: call.caller.agent?.chain ?? [],
    options: toOptions(registration, firm === true, scope.length > 0, deps.saveRule !== undefined),
    ...(registration.judge && { suggestions: suggestions ?? [] }),
    ...(scope.length > 0 && { scope }),
    expiresAt: Math.min(LAST_TIME, Date.now() + deps.limits.approvalMs),
    digest,
  };
}

// Whoever judges a tool's inputs one by one is not to be asked for the tool as a whole.
function toOptions({ judge }: Registration, firm: boolean, hasScope: boolean, saves: boolean): Remember[] {
  const wholly = !firm && !judge;
  return [
    "once",
    "input",
    ...(hasScope ? ["scope" as const] : []),
    ...(wholly ? ["tool" as const] : []),
    ...(saves && (wholly || hasScope) ? ["rule" as const] : []),
  ];
}

/** What a call would do, in a line. Never rejects. */
export async function summarize({ name, tool }: Registration, input: Json): Promise<string> {
  try {
    // One that is made in another process comes later.
    const summary: unknown = await tool.summary?.(cloneJson(input));
    if (typeof summary === "string" && summary !== "") return summary;
  } catch {
    // A summary is a courtesy: the input itself is always shown.
  }
  const text = canonicalJson(input);
  return `${name} ${text.length > 200 ? `${text.slice(0, 200)}…` : text}`;
}

function refusal(name: string, { decision, note }: ApprovalOutcome): PegboardError {
  if (decision === "cancelled")
    return new PegboardError("cancelled", `The call of tool "${name}" was cancelled while it waited for approval`);
  if (decision === "expired")
    return new PegboardError("expired", `Nobody answered in time whether tool "${name}" may run`, { retryable: true });
  return new PegboardError("denied", `The call of tool "${name}" was denied${note ? `: ${note}` : ""}`);
}
