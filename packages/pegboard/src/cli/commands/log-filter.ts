import { parseDuration } from "../../core/duration.ts";
import { PegboardError } from "../../core/error.ts";
import { eventPages } from "../../core/event-pages.ts";
import type { EventType } from "../../core/event.ts";
import type { EventFilter } from "../../stores/event-filter.ts";
import type { Store } from "../../stores/store.ts";
import type { CommandInput } from "../command.ts";
import { EVENT_TYPES } from "../event-line.ts";

/** The options that choose events, as they were typed. */
interface FilterOptions {
  readonly session?: string;
  readonly tool?: string;
  readonly agent?: string;
  readonly type?: string;
  readonly decision?: string;
  readonly call?: string;
  readonly since?: string;
  readonly until?: string;
}

/** Which events are asked for, all but the session. Throws `invalid_config` for what cannot be meant. */
export function toFilter(options: CommandInput["options"]): EventFilter {
  const { tool, agent, type, decision, call, since, until } = options as FilterOptions;
  if (type !== undefined && !EVENT_TYPES.includes(type as EventType))
    throw new PegboardError("invalid_config", `--type must be one of ${EVENT_TYPES.join(", ")}; it is "${type}"`);
  return {
    ...(tool !== undefined && { tool }),
    ...(agent !== undefined && { agent }),
    ...(type !== undefined && { type: type as EventType }),
    ...(decision !== undefined && { decision }),
    ...(call !== undefined && { call }),
    ...(since !== undefined && { since: parseTime("--since", since) }),
    ...(until !== undefined && { until: parseTime("--until", until) }),
  };
}

/**
 * The filter with the session that `--session` means: lines show the beginning of its id, so the beginning is enough.
 * Rejects with `invalid_config` when it may be several.
 */
export async function withSession(
  filter: EventFilter,
  options: CommandInput["options"],
  store: Store,
): Promise<EventFilter> {
  const { session: start } = options as FilterOptions;
  if (start === undefined) return filter;
  const ids = new Set<string>();
  for await (const page of eventPages(store, { type: "session-start" }))
    for (const { session } of page) if (session.startsWith(start)) ids.add(session);
  if (ids.size > 1 && !ids.has(start)) {
    throw new PegboardError(
      "invalid_config",
      `--session "${start}" may be any of ${[...ids].join(", ")}: write more of it`,
    );
  }
  return { ...filter, session: ids.has(start) ? start : ([...ids][0] ?? start) };
}

/** A whole number of an option. Throws `invalid_config` for anything else. */
export function parseCount(flag: string, text: string, least: number): number {
  if (/^\d{1,9}$/.test(text) && Number(text) >= least) return Number(text);
  throw new PegboardError("invalid_config", `${flag} must be a whole number from ${least} on; it is "${text}"`);
}

/** Milliseconds of an option such as 30d. Throws `invalid_config` for anything else. */
export function parseAge(flag: string, text: string): number {
  const age = parseDuration(text);
  if (age !== undefined) return age;
  throw new PegboardError("invalid_config", `${flag} must be a duration such as 12h or 30d; it is "${text}"`);
}

const DAY = /^\d{4}-\d\d-\d\d$/;
const ISO = /^\d{4}-\d\d-\d\d(T\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d)?)?$/;

function parseTime(flag: string, text: string): number {
  const age = parseDuration(text);
  if (age !== undefined) return Date.now() - age;
  // A day alone would begin where the sun of Greenwich says; the log is shown in the person's own time.
  const at = ISO.test(text) ? Date.parse(DAY.test(text) ? `${text}T00:00` : text) : NaN;
  if (!Number.isNaN(at)) return at;
  throw new PegboardError(
    "invalid_config",
    `${flag} must be a time such as 2026-01-31 or 2026-01-31T09:30, or a duration that is that long ago such as 2h; it is "${text}"`,
  );
}
