import type { Control } from "../core/control.ts";

/** So many at once; the others wait their turn, in order. */
export class Lanes {
  readonly #waiting: (() => void)[] = [];
  #free: number;

  constructor(count: number) {
    this.#free = count;
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
