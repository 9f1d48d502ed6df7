import { bytesIn } from "../../core/base64.ts";
import type { Event } from "../../core/event.ts";

/** The types of events that may carry bytes: of results the log itself keeps none. */
const CARRIERS: ReadonlySet<string> = new Set(["run-start", "transcript-change"]);

/** An event as streams carry it: in place of the bytes of a file stands how many there are. */
export function withoutBytes(event: Event): Event {
  return CARRIERS.has(event.type) ? (strip(event) as Event) : event;
}

function strip(value: unknown): unknown {
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map(strip);
  const { data, mimeType } = value as { readonly data?: unknown; readonly mimeType?: unknown };
  if (typeof data === "string" && typeof mimeType === "string") {
    const { data: _, ...rest } = value as Record<string, unknown>;
    return { ...rest, omitted: bytesIn(data) };
  }
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, strip(member)]));
}
