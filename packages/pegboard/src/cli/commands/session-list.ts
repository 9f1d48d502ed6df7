import type { SessionRecord } from "../../agents/session-records.ts";
import type { CommandInput } from "../command.ts";
import { EXIT } from "../exit-code.ts";
import { withSessions } from "../session-log.ts";
import { type Cell, toLines } from "../table.ts";
import { type Terminal, visibleLine } from "../terminal.ts";
import { describeTime } from "../time.ts";
import { parseCount } from "./log-filter.ts";
import { toStatusCell } from "./runs.ts";

const COUNT = "20";

/** Lists the sessions, the one that was used last first. */
export async function sessionList(input: CommandInput): Promise<number> {
  const { options, terminal } = input;
  const most = parseCount("--last", (options as { readonly last?: string }).last ?? COUNT, 1);
  return withSessions(input, async (sessions) => {
    const found = (await sessions.list()).slice(0, most);
    if (options.json) terminal.print(JSON.stringify({ sessions: found }, null, 2));
    else
      for (const line of toLines(
        found.map((one) => toRow(one, terminal)),
        terminal.columns,
      ))
        terminal.print(line);
    if (found.length === 0) terminal.note("There is no session");
    return EXIT.done;
  });
}

function toRow(
  { session, status, lastAt, client, runs, cost, prompt = "" }: SessionRecord,
  terminal: Terminal,
): Cell[] {
  return [
    { text: session.slice(0, 36), show: (text) => terminal.style("bold", text) },
    toStatusCell(status, terminal),
    { text: describeTime(lastAt), show: (text) => terminal.style("dim", text) },
    { text: visibleLine(client) },
    { text: `${runs.length} ${runs.length === 1 ? "run" : "runs"}` },
    { text: `$${cost.toFixed(4)}` },
    { text: visibleLine(prompt) },
  ];
}
