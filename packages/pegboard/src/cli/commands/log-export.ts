import { resolve } from "node:path";
import { eventPages } from "../../core/event-pages.ts";
import { toJsonLines, writeEvents } from "../../node/event-file.ts";
import type { Store } from "../../stores/store.ts";
import type { CommandInput } from "../command.ts";
import { EXIT } from "../exit-code.ts";
import { toFilter, withSession } from "./log-filter.ts";
import { withLog } from "./log-store.ts";

/** Writes the whole log, or what the filters choose of it, as lines of JSON, to standard output or to a file. */
export async function logExport(input: CommandInput): Promise<number> {
  const { options, terminal } = input;
  const { output } = options as { output?: string };
  const filter = toFilter(options);
  return withLog(input, async (store: Store) => {
    const pages = eventPages(store, await withSession(filter, options, store));
    if (output !== undefined && output !== "-") {
      const events = await writeEvents(output, pages);
      if (options.json) terminal.print(JSON.stringify({ file: resolve(output), events }));
      else terminal.note(`Wrote ${events} events to ${resolve(output)}`);
      return EXIT.done;
    }
    for await (const events of pages) {
      terminal.print(toJsonLines(events).trimEnd());
      // A slow reader must not make this process hold the whole log.
      await terminal.flush();
    }
    return EXIT.done;
  });
}
