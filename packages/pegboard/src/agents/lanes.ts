import type { Control } from "../core/control.ts";
import { PegboardError } from "../core/error.ts";

/** So many at once; the others wait their turn, in order. */
export class Lanes {
  readonly #waiting: (() => void)[] = [];
  readonly #count: number;
  readonly #mostWaiting: number;
  #free: number;

  constructor(count: number, mostWaiting = Infinity) {
    this.#count = count;
    this.#free = count;
    this.#mostWaiting = mostWaiting;
  }

  /** How many wait for a lane; undefined when one is free. */
  get queue(): number | undefined {
    return this.#free > 0 ? undefined : this.#waiting.length;
  }

  /** Throws `busy` when there is neither a free lane nor a place to wait for one. */
  throwIfFull(): void {
    if (this.#free > 0 || this.#waiting.length < this.#mostWaiting) return;
    const wait = this.#waiting.length > 0 ? ` and ${this.#waiting.length} wait` : "";
    throw new PegboardError("busy", `${this.#count} of ${this.#count} are at work${wait}: try again when one is done`, {
      retryable: true,
    });
  }

  /** Waits for a free lane. Resolves to how to leave it; rejects when the control is cancelled before. */
  async enter(control: Control): Promise<() => void> {
    control.throwIfCancelled();
    if (this.#free > 0) this.#free--;
    else await this.#wait(control);
    let left = false;
    return () => {
      if (left) return;
      left = true;
      const next = this.#waiting.shift();
      if (next) next();
      else this.#free++;
    };
  }

  #wait(control: Control): Promise<void> {
    return new Promise((resolve, reject) => {
      const go = () => {
        leave();
        resolve();
      };
      const leave = control.onCancel((reason) => {
        this.#waiting.splice(this.#waiting.indexOf(go), 1);
        reject(reason);
      });
      this.#waiting.push(go);
    });
  }
}
