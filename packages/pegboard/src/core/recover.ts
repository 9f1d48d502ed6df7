import { PegboardError } from "./error.ts";
import type { Event, EventOf } from "./event.ts";
import type { EventSink } from "./log.ts";
import { toFailedResult } from "./result.ts";

/** What recovery needs of a store. */
export interface RecoverableStore extends EventSink {
  unfinished(): Promise<readonly Event[]>;
}

type Intent = EventOf<"execute-start">;

/**
 * Ends the calls whose process is gone: they were started and nobody knows how they ended, so their outcome on record is
 * `interrupted`. Resolves to how many there were. Processes that recover at the same time do not end a call twice. Those
 * that their run makes again when it goes on are left to it.
 */
export async function recover(store: RecoverableStore, isAlive: (process: string) => boolean): Promise<number> {
  const left = async () => (await store.unfinished()).filter((event): event is Intent => isLeft(event, isAlive));
  let ended = 0;
  for (let intents = await left(); intents.length > 0; intents = await left()) {
    const newest = await newestOf(store, intents);
    // Looked up after the numbers: whoever ends one of them in between takes a number, and the append is refused.
    const sessions = Map.groupBy(await left(), ({ session }) => session);
    const appended = Array.from(sessions, ([session, calls]) => endInterrupted(store, calls, newest.get(session)));
    for (const count of await Promise.all(appended)) ended += count;
  }
  return ended;
}

function isLeft({ type, call, data }: Event, isAlive: (process: string) => boolean): boolean {
  if (type !== "execute-start" || call === undefined) return false;
  const { process, again } = data as Intent["data"];
  if (again) return false;
  return process === undefined || !isAlive(process);
}

async function newestOf(store: RecoverableStore, intents: readonly Intent[]): Promise<ReadonlyMap<string, number>> {
  const newest = new Map<string, number>();
  for (const session of new Set(intents.map((intent) => intent.session))) {
    const [last] = await store.read({ session, last: 1 });
    if (last) newest.set(session, last.seq);
  }
  return newest;
}

/** Appends the ends of calls of one session. Resolves to their number; 0 when another process was faster with anything. */
async function endInterrupted(
  store: RecoverableStore,
  calls: readonly Intent[],
  newest: number | undefined,
): Promise<number> {
  // Found only by the second look: the next round has its number.
  if (newest === undefined) return 0;
  try {
    await store.append(calls.map((intent, index) => toEnd(intent, newest + 1 + index)));
    return calls.length;
  } catch (error) {
    if (error instanceof PegboardError && error.code === "duplicate") return 0;
    throw error;
  }
}

function toEnd({ session, run, call, parent, chain, data: { tool } }: Intent, seq: number): Event {
  const about = {
    ...(run !== undefined && { run }),
    ...(call !== undefined && { call }),
    ...(parent !== undefined && { parent }),
    ...(chain && { chain }),
  };
  return { v: 1, seq, at: Date.now(), type: "call-end", session, ...about, data: interruptedEnd(tool) };
}

/** The end of a call that was cut off: nobody knows whether it took effect. */
export function interruptedEnd(tool: string): EventOf<"call-end">["data"] {
  const message = `The process ended while tool "${tool}" ran: whether it took effect is not known, and it is not run again by itself`;
  const result = toFailedResult(new PegboardError("interrupted", message));
  return { tool, ok: false, ms: 0, error: { code: "interrupted", message }, result };
}
