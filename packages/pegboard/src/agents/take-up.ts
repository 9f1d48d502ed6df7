import type { Result } from "@pegboard/contract";
import type { EventData } from "../core/event.ts";
import { mayRunAgain } from "../core/policy.ts";
import { interruptedEnd } from "../core/recover.ts";
import type { AgentRun } from "./agent-run.ts";
import { endRuns } from "./end-runs.ts";
import type { CallState } from "./run-log.ts";
import type { Resumption } from "./resumption.ts";
import { callId, callsOf, contentOf } from "./transcript.ts";

/** What is known of a call that a process was at when it ended: its result, or the approval that it waited for. */
export interface Earlier {
  readonly result?: Result;
  readonly asked?: EventData["approval-request"] | undefined;
}

/**
 * Takes up the calls of the last answer where they were left. One that may have had an effect ends as `interrupted`, and so
 * do the runs that nothing goes on with. What is in the result is not to be made again as it is.
 */
export async function takeUp(run: AgentRun, from: Resumption): Promise<ReadonlyMap<string, Earlier>> {
  const { answer } = from.state;
  const earlier = new Map<string, Earlier>();
  const message = answer?.data.message;
  const calls = message?.role === "assistant" ? callsOf(message.content) : [];
  for (const [index, { tool }] of calls.entries()) {
    const id = callId(run.id, answer!.data.turn, index);
    const told = from.log.call(id);
    const isOver = told.end !== undefined || (told.intent !== undefined && !goesOn(told, run));
    const end = told.end?.data ?? (isOver ? await interrupt(run, from, id, told.intent!.data.tool) : undefined);
    if (end) earlier.set(id, { result: toResult(end) });
    else if (told.request) earlier.set(id, { asked: told.request });
    if (end?.error?.code === "interrupted")
      run.warn(`The call of "${tool}" was cut off when its process ended: whether it took effect is not known`);
  }
  const again = calls
    .map((_, index) => callId(run.id, answer!.data.turn, index))
    .filter((id) => !earlier.get(id)?.result);
  await endLost(run, from, again);
  return earlier;
}

/** Whether a call that was begun may be made again. */
function goesOn({ intent, nested }: CallState, run: AgentRun): boolean {
  const registration = intent && run.find(intent.data.tool);
  if (!intent?.data.again || !registration || !mayRunAgain(registration)) return false;
  // What its tool had called would be called a second time; our own look whether they did.
  return !nested || registration.tool.capabilities?.includes("agent") === true;
}

/** Ends a call as interrupted, unless another process that recovers was faster. */
async function interrupt(
  run: AgentRun,
  { log }: Resumption,
  call: string,
  tool: string,
): Promise<EventData["call-end"]> {
  const end = interruptedEnd(tool);
  const about = { run: run.id, call, chain: run.chain };
  await run.workbench.log.appendUnless("call-end", end, about, log.newest, (others) =>
    others.some((other) => other.type === "call-end" && other.call === call),
  );
  return end;
}

function toResult(end: EventData["call-end"]): Result {
  if (!("cut" in end.result)) return end.result;
  const { ok, error } = end;
  return { ok, content: [...contentOf(end)], ...(error && { error: { ...error, retryable: false } }), meta: {} };
}

/** Ends the runs below a run that no call of it goes on with: what started them was cut off. */
async function endLost(run: AgentRun, { log }: Resumption, kept: readonly string[]): Promise<void> {
  const open = log.tasksOf(run.id).filter(({ start, outcome }) => start.data.mode === "background" && !outcome);
  const tasks = open.map(({ start }) => start.data.task);
  for (const child of log.childrenOf(run.id)) {
    const { parent = "", data } = log.start(child)!;
    if (!log.end(child) && !kept.includes(parent) && !tasks.includes(data.task ?? ""))
      await endRuns(child, log, run.workbench.log, LOST);
  }
}

const LOST = { code: "interrupted", message: "The process ended, and nothing waits for this run any more" } as const;
