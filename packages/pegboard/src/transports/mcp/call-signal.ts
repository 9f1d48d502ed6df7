/** As much of a signal as whoever waits for a call uses. */
export interface CancelSignal {
  readonly aborted: boolean;
  addEventListener(type: "abort", listener: () => void): void;
  removeEventListener(type: "abort", listener: () => void): void;
}

/** Tells one listener that a client has cancelled a call. An AbortController would cost a tenth of the whole call. */
export class CallSignal implements CancelSignal {
  #aborted = false;
  #listener: (() => void) | undefined;

  get aborted(): boolean {
    return this.#aborted;
  }

  addEventListener(_type: "abort", listener: () => void): void {
    this.#listener = listener;
  }

  removeEventListener(_type: "abort", listener: () => void): void {
    if (this.#listener === listener) this.#listener = undefined;
  }

  abort(): void {
    if (this.#aborted) return;
    this.#aborted = true;
    this.#listener?.();
  }
}
