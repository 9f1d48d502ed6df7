import { PegboardError } from "../core/error.ts";
import type { Workbench } from "../core/workbench.ts";
import { takesUp } from "./end-runs.ts";
import { Resumption } from "./resumption.ts";
import { RunLog } from "./run-log.ts";
import { type RunState, toRunState } from "./run-state.ts";

/** What claiming a run depends on. */
export interface ClaimDeps {
  /** Whether a run is at work: here, or in a process that is alive. */
  isAtWork(run: string, process: string | undefined): boolean;
}

/**
 * Makes a run of the session whose process ended this process' own, on record: of several that try, one succeeds. Rejects
 * with `not_found`, with `invalid_input` for a run that cannot go on, and with `busy` when somebody has it at work.
 */
export async function claimRun(
  id: string | undefined,
  { log, ready }: Workbench,
  { isAtWork }: ClaimDeps,
): Promise<Resumption> {
  await ready();
  const runs = new RunLog(await log.read());
  const state = findRun(id, runs, log.session);
  const busy = () =>
    new PegboardError(
      "busy",
      `Run "${state.id}" is at work${inProcess(runs.owner(state.id))}: wait for it, or cancel it`,
    );
  if (isAtWork(state.id, state.owner)) throw busy();
  const { process } = log;
  const about = { run: state.id, chain: state.start.chain ?? [] };
  const mark = process === undefined ? {} : { process };
  const claimed = await log.appendUnless("run-progress", mark, about, runs.newest, takesUp(state.id));
  if (!claimed) throw busy();
  return new Resumption(state, runs);
}

function findRun(id: string | undefined, runs: RunLog, session: string): RunState {
  const asked = id ?? runs.runs.findLast((run) => !runs.end(run) && runs.start(run)?.parent === undefined);
  if (asked === undefined)
    throw new PegboardError("not_found", `No run of session "${session}" was left in the middle`);
  const state = toRunState(asked, runs);
  if (!state) throw new PegboardError("not_found", `There is no run "${asked}" in session "${session}"`);
  if (state.end)
    throw new PegboardError(
      "invalid_input",
      `Run "${asked}" is over (${state.end.data.status}): go on from it with the option "continue"`,
    );
  const { parent } = state.start;
  const above = parent === undefined ? undefined : runs.callerOf(parent);
  if (above !== undefined)
    throw new PegboardError("invalid_input", `Run "${asked}" works for run "${above}": resume that one`);
  return state;
}

function inProcess(process: string | undefined): string {
  return process === undefined ? "" : ` (process ${process.split("/")[1] ?? process})`;
}
