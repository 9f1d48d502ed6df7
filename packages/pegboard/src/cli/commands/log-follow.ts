import { existsSync } from "node:fs";
import { setTimeout } from "node:timers/promises";
import type { Event } from "../../core/event.ts";
import { sqliteStore } from "../../node/sqlite.ts";
import type { EventFilter } from "../../stores/event-filter.ts";
import type { Store } from "../../stores/store.ts";
import { EXIT } from "../exit-code.ts";

const POLL_MS = 200;
const PAGE = 500;

/**
 * Shows the newest `last` events and then every new one, of whatever process, until Ctrl-C or until nobody reads any more.
 * Waits for a log that is not there yet.
 */
export async function followLog(
  file: string,
  last: number,
  toFilter: (store: Store) => Promise<EventFilter>,
  show: (events: readonly Event[]) => void,
): Promise<number> {
  const controller = new AbortController();
  const { signal } = controller;
  let code: number = EXIT.interrupted;
  const stop = () => controller.abort();
  // `pegboard log --follow | head -1` ends the reader first; that is no interruption.
  const leave = () => {
    code = EXIT.done;
    stop();
  };
  process.once("SIGINT", stop).once("SIGTERM", stop);
  process.stdout.once("error", leave);
  while (!existsSync(file) && !signal.aborted) await pause(signal);
  const store = sqliteStore(file);
  try {
    if (!signal.aborted) await follow(store, last, await toFilter(store), show, signal);
  } finally {
    await store.close();
    process.removeListener("SIGINT", stop).removeListener("SIGTERM", stop);
    process.stdout.removeListener("error", leave);
  }
  return code;
}

async function follow(
  store: Store,
  last: number,
  filter: EventFilter,
  show: (events: readonly Event[]) => void,
  signal: AbortSignal,
): Promise<void> {
  // Where the log ends, before its newest events are read: what comes in between is met twice, and shown once.
  let { position } = await store.scan(0, 1, { from: Number.MAX_SAFE_INTEGER });
  const history = await store.read({ ...filter, last });
  const shown = new Set(history.map(toKey));
  show(history);
  while (!signal.aborted) {
    const page = await store.scan(position, PAGE, filter);
    position = page.position;
    show(page.events.filter((event) => !shown.delete(toKey(event))));
    if (page.events.length < PAGE) await pause(signal);
  }
}

function toKey({ session, seq }: Event): string {
  return `${session} ${seq}`;
}

async function pause(signal: AbortSignal): Promise<void> {
  await setTimeout(POLL_MS, undefined, { signal }).catch(() => {});
}
