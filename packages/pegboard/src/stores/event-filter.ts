import type { Event, EventType } from "../core/event.ts";

/** Which events are meant. Absent fields do not restrict. */
export interface EventFilter {
  readonly session?: string;
  /** Only events with at least this sequence number. */
  readonly from?: number;
  readonly type?: EventType;
  readonly tool?: string;
  readonly call?: string;
  /** The agent that acted: the last of the chain. */
  readonly agent?: string;
  /** Of policy or of an approver: `preApproved`, `ask`, `allow`, `deny`, … */
  readonly decision?: string;
  /** Milliseconds since 1970, both inclusive. */
  readonly since?: number;
  readonly until?: number;
}

/** Whether an event is meant by a filter. */
export function matchesFilter(event: Event, filter: EventFilter): boolean {
  const data = event.data as { readonly tool?: unknown; readonly decision?: unknown };
  return (
    same(filter.session, event.session) &&
    same(filter.type, event.type) &&
    same(filter.tool, data.tool) &&
    same(filter.call, event.call) &&
    same(filter.agent, event.chain?.at(-1)) &&
    same(filter.decision, data.decision) &&
    event.seq >= (filter.from ?? 0) &&
    event.at >= (filter.since ?? -Infinity) &&
    event.at <= (filter.until ?? Infinity)
  );
}

function same(wanted: unknown, found: unknown): boolean {
  return wanted === undefined || wanted === found;
}
