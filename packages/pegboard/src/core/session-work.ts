import type { Result } from "@pegboard/contract";
import type { Call } from "./call.ts";
import { cancelled, type Control } from "./control.ts";
import { PegboardError } from "./error.ts";
import { toFailedResult } from "./result.ts";
import type { Run } from "./run.ts";

/** The calls and runs that one session has at work, by their ids. */
export class SessionWork {
  readonly #session: string;
  readonly #limit: number;
  #calls: Map<string, { readonly control: Control; readonly done: Promise<unknown> }> | undefined;
  #runs: Map<string, Run> | undefined;
  #running = 0;
  #made = 0;
  #ended = false;

  /** `limit` is how many calls may run at once. */
  constructor(session: string, limit: number) {
    this.#session = session;
    this.#limit = limit;
  }

  /** How many calls were made. */
  get made(): number {
    return this.#made;
  }

  /** Whether a call or a run is at work. */
  get busy(): boolean {
    return (this.#calls?.size ?? 0) + (this.#runs?.size ?? 0) > 0;
  }

  /** Why there can be no more work; absent as long as there can. */
  get problem(): PegboardError | undefined {
    return this.#ended ? new PegboardError("unavailable", `Session "${this.#session}" is closed`) : undefined;
  }

  /** Makes a call known as long as it runs, so that it can be cancelled by its id. Rejects as little as `make` does: never. */
  track({ id, control }: Call, make: () => Promise<Result>): Promise<Result> {
    const calls = (this.#calls ??= new Map());
    const problem = this.problem ?? (calls.has(id) ? duplicate(id) : undefined);
    if (problem) {
      control[Symbol.dispose]();
      return Promise.resolve(toFailedResult(problem));
    }
    const done = make();
    calls.set(id, { control, done });
    this.#made++;
    return done.then((result) => {
      calls.delete(id);
      control[Symbol.dispose]();
      return result;
    });
  }

  /** Takes a place among the calls that run at once, or throws `busy`. Returns how to leave it. */
  enter(): () => void {
    if (this.#running >= this.#limit)
      throw new PegboardError("busy", `${this.#limit} calls of this session are running already; try again later`, {
        retryable: true,
      });
    this.#running++;
    return () => void this.#running--;
  }

  /** Makes a run known as long as it is at work. */
  keep(run: Run): Run {
    const runs = (this.#runs ??= new Map());
    runs.set(run.id, run);
    void run.result.then(() => runs.delete(run.id));
    return run;
  }

  /** Cancels a call. Whether there was one. */
  cancelCall(id: string): boolean {
    const call = this.#calls?.get(id);
    call?.control.cancel(cancelled("The call was cancelled"));
    return call !== undefined;
  }

  /** Cancels all calls and runs. How many there were. */
  cancelAll(why = "The call was cancelled"): number {
    for (const { control } of this.#calls?.values() ?? []) control.cancel(cancelled(why));
    for (const run of this.#runs?.values() ?? []) run.cancel();
    return (this.#calls?.size ?? 0) + (this.#runs?.size ?? 0);
  }

  /** Takes no more work, cancels what there is and waits for it. */
  async end(): Promise<void> {
    this.#ended = true;
    const calls = Array.from(this.#calls?.values() ?? [], ({ done }) => done);
    const runs = Array.from(this.#runs?.values() ?? [], ({ result }) => result);
    this.cancelAll("The session was closed");
    await Promise.all([...calls, ...runs]);
  }
}

function duplicate(id: string): PegboardError {
  return new PegboardError("duplicate", `A call with the id "${id}" is running already`);
}
