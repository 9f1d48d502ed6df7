import type { RunResult } from "../core/run-result.ts";
import type { PegboardError } from "../core/error.ts";
import type { AgentRun } from "./agent-run.ts";
import { type FinalAnswer, toFinalAnswer } from "./answer.ts";
import { converse, type ConverseDeps } from "./converse.ts";
import type { Lanes } from "./lanes.ts";
import { orCancelled } from "./or-cancelled.ts";
import { prepareRun, type PreparedRun, type PrepareRunDeps } from "./prepare-run.ts";
import type { RunOnce } from "./prompt-tool.ts";
import { recordAnswer, recordEnd, recordStart } from "./record-run.ts";
import { changeAnswer, openRun, type OpenedRun, tellEnd } from "./run-hooks.ts";
import type { RunRequest } from "./run-request.ts";
import { type RunEnd, toRunResult } from "./to-run-result.ts";

/** What a run works with. */
export interface SeeRunDeps extends PrepareRunDeps, ConverseDeps {
  /** Where all runs queue. */
  readonly places: Lanes;
  readonly runOnce: RunOnce;
  /** Hears at once that a run is over. */
  over(run: AgentRun): void;
}

/** Sees a run through from its beginning to its end, which is the problem when there is one. Never rejects. */
export async function seeRun(
  run: AgentRun,
  request: RunRequest,
  problem: PegboardError | undefined,
  deps: SeeRunDeps,
): Promise<RunResult> {
  const stopClock = run.watchTime();
  let began = false;
  let end: RunEnd;
  try {
    run.control.throwIfCancelled();
    await orCancelled(Promise.resolve(run.workbench.ready()), run.control);
    began = true;
    if (problem) throw problem;
    end = { answer: await work(run, request, deps) };
  } catch (thrown) {
    end = { thrown };
    run.abandon(thrown);
  }
  stopClock();
  run.place.end();
  run.control[Symbol.dispose]();
  // What a cancelled call started may take a while to end.
  await Promise.all([...run.children.map(({ result }) => result), ...run.given.tasks.map(({ done }) => done)]);
  await tellEnd(run, end);
  if (began) await recordEnd(run, end);
  run.end();
  deps.over(run);
  return toRunResult(run, end);
}

async function work(run: AgentRun, request: RunRequest, deps: SeeRunDeps): Promise<FinalAnswer> {
  const prepared = await orCancelled(prepareRun(run, request, deps), run.control);
  run.model = prepared.model;
  run.agents = prepared.agent.agents;
  const opened: OpenedRun = run.from ? { message: prepared.message } : await open(run, prepared, request);
  const { message, answer } = opened;
  // What a run started was admitted with it, and what goes on was before.
  if (!run.parent && !run.from) deps.places.throwIfFull();
  if (answer)
    return changeAnswer(run, prepared.agent, await toFinalAnswer(answer.text, prepared.agent.output), undefined);
  await run.place.enter();
  return converse(run, { ...prepared, message }, request, deps.runOnce, deps);
}

/** Lets hooks take part in the beginning of a run, and puts it on record. */
async function open(run: AgentRun, prepared: PreparedRun, request: RunRequest): Promise<OpenedRun> {
  const { agent, message } = prepared;
  const opened = await orCancelled(openRun(run, agent, message, request), run.control);
  await recordStart(run, prepared, opened, request.options ?? {});
  if (opened.answer) await recordAnswer(run, opened.answer);
  return opened;
}
