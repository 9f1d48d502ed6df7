import type { SessionLog } from "../core/log.ts";

const POLL_MS = 500;

/** Hears of the runs that other processes ask to be ended, where there are other processes, until it is disposed of. */
export function followCancels(log: SessionLog, cancel: (run: string) => void): Disposable {
  if (!log.shared) return { [Symbol.dispose]() {} };
  let reading = false;
  let seen = 0;
  const look = async () => {
    // A store that cannot be read now may be read the next time.
    const requests = await log.readFrom(seen + 1, "cancel-request").catch(() => []);
    for (const { data, seq } of requests) {
      seen = seq;
      cancel(data.run);
    }
    reading = false;
  };
  const timer = setInterval(() => {
    if (reading) return;
    reading = true;
    void look();
  }, POLL_MS);
  return { [Symbol.dispose]: () => clearInterval(timer) };
}
