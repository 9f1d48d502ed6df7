import { EXIT } from "./exit-code.ts";

/** How work ended that could be interrupted. */
export interface Interruptible<T> {
  readonly result: T;
  /** Whether it was given up because nothing was left in the process that could bring it to an end. */
  readonly stuck: boolean;
}

/** Runs work that Ctrl-C cancels; a second Ctrl-C ends the process at once. */
export async function interruptible<T>(work: (signal: AbortSignal) => Promise<T>): Promise<Interruptible<T>> {
  const controller = new AbortController();
  let stuck = false;
  const interrupt = () => {
    if (controller.signal.aborted) process.exit(EXIT.interrupted);
    controller.abort();
  };
  // Otherwise the process would end here, without a result and as if all were well.
  const giveUp = () => {
    stuck = true;
    controller.abort();
  };
  const signals = ["SIGINT", "SIGTERM"] as const;
  for (const signal of signals) process.on(signal, interrupt);
  process.once("beforeExit", giveUp);
  try {
    const result = await work(controller.signal);
    return { result, stuck };
  } finally {
    for (const signal of signals) process.removeListener(signal, interrupt);
    process.removeListener("beforeExit", giveUp);
  }
}
