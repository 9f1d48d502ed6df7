import { PegboardError } from "../core/error.ts";
import type { Store } from "../stores/store.ts";

/** A run that is over, and the session it was in. */
export interface FoundRun {
  readonly run: string;
  readonly session: string;
}

/** The run that the beginning of an id means, in one session or in all. Throws `invalid_config` unless it is one. */
export async function findRun(store: Store, asked: string, session?: string): Promise<FoundRun> {
  const starts = await store.read({ type: "run-start", ...(session !== undefined && { session }) });
  const runs = new Map(starts.flatMap(({ run, session: at }) => (run?.startsWith(asked) ? [[run, at]] : [])));
  const [found, ...others] = runs;
  const place = session === undefined ? "the log" : `session "${session}"`;
  if (!found) throw new PegboardError("invalid_config", `There is no run "${asked}" in ${place} to go on with`);
  if (others.length > 0)
    throw new PegboardError("invalid_config", `"${asked}" is the beginning of ${runs.size} runs: write more of it`);
  return { run: found[0], session: found[1] };
}
