import type { Event } from "../core/event.ts";
import type { Channel } from "./channel.ts";
import { RemoteError } from "./remote-error.ts";

/** From where a session is followed. */
export interface FollowOptions {
  /** The first sequence number; 1 when absent. */
  readonly from?: number;
  readonly signal?: AbortSignal;
}

const FIRST_WAIT_MS = 100;
const LONGEST_WAIT_MS = 5_000;

/** Does what `Client.follow` says. */
export async function* followSession(
  channel: Pick<Channel, "stream">,
  session: string,
  { from = 1, signal }: FollowOptions = {},
): AsyncGenerator<Event, void, undefined> {
  const options = { session, ...(signal && { signal }) };
  let next = from;
  let waitMs = FIRST_WAIT_MS;
  while (!signal?.aborted) {
    try {
      for await (const event of channel.stream("events", { from: next, follow: true }, options)) {
        if (event.seq > 0) next = event.seq + 1;
        waitMs = FIRST_WAIT_MS;
        yield event;
      }
      return;
    } catch (error) {
      if (signal?.aborted) return;
      if (!(error instanceof RemoteError && error.retryable)) throw error;
      await pause(waitMs, signal);
      waitMs = Math.min(2 * waitMs, LONGEST_WAIT_MS);
    }
  }
}

function pause(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise<void>((resolve) => {
    const done = () => {
      clearTimeout(timer);
      signal?.removeEventListener("abort", done);
      resolve();
    };
    const timer = setTimeout(done, ms);
    signal?.addEventListener("abort", done);
  });
}
