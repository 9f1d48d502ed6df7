import type { RunLog, TaskState } from "./run-log.ts";
import { type RunState, toRunState } from "./run-state.ts";

/** Where a run goes on whose process ended: what the log tells of it, and of what it had started. */
export class Resumption {
  readonly state: RunState;
  readonly log: RunLog;
  readonly #taken = new Map<string, number>();

  constructor(state: RunState, log: RunLog) {
    this.state = state;
    this.log = log;
  }

  /** The work that a call had given away. */
  taskOf(call: string): TaskState | undefined {
    return this.log.tasksOf(this.state.id).find(({ start }) => start.parent === call);
  }

  /** Whether a call had started a run that nothing goes on with yet. */
  hasNext(call: string): boolean {
    return this.log.startedBy(call).length > (this.#taken.get(call) ?? 0);
  }

  /**
   * The next run that a call had started, each one once, in their order: a call that is made again starts the same runs
   * again, and goes on with them instead.
   */
  nextOf(call: string): Resumption | undefined {
    const taken = this.#taken.get(call) ?? 0;
    const run = this.log.startedBy(call)[taken];
    const state = run === undefined ? undefined : toRunState(run, this.log);
    if (!state) return undefined;
    this.#taken.set(call, taken + 1);
    return new Resumption(state, this.log);
  }

  /** Leaves the runs out that a call had started before the log had this number. */
  passOver(call: string, until: number): void {
    const started = this.log.startedBy(call);
    const before = started.filter((run) => this.log.start(run)!.seq < until).length;
    this.#taken.set(call, Math.max(before, this.#taken.get(call) ?? 0));
  }
}
