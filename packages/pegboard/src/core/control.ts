import { PegboardError } from "./error.ts";

/** The way to end one call early. The signal is made only when somebody asks for it: most tools never do. */
export class Control implements Disposable {
  #listeners: Set<(reason: PegboardError) => void> | undefined;
  #controller: AbortController | undefined;
  #reason: PegboardError | undefined;
  #release: (() => void) | undefined;

  /** Ends with its parent, and when the signal of whoever called fires. */
  constructor(parent?: Control, signal?: AbortSignal) {
    if (!parent && !signal) return;
    const cancel = () => this.cancel(cancelled("The caller cancelled the call"));
    if (parent && parent.#reason) this.cancel(parent.#reason);
    else if (signal?.aborted) cancel();
    const leaveParent = parent?.onCancel((reason) => this.cancel(reason));
    signal?.addEventListener("abort", cancel);
    this.#release = () => {
      leaveParent?.();
      signal?.removeEventListener("abort", cancel);
    };
  }

  get signal(): AbortSignal {
    if (!this.#controller) {
      this.#controller = new AbortController();
      if (this.#reason) this.#controller.abort(this.#reason);
    }
    return this.#controller.signal;
  }

  /** Ends the call; only the first reason counts. */
  cancel(reason: PegboardError): void {
    if (this.#reason) return;
    this.#reason = reason;
    this.#controller?.abort(reason);
    for (const listener of this.#listeners ?? []) listener(reason);
    this.#listeners = undefined;
  }

  throwIfCancelled(): void {
    if (this.#reason) throw this.#reason;
  }

  /** Calls the listener once, when the call is ended early. Returns how to stop listening. */
  onCancel(listener: (reason: PegboardError) => void): () => void {
    (this.#listeners ??= new Set()).add(listener);
    return () => this.offCancel(listener);
  }

  /** Stops calling the listener. */
  offCancel(listener: (reason: PegboardError) => void): void {
    this.#listeners?.delete(listener);
  }

  /** Stops listening to parent and caller. */
  [Symbol.dispose](): void {
    this.#release?.();
  }
}

/** The reason of a cancel. */
export function cancelled(message: string): PegboardError {
  return new PegboardError("cancelled", message);
}
