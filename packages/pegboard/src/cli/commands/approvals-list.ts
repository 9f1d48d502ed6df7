import { type ApprovalRecord, listApprovals } from "../../core/inbox.ts";
import type { CommandInput } from "../command.ts";
import { EXIT } from "../exit-code.ts";
import { type Cell, toLines } from "../table.ts";
import { type Terminal, visibleLine } from "../terminal.ts";
import { describeDuration } from "../time.ts";
import { withLog } from "./log-store.ts";

/** Lists the approval requests that nobody has answered, of every process. */
export async function approvalsList(input: CommandInput): Promise<number> {
  const { options, terminal } = input;
  return withLog(input, async (store) => {
    const approvals = await listApprovals(store);
    if (options.json) terminal.print(JSON.stringify({ approvals }, null, 2));
    else
      for (const line of toLines(
        approvals.map((approval) => toRow(approval, terminal)),
        terminal.columns,
      ))
        terminal.print(line);
    if (approvals.length === 0) terminal.note("Nothing waits for an answer");
    return EXIT.done;
  });
}

function toRow({ id, status, expiresAt, session, tool, summary }: ApprovalRecord, { style }: Terminal): Cell[] {
  const waiting = status === "waiting";
  return [
    { text: id.slice(0, 8), show: (text) => style("bold", text) },
    {
      text: waiting ? `waiting, ${describeDuration(expiresAt - Date.now())} left` : status,
      show: (text) => style(waiting ? "yellow" : "dim", text),
    },
    { text: session.slice(0, 8) },
    { text: visibleLine(tool), show: (text) => style("bold", text) },
    { text: visibleLine(summary) },
  ];
}
