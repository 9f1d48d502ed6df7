import type { ToolContext } from "@pegboard/contract";
import type { EventData, ProgressReport } from "./event.ts";

/** Reports of one call on their way to its log. */
export interface Progress {
  readonly report: ToolContext["progress"];
  /** Sends what was held back. */
  flush(): void;
}

const INTERVAL_MS = 100;
const MAX_MESSAGE = 4_096;

/** What one event holds at most: more in one interval is a flood, which is counted. */
const MOST_HELD = 1_000;
const MOST_CHARACTERS = 64 * 1024;

/**
 * Reports of one call, gathered: the first goes out at once, those that follow together, once an interval, and `flush` sends
 * what is left.
 */
export function createProgress(send: (data: EventData["call-progress"]) => void): Progress {
  let sentAt = -Infinity;
  let held: ProgressReport[] = [];
  let characters = 0;
  let skipped = 0;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const release = () => {
    clearTimeout(timer);
    timer = undefined;
    const last = held.pop();
    if (!last) return;
    const data = { ...last, ...(held.length > 0 && { earlier: held }), ...(skipped > 0 && { skipped }) };
    sentAt = performance.now();
    [held, characters, skipped] = [[], 0, 0];
    send(data);
  };
  return {
    report(message, amount) {
      const report = toReport(message, amount);
      // The newest is what people see.
      if (held.length >= MOST_HELD || characters > MOST_CHARACTERS) {
        held.pop();
        skipped++;
      } else characters += report.message.length;
      held.push(report);
      const waitMs = sentAt + INTERVAL_MS - performance.now();
      if (waitMs <= 0) release();
      else timer ??= setTimeout(release, waitMs);
    },
    flush: release,
  };
}

function toReport(message: string, amount: Parameters<ToolContext["progress"]>[1]): ProgressReport {
  return {
    message: String(message).slice(0, MAX_MESSAGE),
    ...(amount && {
      current: Number(amount.current),
      ...(amount.total !== undefined && { total: Number(amount.total) }),
    }),
  };
}
