import type { Event } from "../../core/event.ts";
import { answerSchema, type CommandsOf, objectSchema } from "./command.ts";
import type { EventPage } from "./command-types.ts";
import { followEvents } from "../follow.ts";
import { withoutBytes } from "./placeholder.ts";

/** How many events a client gets at once that takes no stream. */
const PAGE = 1_000;

/** How a client reads the log of a session. */
export const EVENT_COMMANDS: CommandsOf<"events"> = {
  events: {
    description: "Tells the events of a session from a sequence number on, and with follow what comes",
    session: "required",
    streams: true,
    params: objectSchema({
      from: { type: "integer", minimum: 1, description: "The first sequence number; 1 when absent" },
      follow: { type: "boolean", description: "Goes on until it is cancelled or the session is closed" },
    }),
    result: answerSchema({ next: { type: "integer" } }),
    handle: async ({ from = 1, follow = false }, { session: find, desk, signal, emit }): Promise<EventPage> => {
      const session = await find();
      const read = (first: number, limit: number) =>
        desk.runtime.store.read({ session: session.id, from: first, limit });
      if (!emit) {
        const events = await read(from, PAGE);
        return { next: behind(events.at(-1), from), events: events.map(withoutBytes) };
      }
      const until = follow ? aborted(signal) : Promise.resolve();
      let next = from;
      for await (const event of followEvents({ session, read, from, until })) {
        if (signal.aborted) break;
        await emit(event);
        next = behind(event, next);
      }
      return { next };
    },
  },
};

function behind(event: Event | undefined, from: number): number {
  return event && event.seq > 0 ? event.seq + 1 : from;
}

function aborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((resolve) => signal.addEventListener("abort", () => resolve(), { once: true }));
}
