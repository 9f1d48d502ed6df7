import { type Event, memoryStore, type Store } from "pegboard";

/** A store in which a log ends after so many events, as when the process that wrote it was killed. */
export async function cutLog(whole: readonly Event[], kept: number): Promise<Store> {
  const store = memoryStore();
  for (const event of whole.slice(0, kept)) await store.append([event]);
  return store;
}

/** After how many events a process can have been killed that had the first run of a log at work. */
export function* cuts(whole: readonly Event[]): Generator<number> {
  const started = whole.findIndex(({ type }) => type === "run-start") + 1;
  const ended = whole.findIndex(({ type, parent }) => type === "run-end" && parent === undefined);
  for (let kept = started; kept <= ended; kept++) yield kept;
}
