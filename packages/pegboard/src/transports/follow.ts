import type { Event } from "../core/event.ts";
import type { Session } from "../core/session.ts";
import { joinPieces } from "./join-pieces.ts";

/** Which events of a session are followed. */
export interface FollowOptions {
  readonly session: Session;
  /** Reads the log of the session from a sequence number on. */
  read(from: number, limit: number): Promise<readonly Event[]>;
  /** The first sequence number; absent is what comes from now on. */
  readonly from?: number;
  /** Only events that it says yes to. It is asked in their order, about some more than once. */
  readonly belongs?: (event: Event) => boolean;
  /** Ends it: what is on record by then is still told. */
  readonly until: Promise<unknown>;
}

/**
 * The events of a session, with those that only pass by. It listens from the moment this is called. Keeps little for a
 * reader that is slow: such a one reads on in the log, and misses what only passed by.
 */
export function followEvents({
  session,
  read,
  from,
  belongs = () => true,
  until,
}: FollowOptions): AsyncGenerator<Event> {
  let live: Event[] = [];
  /** How much is kept besides the first of them. */
  let characters = 0;
  /** The number behind the last event that was heard or read. */
  let next = from;
  /** Whether what comes next must be read from the log; nothing is kept meanwhile. */
  let behind = from !== undefined;
  let ended = false;
  let wake: (() => void) | undefined;

  const isFull = () => live.length >= MOST_LIVE || characters >= MOST_CHARACTERS;

  const listening = session.listen((event) => {
    if (behind) return;
    if (event.seq > 0) {
      // Another process wrote what is missing, or there is no room.
      if (event.seq !== (next ?? event.seq) || isFull()) behind = true;
      next = behind ? Math.min(next ?? event.seq, event.seq) : event.seq + 1;
    }
    const joined = joinPieces(live.at(-1), event);
    if (joined) live[live.length - 1] = joined;
    else if (!behind && !isFull() && belongs(event)) {
      // A reader that keeps up has nothing measured.
      if (live.length > 0) characters += lengthOf(event);
      live.push(event);
    }
    wake?.();
  });
  const end = () => {
    ended = true;
    wake?.();
  };
  void Promise.race([until, session.closed]).then(end, end);

  async function* follow(): AsyncGenerator<Event> {
    try {
      for (;;) {
        const over = ended;
        characters = 0;
        yield* live.splice(0);
        if (behind) yield* catchUp();
        else if (over && live.length === 0) return;
        if (!ended && !behind && live.length === 0) await new Promise<void>((resolve) => (wake = resolve));
        wake = undefined;
      }
    } finally {
      listening[Symbol.dispose]();
    }
  }

  async function* catchUp(): AsyncGenerator<Event> {
    for (;;) {
      const page = await read(next!, PAGE);
      for (const event of page) {
        next = event.seq + 1;
        if (belongs(event)) yield event;
      }
      if (page.length === PAGE) continue;
      // From here on it listens; what was written while it did not is found by a second look.
      const at = next!;
      behind = false;
      if ((await read(at, 1)).length === 0) return;
      behind = true;
      next = at;
      live = [];
      characters = 0;
    }
  }

  return follow();
}

/** About how long a value is as text. */
function lengthOf(value: unknown): number {
  if (typeof value === "string") return value.length;
  if (typeof value !== "object" || value === null) return 8;
  if (ArrayBuffer.isView(value)) return value.byteLength;
  return Object.values(value).reduce((sum: number, part) => sum + lengthOf(part), 16);
}

const MOST_LIVE = 256;
const MOST_CHARACTERS = 1024 * 1024;
const PAGE = 256;
