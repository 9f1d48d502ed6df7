import type { Event } from "../../core/event.ts";
import type { EventFilter } from "../../stores/event-filter.ts";
import type { CommandInput } from "../command.ts";
import { describeEvent } from "../event-line.ts";
import { EXIT } from "../exit-code.ts";
import { toLines } from "../table.ts";
import type { Terminal } from "../terminal.ts";
import { parseCount, toFilter, withSession } from "./log-filter.ts";
import { followLog } from "./log-follow.ts";
import { logFile, withLog } from "./log-store.ts";

/** Shows the newest events of the log, and with `--follow` those that come. */
export async function log(input: CommandInput): Promise<number> {
  const { options, terminal } = input;
  const { last = "50", skip = "0", follow } = options as { last?: string; skip?: string; follow?: boolean };
  const filter = toFilter(options);
  const page = { last: parseCount("--last", last, 1), skip: parseCount("--skip", skip, 0) };
  const show = (events: readonly Event[]) => showEvents(events, options.json === true, terminal);
  if (follow) return followLog(logFile(options), page.last, (store) => withSession(filter, options, store), show);
  return withLog(input, async (store) => {
    const wanted: EventFilter = await withSession(filter, options, store);
    const newest = await store.read({ ...wanted, last: page.last + page.skip });
    const events = newest.slice(0, Math.max(0, newest.length - page.skip)).slice(-page.last);
    show(events);
    if (events.length === 0) terminal.note("No event is like that");
    return EXIT.done;
  });
}

function showEvents(events: readonly Event[], json: boolean, terminal: Terminal): void {
  const lines = json
    ? events.map((event) => JSON.stringify(event))
    : toLines(
        events.map((event) => describeEvent(event, terminal.style)),
        terminal.columns,
      );
  for (const line of lines) terminal.print(line);
}
