import { toFailure } from "./error.ts";

/** How often something is tried, and how long is waited in between. Times are milliseconds. */
export interface RetryOptions {
  /** How often in all; 3 by default. */
  readonly maxAttempts?: number;
  /** The least that is waited, whatever else says less; 250 by default. */
  readonly floorMs?: number;
  /** The most that is waited, whatever else says more; 10,000 by default. */
  readonly ceilingMs?: number;
  /** What the other side asked to wait after this error. */
  askedMs?(error: unknown): number | undefined;
  /** Ends a wait at once; what was being waited for is then not tried. */
  readonly signal: AbortSignal;
}

/**
 * Does something again as long as it fails with an error that says it is retryable. The waits double and are spread at
 * random, so that many who failed together do not come back together. Throws the last error, or the signal's reason.
 */
export async function retry<T>(work: (attempt: number) => Promise<T>, options: RetryOptions): Promise<T> {
  const { maxAttempts = 3, floorMs = 250, ceilingMs = 10_000, signal } = options;
  for (let attempt = 1; ; attempt++) {
    signal.throwIfAborted();
    try {
      return await work(attempt);
    } catch (error) {
      if (attempt >= maxAttempts || !toFailure(error).retryable) throw error;
      const backoff = floorMs * 2 ** attempt * (0.5 + Math.random() / 2);
      await wait(Math.max(floorMs, Math.min(ceilingMs, options.askedMs?.(error) ?? backoff)), signal);
    }
  }
}

/** Resolves after a time; rejects with the signal's reason as soon as it fires. */
function wait(ms: number, signal: AbortSignal): Promise<void> {
  signal.throwIfAborted();
  return new Promise((resolve, reject) => {
    const abort = () => {
      clearTimeout(timer);
      reject(signal.reason as Error);
    };
    const timer = setTimeout(() => {
      signal.removeEventListener("abort", abort);
      resolve();
    }, ms);
    signal.addEventListener("abort", abort, { once: true });
  });
}
