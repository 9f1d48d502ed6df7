import { PegboardError } from "../core/error.ts";
import type { BlobStore } from "../core/blob.ts";
import type { Event } from "../core/event.ts";
import { sha256Units } from "../core/json.ts";
import type { FileStore, FileVersion } from "../core/vfs.ts";
import { matchesFilter } from "./event-filter.ts";
import { checkSequence } from "./sequence.ts";
import type { EventQuery, Store } from "./store.ts";

/** A store that lives as long as the process. It keeps the very objects it is given. */
export function memoryStore(): Store {
  let log: (Event | undefined)[] = [];
  // Event n of a session stands at n - 1, so that a session's tail is found without a search.
  const sessions = new Map<string, Event[]>();
  const texts = new Map<string, Map<string, string>>();
  let closed = false;

  function open(): void {
    if (closed) throw new PegboardError("unavailable", "The store is closed: open a new one");
  }

  function put(events: readonly Event[]): void {
    open();
    const first = events[0];
    if (first === undefined) return;
    const known = sessions.get(first.session);
    checkSequence(events, (known?.length ?? 0) + 1);
    const session = known ?? [];
    if (known === undefined) sessions.set(first.session, session);
    for (const event of events) {
      session.push(event);
      log.push(event);
    }
  }

  return {
    append(events) {
      try {
        put(events);
      } catch (error) {
        return Promise.reject(error as Error);
      }
    },
    async read(query = {}) {
      open();
      return select(query.session === undefined ? log : (sessions.get(query.session) ?? []), query);
    },
    async scan(after, limit, filter = {}) {
      open();
      const events: Event[] = [];
      let position = after;
      while (position < log.length && events.length < limit) {
        const event = log[position++];
        if (event && matchesFilter(event, filter)) events.push(event);
      }
      return { events, position };
    },
    async unfinished() {
      open();
      const ended = new Set(log.flatMap((event) => (event?.type === "call-end" ? [callKey(event)] : [])));
      return log.filter((event): event is Event => event?.type === "execute-start" && !ended.has(callKey(event)));
    },
    async prune({ before, keep = [], only }) {
      open();
      const old = [...sessions].filter(
        ([id, events]) => events.at(-1)!.at < before && !keep.includes(id) && (only?.includes(id) ?? true),
      );
      for (const [id] of old) {
        sessions.delete(id);
        texts.delete(id);
      }
      const forgotten = new Set(old.map(([id]) => id));
      // Positions stay: a reader that follows goes on where it was.
      log = log.map((event) => (event && forgotten.has(event.session) ? undefined : event));
      return { sessions: old.length, events: old.reduce((sum, [, events]) => sum + events.length, 0) };
    },
    shared: false,
    blobs: memoryBlobs(open, texts),
    files: memoryFiles(open),
    async close() {
      closed = true;
      log = [];
      sessions.clear();
      texts.clear();
    },
  };
}

function memoryBlobs(open: () => void, texts: Map<string, Map<string, string>>): BlobStore {
  return {
    async write(session, call, text) {
      open();
      texts.set(session, (texts.get(session) ?? new Map<string, string>()).set(call, text));
      return { characters: text.length, sha256: await sha256Units(text) };
    },
    async read(session, call, offset, length) {
      open();
      const text = texts.get(session)?.get(call);
      return text === undefined ? undefined : { text: text.slice(offset, offset + length), characters: text.length };
    },
  };
}

function memoryFiles(open: () => void): FileStore {
  const files = new Map<string, readonly FileVersion[]>();

  return {
    async read(path) {
      open();
      return files.get(path)?.at(-1);
    },
    async write(file, keep) {
      open();
      const versions = files.get(file.path) ?? [];
      const written = { ...file, version: (versions.at(-1)?.version ?? 0) + 1 };
      files.set(file.path, [...versions, written].slice(-keep));
      return written;
    },
    async list() {
      open();
      return [...files.keys()].sort();
    },
    async history(path) {
      open();
      return files.get(path) ?? [];
    },
    async delete(path) {
      open();
      return files.delete(path);
    },
  };
}

/** `events` is the whole log or one session. With `last` it is walked from the newest, so that a tail costs its own size. */
function select(events: readonly (Event | undefined)[], query: EventQuery): readonly Event[] {
  const { limit = Infinity, last, ...filter } = query;
  const start = filter.session === undefined ? 0 : Math.max(0, (filter.from ?? 1) - 1);
  const backwards = last !== undefined;
  const most = last ?? limit;

  const found: Event[] = [];
  for (let step = 0; step < events.length - start && found.length < most; step++) {
    const event = events[backwards ? events.length - 1 - step : start + step];
    if (event && matchesFilter(event, filter)) found.push(event);
  }
  return backwards ? found.reverse().slice(0, limit) : found;
}

function callKey({ session, call }: Event): string {
  return `${session} ${call}`;
}
