import type { ServerContext } from "@modelcontextprotocol/server";
import type { EventData } from "../../core/event.ts";

/** What a call reports of its progress. */
export type Report = EventData["call-progress"];

/**
 * Passes on what a call reports: as progress where the client gave a token for it, else as a log message of the tool. A
 * client that does not keep up gets the newest report and misses those before.
 */
export function createReporter({ mcpReq }: ServerContext, tool: string): (report: Report) => void {
  const token = mcpReq._meta?.progressToken;
  let last = -1;
  let held: Report | undefined;
  let sending = false;

  function send({ message, current, total }: Omit<Report, "earlier" | "skipped">): Promise<void> {
    if (token === undefined) return mcpReq.log("info", message, tool);
    // It must grow, whatever the tool counts.
    const counted = current !== undefined && current > last;
    last = counted ? current : last + 1;
    const params = { progressToken: token, progress: last, ...(counted && total !== undefined && { total }), message };
    return mcpReq.notify({ method: "notifications/progress", params });
  }

  return (report) => {
    held = report;
    if (sending) return;
    sending = true;
    void flush();
  };

  async function flush(): Promise<void> {
    try {
      while (held) {
        const { earlier = [], ...newest } = held;
        held = undefined;
        // What came since is newer than all of these.
        for (const report of earlier) if (!held) await send(report);
        await send(newest);
      }
    } catch {
      // Nobody listens any more; the result tells.
    } finally {
      sending = false;
    }
  }
}
