import { EXIT } from "./exit-code.ts";

/** The wish that this process ends. */
export interface StopSignals extends Disposable {
  /** Resolves at the first signal to end. */
  readonly stopped: Promise<void>;
}

const SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

/** Takes the signals to end from now on: the first one is told, the second one ends the process at once. */
export function watchStopSignals(): StopSignals {
  const { promise, resolve } = Promise.withResolvers<void>();
  let asked = false;
  const stop = () => {
    if (asked) process.exit(EXIT.interrupted);
    asked = true;
    resolve();
  };
  for (const signal of SIGNALS) process.on(signal, stop);
  return {
    stopped: promise,
    [Symbol.dispose]: () => SIGNALS.forEach((signal) => process.removeListener(signal, stop)),
  };
}
