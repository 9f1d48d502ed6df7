/** Ctrl-C while something is waited for. */
export interface Interrupts extends Disposable {
  /** What comes first: what is waited for, or Ctrl-C, also one that came since the last wait. */
  during<T>(wait: () => Promise<T>): Promise<T | "interrupt">;
}

/**
 * Takes Ctrl-C from now on until it is disposed, so that none ends the process between two waits. Those that come while
 * somebody else listens too are left to them.
 */
export function watchInterrupts(): Interrupts {
  let wake: (() => void) | undefined;
  let missed = false;
  const interrupt = () => {
    if (wake) wake();
    else if (process.listenerCount("SIGINT") === own) missed = true;
  };
  process.on("SIGINT", interrupt);
  const own = process.listenerCount("SIGINT");
  return {
    async during(wait) {
      if (missed) {
        missed = false;
        return "interrupt";
      }
      const interrupted = new Promise<"interrupt">((resolve) => (wake = () => resolve("interrupt")));
      try {
        return await Promise.race([wait(), interrupted]);
      } finally {
        wake = undefined;
      }
    },
    [Symbol.dispose]: () => void process.removeListener("SIGINT", interrupt),
  };
}
