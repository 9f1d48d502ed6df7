import type { PooledView, PoolStats } from "../agents/pool.ts";
import { type Cell, toLines } from "./table.ts";
import { type Terminal, visibleLine } from "./terminal.ts";
import { describeDuration } from "./time.ts";

/** A pool of agents in lines for people. */
export function describePool(stats: PoolStats, terminal: Terminal): readonly string[] {
  const { total, max, inUse, maxIdleMs, instances } = stats;
  const kept = `${total} of ${max} agents kept warm, ${inUse} at work; idle ones go after ${describeDuration(maxIdleMs)}`;
  const rows = instances.map((one) => toRow(one, terminal));
  return [kept, ...toLines(rows, terminal.columns)];
}

function toRow({ key, session, busy, uses, ageMs, idleMs }: PooledView, { style }: Terminal): readonly Cell[] {
  return [
    { text: visibleLine(key), show: (text) => style("bold", text) },
    {
      text: busy ? "busy" : `idle for ${describeDuration(idleMs)}`,
      show: (text) => style(busy ? "cyan" : "dim", text),
    },
    { text: `${uses} ${uses === 1 ? "use" : "uses"}` },
    { text: `${describeDuration(ageMs)} old` },
    { text: session.slice(0, 8) },
  ];
}
