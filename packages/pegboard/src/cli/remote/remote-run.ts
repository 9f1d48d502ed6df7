import type { Event } from "../../core/event.ts";
import type { Run } from "../../core/run.ts";
import type { RunResult } from "../../core/run-result.ts";

/** How a run at a server is watched. */
export interface WatchRemote {
  readonly agent: string;
  cancel(): void;
  /** Is shown every event before whoever reads the run. */
  onEvent(event: Event): void;
}

/** A run at a server as one that is watched here. It has one reader, without whom it does not go on. */
export async function toRun(
  events: AsyncGenerator<Event, RunResult, undefined>,
  { agent, cancel, onEvent }: WatchRemote,
): Promise<Run> {
  const done = Promise.withResolvers<RunResult>();
  // Whoever reads hears of it too.
  done.promise.catch(() => {});
  let next = await events.next();

  async function* read(): AsyncGenerator<Event, void, undefined> {
    try {
      for (; !next.done; next = await events.next()) {
        onEvent(next.value);
        yield next.value;
      }
      done.resolve(next.value);
    } catch (error) {
      done.reject(error as Error);
      throw error;
    }
  }

  return {
    id: (next.done ? next.value.run : next.value.run) ?? "",
    agent,
    result: done.promise,
    cancel,
    [Symbol.asyncIterator]: read,
  };
}
