import type { Event, EventOf, Paid } from "../core/event.ts";
import type { Usage } from "../core/model.ts";
import type { Spent } from "./budget.ts";
import type { RunLog } from "./run-log.ts";

type Used = Omit<Spent, "timeMs">;

/** What a run and all that it started have used, as far as the log tells. */
export function spentBy(run: string, log: RunLog): Spent {
  return { ...usedBy(run, log), timeMs: timeOf(run, log) };
}

/** What all that worked on a task has used. */
export function spentOn({ parent = "", data }: EventOf<"task-start">, log: RunLog): Spent {
  const runs = log.startedBy(parent).filter((run) => log.start(run)?.data.task === data.task);
  return { ...usedByAll(runs, log), timeMs: 0 };
}

/** What an event tells of that a model used: an answer, one that did not count, or a summary. */
export function paidFor({ type, data }: Event): Partial<Paid> | undefined {
  return type === "turn-end" || type === "turn-progress" || type === "transcript-change" ? data : undefined;
}

function usedBy(run: string, log: RunLog): Used {
  let [usage, cost]: [Usage, number] = [{ input: 0, output: 0 }, 0];
  for (const event of log.eventsOf(run)) {
    const paid = paidFor(event);
    usage = plus(usage, paid?.usage ?? {});
    cost += paid?.cost ?? 0;
  }
  const below = usedByAll(log.childrenOf(run), log);
  return { usage: plus(usage, below.usage), cost: cost + below.cost, spawns: below.spawns };
}

function usedByAll(runs: readonly string[], log: RunLog): Used {
  let [usage, cost, spawns]: [Usage, number, number] = [{ input: 0, output: 0 }, 0, 0];
  for (const run of runs) {
    const below = usedBy(run, log);
    // One that is over says it itself.
    const { usage: used, cost: paid } = log.end(run)?.data ?? below;
    usage = plus(usage, used);
    cost += paid;
    spawns += 1 + below.spawns;
  }
  return { usage, cost, spawns };
}

function plus(one: Usage, other: Partial<Usage>): Usage {
  const sum = (key: keyof Usage) => (one[key] ?? 0) + (other[key] ?? 0);
  return {
    input: sum("input"),
    output: sum("output"),
    cached: sum("cached"),
    written: sum("written"),
    reasoning: sum("reasoning"),
  };
}

/** How long a run was at work. The time between two processes does not count. */
function timeOf(run: string, log: RunLog): number {
  const events = log.eventsOf(run);
  return events.reduce((sum, { seq, at }, index) => {
    const before = events[index - 1];
    if (!before || log.takenOver.some((taken) => before.seq < taken && taken <= seq)) return sum;
    return sum + Math.max(0, at - before.at);
  }, 0);
}
