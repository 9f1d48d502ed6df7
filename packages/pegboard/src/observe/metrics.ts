import type { ErrorCode } from "@pegboard/contract";
import type { Event } from "../core/event.ts";
import { createHistogram, type Durations, type Histogram } from "./histogram.ts";

/** What one tool did for one agent, or for callers that are none. */
export interface ToolMetrics {
  readonly tool: string;
  readonly agent?: string;
  readonly calls: number;
  /** Failed calls, by the code of their error. */
  readonly errors: Readonly<Partial<Record<ErrorCode, number>>>;
  readonly timeouts: number;
  readonly interrupted: number;
  /** Of calls that ended, failed ones included; of interrupted ones nobody knows it. */
  readonly durations: Durations;
  /** Calls that started and have not ended. */
  readonly inFlight: number;
  readonly approvals: Readonly<Record<"asked" | "allowed" | "denied" | "expired" | "cancelled", number>>;
}

/** Numbers about calls, made of the events that are added. */
export interface Metrics {
  /** Events in the order of the log; each once. */
  add(events: readonly Event[]): void;
  /** One entry for each tool and agent, by name. */
  snapshot(): readonly ToolMetrics[];
}

/** How metrics are made. */
export interface MetricsOptions {
  /** Tells processes that are gone: what they left open is not in flight. */
  isAlive?(process: string): boolean;
}

/**
 * A reader of the log that counts. It takes memory for each tool and for what is open, not for each event. Names come from
 * callers: what exceeds the first 1,000 pairs of tool and agent is counted as one tool named `(others)`.
 */
export function createMetrics(options: MetricsOptions = {}): Metrics {
  const rows = new Map<string, Row>();
  const holders = new Map<string, string>();
  const open = new Map<string, { readonly row: Row; readonly process: string | undefined }>();
  const asked = new Map<string, Row>();

  function rowOf({ chain }: Event, tool: string): Row {
    const agent = chain?.at(-1);
    const key = JSON.stringify([tool, agent]);
    const known = rows.get(key);
    if (known) return known;
    const full = rows.size >= MOST_ROWS;
    const row = full ? (rows.get(OTHERS) ?? createRow(OTHERS, undefined)) : createRow(tool, agent);
    rows.set(full ? OTHERS : key, row);
    return row;
  }

  function add(event: Event): void {
    const { session, call } = event;
    const key = `${session} ${call}`;
    switch (event.type) {
      case "session-start":
        if (event.data.process !== undefined) holders.set(session, event.data.process);
        return;
      case "session-end":
        holders.delete(session);
        return;
      case "call-start": {
        const row = rowOf(event, event.data.tool);
        row.calls++;
        open.set(key, { row, process: holders.get(session) });
        return;
      }
      case "call-end": {
        const { tool, ms, error } = event.data;
        const row = open.get(key)?.row ?? rowOf(event, tool);
        open.delete(key);
        if (error) row.errors.set(error.code, (row.errors.get(error.code) ?? 0) + 1);
        if (error?.code !== "interrupted") row.durations.add(ms);
        return;
      }
      case "approval-request": {
        const row = rowOf(event, event.data.tool);
        row.approvals.asked++;
        asked.set(event.data.id, row);
        return;
      }
      case "approval-response": {
        const row = asked.get(event.data.id);
        // Of several answers the first counts.
        if (row) row.approvals[OUTCOMES[event.data.decision]]++;
        asked.delete(event.data.id);
      }
    }
  }

  return {
    add: (events) => events.forEach(add),
    snapshot() {
      const inFlight = new Map<Row, number>();
      for (const { row, process } of open.values()) {
        if (process !== undefined && options.isAlive?.(process) === false) continue;
        inFlight.set(row, (inFlight.get(row) ?? 0) + 1);
      }
      return Array.from(rows.values(), (row) => toMetrics(row, inFlight.get(row) ?? 0)).sort(byName);
    },
  };
}

const MOST_ROWS = 1_000;
const OTHERS = "(others)";
const OUTCOMES = { allow: "allowed", deny: "denied", expired: "expired", cancelled: "cancelled" } as const;

interface Row {
  readonly tool: string;
  readonly agent: string | undefined;
  calls: number;
  readonly errors: Map<ErrorCode, number>;
  readonly durations: Histogram;
  readonly approvals: Record<keyof ToolMetrics["approvals"], number>;
}

function createRow(tool: string, agent: string | undefined): Row {
  const approvals = { asked: 0, allowed: 0, denied: 0, expired: 0, cancelled: 0 };
  return { tool, agent, calls: 0, errors: new Map(), durations: createHistogram(), approvals };
}

function toMetrics({ tool, agent, calls, errors, durations, approvals }: Row, inFlight: number): ToolMetrics {
  return {
    tool,
    ...(agent !== undefined && { agent }),
    calls,
    errors: Object.fromEntries(errors),
    timeouts: errors.get("timeout") ?? 0,
    interrupted: errors.get("interrupted") ?? 0,
    durations: durations.summary(),
    inFlight,
    approvals: { ...approvals },
  };
}

function byName(a: ToolMetrics, b: ToolMetrics): number {
  if (a.tool !== b.tool) return a.tool < b.tool ? -1 : 1;
  return (a.agent ?? "") < (b.agent ?? "") ? -1 : 1;
}
