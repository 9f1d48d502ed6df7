import { eventPages } from "../../core/event-pages.ts";
import { isProcessAlive } from "../../node/process-identity.ts";
import { createMetrics, type ToolMetrics } from "../../observe/metrics.ts";
import type { CommandInput } from "../command.ts";
import { EXIT } from "../exit-code.ts";
import { type Cell, toLines } from "../table.ts";
import { type Terminal, visibleLine } from "../terminal.ts";
import { toFilter, withSession } from "./log-filter.ts";
import { withLog } from "./log-store.ts";

/** Shows what the log says about each tool: calls, failures, durations, approvals. */
export async function stats(input: CommandInput): Promise<number> {
  const { options, terminal } = input;
  const filter = toFilter(options);
  return withLog(input, async (store) => {
    const metrics = createMetrics({ isAlive: isProcessAlive });
    for await (const page of eventPages(store, await withSession(filter, options, store))) metrics.add(page);
    const tools = metrics.snapshot();
    if (options.json) terminal.print(JSON.stringify({ tools }, null, 2));
    else if (tools.length > 0) for (const line of describe(tools, terminal)) terminal.print(line);
    if (tools.length === 0) terminal.note("No call is in the log");
    return EXIT.done;
  });
}

const TITLES = [
  "tool",
  "agent",
  "calls",
  "in flight",
  "p50 ms",
  "p95 ms",
  "max ms",
  "asked",
  "denied",
  "expired",
  "errors",
];

function describe(tools: readonly ToolMetrics[], { style, columns }: Terminal): readonly string[] {
  const titles: readonly Cell[] = TITLES.map((text) => ({ text, show: (title) => style("dim", title) }));
  return toLines([titles, ...tools.map((tool) => toRow(tool, style))], columns);
}

function toRow(
  { tool, agent = "-", calls, inFlight, durations, approvals, errors }: ToolMetrics,
  style: Terminal["style"],
): readonly Cell[] {
  const { p50, p95, max } = durations;
  const { asked, denied, expired } = approvals;
  const numbers = [calls, inFlight, p50, p95, max, asked, denied, expired];
  const failures = Object.entries(errors).map(([code, count]) => `${code} ${count}`);
  return [
    { text: visibleLine(tool), show: (text) => style("bold", text) },
    { text: visibleLine(agent) },
    ...numbers.map((number) => ({ text: String(number) })),
    { text: failures.join(", ") || "-", show: (text) => (failures.length > 0 ? style("red", text) : text) },
  ];
}
