import { eventPages } from "../../core/event-pages.ts";
import type { Event, EventData } from "../../core/event.ts";
import { isProcessAlive } from "../../node/process-identity.ts";
import type { Store } from "../../stores/store.ts";

/** A session as its log tells it, and why it must stay, if it must. */
export interface SessionSummary {
  readonly session: string;
  readonly events: number;
  readonly lastAt: number;
  /** Why somebody may still need it; absent when nobody does. */
  readonly inUse?: string;
}

/** All sessions in the log, the one that was used last at the end. Reads the whole log; keeps a little of each session. */
export async function readSessions(store: Store): Promise<readonly SessionSummary[]> {
  const sessions = new Map<string, Tally>();
  for await (const page of eventPages(store)) {
    for (const event of page) {
      let tally = sessions.get(event.session);
      if (!tally) sessions.set(event.session, (tally = createTally()));
      count(event, tally);
    }
  }
  const open = new Set((await store.unfinished()).map(({ session }) => session));
  const now = Date.now();
  return Array.from(sessions, ([session, tally]) => {
    const inUse = whyInUse(tally, open.has(session), now);
    return { session, events: tally.events, lastAt: tally.lastAt, ...(inUse !== undefined && { inUse }) };
  }).sort((a, b) => a.lastAt - b.lastAt);
}

interface Tally {
  events: number;
  lastAt: number;
  /** How often it was taken up and not given back; a process that was killed gives nothing back. */
  held: number;
  readonly processes: Set<string>;
  /** When the requests expire that were not answered, by their ids. */
  readonly asked: Map<string, number>;
}

function createTally(): Tally {
  return { events: 0, lastAt: -Infinity, held: 0, processes: new Set(), asked: new Map() };
}

function count({ type, at, data }: Event, tally: Tally): void {
  tally.events++;
  tally.lastAt = Math.max(tally.lastAt, at);
  if (type === "session-start") {
    tally.held++;
    const { process } = data as EventData["session-start"];
    if (process !== undefined) tally.processes.add(process);
  }
  if (type === "session-end") tally.held--;
  if (type === "approval-request") tally.asked.set(data.id, data.expiresAt);
  if (type === "approval-response") tally.asked.delete(data.id);
}

function whyInUse({ held, processes, asked }: Tally, open: boolean, now: number): string | undefined {
  if (held > 0 && [...processes].some(isProcessAlive)) return "a living process holds it";
  if (open) return "a call has no outcome yet";
  return [...asked.values()].some((expiresAt) => expiresAt > now) ? "an approval request waits" : undefined;
}
