import { createHash } from "node:crypto";
import type { Event, Store } from "pegboard";
import { verifyLog } from "pegboard/node";

/** What a log says about one call. */
export interface LoggedCall {
  readonly session: string;
  tool?: string;
  /** The sequence number of its intent. */
  executed?: number;
  ended?: Extract<Event, { type: "call-end" }>;
}

/** Reads a log piece by piece. Throws where it contradicts itself: a gap, a second outcome, an outcome of nothing. */
export class LogReader {
  readonly calls = new Map<string, LoggedCall>();
  readonly events: Event[] = [];
  readonly #last = new Map<string, number>();
  #position = 0;

  /** Reads what was added since. */
  async catchUp(store: Store): Promise<void> {
    for (;;) {
      const { events, position } = await store.scan(this.#position, 1_000);
      this.#position = position;
      for (const event of events) this.#add(event);
      if (events.length === 0) return;
    }
  }

  /** The newest sequence number of a session. */
  last(session: string): number {
    return this.#last.get(session) ?? 0;
  }

  /** The calls with an intent and without an outcome. */
  get open(): readonly string[] {
    return [...this.calls].filter(([, { executed, ended }]) => executed !== undefined && !ended).map(([id]) => id);
  }

  /** The calls of which nobody knows how they ended. */
  get interrupted(): readonly string[] {
    return [...this.calls].filter(([, { ended }]) => ended?.data.error?.code === "interrupted").map(([id]) => id);
  }

  #add(event: Event): void {
    const { session, seq, type, call: id } = event;
    const next = this.last(session) + 1;
    if (seq !== next) throw new Error(`Session ${session} has event ${seq} where event ${next} is next`);
    this.#last.set(session, seq);
    this.events.push(event);
    if (id === undefined) return;
    const call: LoggedCall = this.calls.get(id) ?? { session };
    this.calls.set(id, call);
    if (type === "call-start") call.tool = event.data.tool;
    // A call that was refused because its start could not be recorded still has an end when that can be.
    else if (call.tool === undefined && !(type === "call-end" && event.data.error?.code === "unavailable"))
      throw new Error(`Call ${id} has the event ${type} and never started`);
    if (call.ended && type !== "execute-end" && type !== "call-progress")
      throw new Error(`Call ${id} has the event ${type} after its end`);
    if (type === "execute-start") call.executed = seq;
    if (type === "call-end") call.ended = event;
  }
}

/** Throws unless a database passes the audit. Resolves to how many records it has. */
export async function verify(file: string): Promise<number> {
  const { records, problem } = await verifyLog(file);
  if (problem) throw new Error(`Record ${problem.position} is bad: ${problem.message}`);
  return records;
}

/** The digest of a text as blobs are digested. */
export function digestText(text: string): string {
  return createHash("sha256").update(Buffer.from(text, "utf16le")).digest("hex");
}
