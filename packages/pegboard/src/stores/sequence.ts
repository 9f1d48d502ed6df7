import { PegboardError } from "../core/error.ts";
import type { Event } from "../core/event.ts";

/** Throws `duplicate`, with the number that is next, unless the events are of one session and numbered from `next` on without a gap. */
export function checkSequence(events: readonly Event[], next: number): void {
  const session = events[0]?.session;
  let seq = next;
  for (const event of events) {
    if (event.session !== session || event.seq !== seq) {
      throw new PegboardError(
        "duplicate",
        `Cannot append event ${event.seq} of session "${event.session}" where event ${seq} of session "${session}" is next: another writer may have taken its place`,
        { details: { next } },
      );
    }
    seq++;
  }
}
