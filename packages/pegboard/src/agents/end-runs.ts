import type { ErrorCode } from "@pegboard/contract";
import type { EventData } from "../core/event.ts";
import type { SessionLog } from "../core/log.ts";
import { interruptedEnd } from "../core/recover.ts";
import type { TaskOutcome } from "../core/task-outcome.ts";
import type { RunLog, TaskState } from "./run-log.ts";
import { spentOn } from "./run-spent.ts";
import { toRunState } from "./run-state.ts";

/** Why a run ends that nobody has at work. */
export interface LostError {
  readonly code: Extract<ErrorCode, "interrupted" | "cancelled">;
  readonly message: string;
}

/**
 * Ends a run that nobody has at work, on record, and all that it started or gave away: its open calls are `interrupted`, its
 * approval requests are not waited for any more. Resolves to whether it did: not when somebody took it up since the log was read.
 */
export async function endRuns(run: string, runs: RunLog, log: SessionLog, error: LostError): Promise<boolean> {
  const state = toRunState(run, runs);
  if (!state || state.end) return false;
  const { parent, chain = [], data } = state.start;
  const { text, turns, calls, spent } = state;
  const status = error.code === "cancelled" ? "cancelled" : "failed";
  const end = { agent: data.agent, status, text, usage: spent.usage, cost: spent.cost, turns, calls, error } as const;
  const about = { run, ...(parent !== undefined && { parent }), chain };
  // First, so that nobody takes it up while the rest is written.
  if (!(await log.appendUnless("run-end", end, about, runs.newest, takesUp(run)))) return false;
  for (const call of runs.openCallsOf(run))
    await log.append("call-end", interruptedEnd(runs.call(call).intent!.data.tool), { run, call, chain });
  for (const { call, id } of runs.openRequestsOf(run))
    await log.answer({ id, decision: "cancelled", by: "end of its run" }, { run, call, chain });
  for (const task of runs.tasksOf(run))
    if (!task.outcome)
      await log.append("task-end", lostTask(task, runs, { state: status, error }), {
        ...about,
        parent: task.start.parent!,
      });
  for (const child of runs.childrenOf(run)) await endRuns(child, runs, log, error);
  return true;
}

/** How a task ends that nobody works on any more. */
function lostTask(
  { start, steps }: TaskState,
  runs: RunLog,
  how: Pick<TaskOutcome, "state" | "error">,
): EventData["task-end"] {
  const iterations = steps.at(-1)?.data.iteration ?? 0;
  const { usage, cost } = spentOn(start, runs);
  return { task: start.data.task, iterations, text: "", usage, cost, ...how };
}

/** Whether events tell that somebody goes on with a run, or that it is over. */
export function takesUp(run: string): (events: readonly { readonly run?: string; readonly type: string }[]) => boolean {
  return (events) =>
    events.some((event) => event.run === run && (event.type === "run-progress" || event.type === "run-end"));
}
