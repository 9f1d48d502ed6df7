import type { Event } from "./event.ts";

/** A log that can be read piece by piece, from a position on. */
export interface PagedLog<Filter> {
  scan(
    after: number,
    limit: number,
    filter?: Filter,
  ): Promise<{ readonly events: readonly Event[]; readonly position: number }>;
}

const PAGE = 500;

/** Everything in the log that matches, oldest first, in pages: as much memory as one of them takes, however long the log is. */
export async function* eventPages<Filter>(
  log: PagedLog<Filter>,
  filter?: Filter,
): AsyncGenerator<readonly Event[], void, undefined> {
  let position = 0;
  for (;;) {
    const page = await log.scan(position, PAGE, filter);
    if (page.events.length > 0) yield page.events;
    if (page.events.length < PAGE) return;
    position = page.position;
  }
}
