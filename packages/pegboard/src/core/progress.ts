import type { ToolContext } from "@pegboard/contract";
import type { EventData } from "./event.ts";

/** Reports of one call on their way to its log. */
export interface Progress {
  readonly report: ToolContext["progress"];
  /** Sends what was held back. */
  flush(): void;
}

type Report = EventData["call-progress"];

const INTERVAL_MS = 100;
const MAX_MESSAGE = 4_096;

/**
 * Reports of one call, thinned out: the first goes out at once, then at most one an interval, and `flush` sends the last
 * one that was held back.
 */
export function createProgress(send: (report: Report) => void): Progress {
  let sentAt = -Infinity;
  let held: Report | undefined;
  return {
    report(message, amount) {
      held = {
        message: String(message).slice(0, MAX_MESSAGE),
        ...(amount && {
          current: Number(amount.current),
          ...(amount.total !== undefined && { total: Number(amount.total) }),
        }),
      };
      const now = performance.now();
      if (now - sentAt < INTERVAL_MS) return;
      sentAt = now;
      send(held);
      held = undefined;
    },
    flush() {
      if (held) send(held);
      held = undefined;
    },
  };
}
