import type { RunRecord, RunStatus } from "../../agents/session-records.ts";
import type { CommandInput } from "../command.ts";
import { EXIT } from "../exit-code.ts";
import { withSessions } from "../session-log.ts";
import { type Cell, toLines } from "../table.ts";
import { type Style, type Terminal, visibleLine } from "../terminal.ts";
import { describeTime } from "../time.ts";
import { parseCount } from "./log-filter.ts";

const COUNT = "20";

/** Lists the runs of agents, the newest first. */
export async function runs(input: CommandInput): Promise<number> {
  const { options, terminal } = input;
  const { last = COUNT, status } = options as { readonly last?: string; readonly status?: string };
  const most = parseCount("--last", last, 1);
  return withSessions(input, async (sessions) => {
    const all = await sessions.runs();
    const found = all.filter((run) => status === undefined || run.status === status).slice(0, most);
    if (options.json) terminal.print(JSON.stringify({ runs: found }, null, 2));
    else
      for (const line of toLines(
        found.map((run) => toRow(run, terminal)),
        terminal.columns,
      ))
        terminal.print(line);
    if (found.length === 0) terminal.note(status === undefined ? "No agent has run here" : `No run is ${status}`);
    if (found.some((run) => run.status === "interrupted"))
      terminal.note("Go on with what was interrupted: pegboard resume");
    return EXIT.done;
  });
}

function toRow({ run, session, agent, status, startedAt, turns, cost, prompt }: RunRecord, terminal: Terminal): Cell[] {
  return [
    { text: run.slice(0, 8), show: (text) => terminal.style("bold", text) },
    toStatusCell(status, terminal),
    { text: describeTime(startedAt), show: (text) => terminal.style("dim", text) },
    { text: session.slice(0, 8) },
    { text: visibleLine(agent) },
    { text: `${turns} ${turns === 1 ? "turn" : "turns"}` },
    { text: `$${cost.toFixed(4)}` },
    { text: visibleLine(prompt) },
  ];
}

const STYLES: Partial<Record<string, Style>> = {
  running: "cyan",
  waiting: "yellow",
  interrupted: "yellow",
  completed: "green",
  failed: "red",
};

/** How something stands, in its colour. */
export function toStatusCell(status: RunStatus | "open" | "closed", { style }: Terminal): Cell {
  return { text: status, show: (text) => style(STYLES[status] ?? "dim", text) };
}
