import type { ServerContext } from "@modelcontextprotocol/server";
import type { Json, LogLevel } from "@pegboard/contract";
import type { EventData } from "../../core/event.ts";

/** What a call reports of its progress. */
export type Report = EventData["call-progress"];

/** Whether the client of a request keeps up; nothing when it does. */
type Room = (request: unknown) => Promise<unknown> | undefined;

/**
 * Passes on what a call reports: as progress where the client gave a token for it, else as a log message of the tool. A
 * client that does not keep up gets the newest report and misses those before.
 */
export function createReporter({ mcpReq }: ServerContext, tool: string, room?: Room): (report: Report) => void {
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
        await room?.(mcpReq.id);
      }
    } catch {
      // Nobody listens any more; the result tells.
    } finally {
      sending = false;
    }
  }
}

/** So many characters of log messages may be on their way to a client. */
const MOST_CHARACTERS = 1024 * 1024;

/** Passes on what a tool logs. A client that does not keep up misses what comes meanwhile, and is told how much. */
export function createLogger(
  { mcpReq }: ServerContext,
  tool: string,
  room?: Room,
): (level: LogLevel, message: Json) => void {
  let waiting = 0;
  let missed = 0;

  async function send(level: LogLevel, message: Json, characters: number): Promise<void> {
    waiting += characters;
    try {
      await mcpReq.log(level, message, tool);
      await room?.(mcpReq.id);
    } catch {
      // Nobody listens any more; the result tells.
    } finally {
      waiting -= characters;
    }
  }

  return (level, message) => {
    if (waiting > MOST_CHARACTERS) return void missed++;
    const before = missed;
    missed = 0;
    if (before > 0) void send("warning", `${before} log messages are missing: they came faster than they were read`, 0);
    void send(level, message, typeof message === "string" ? message.length : JSON.stringify(message).length);
  };
}
