import type { Control } from "../core/control.ts";
import type { Lanes } from "./lanes.ts";

/** A run, as far as its place needs to know. */
export interface Queued {
  readonly control: Control;
  /** Hears that it has to wait, and how many waited before it. */
  queued(before: number): void;
}

/** The place of one run among those that are at work. */
export class Place {
  readonly #lanes: Lanes;
  readonly #run: Queued;
  #entering: Promise<void> | undefined;
  #leave: (() => void) | undefined;
  #waits = 0;
  #over = false;

  constructor(lanes: Lanes, run: Queued) {
    this.#lanes = lanes;
    this.#run = run;
  }

  /** Waits for a place, in order. Rejects when the run is cancelled before. */
  enter(): Promise<void> {
    this.#entering ??= this.#enter().finally(() => (this.#entering = undefined));
    return this.#entering;
  }

  async #enter(): Promise<void> {
    const { queue } = this.#lanes;
    if (queue !== undefined) this.#run.queued(queue);
    const leave = await this.#lanes.enter(this.#run.control);
    // Another call of the run may have begun to wait meanwhile: what it waits for needs the place.
    if (this.#waits > 0 || this.#over) leave();
    else this.#leave = leave;
  }

  /** Lets others have the place while the run waits for what it started, and takes one again, unless it is cancelled. */
  async lend<T>(wait: () => Promise<T>): Promise<T> {
    if (this.#waits++ === 0) this.#giveBack();
    try {
      return await wait();
    } finally {
      // Whoever waits for a run that is cancelled hears it from the run.
      if (--this.#waits === 0 && !this.#over) await this.enter().catch(() => {});
    }
  }

  /** Gives the place back for good: what the run waited for may end after it. */
  end(): void {
    this.#over = true;
    this.#giveBack();
  }

  #giveBack(): void {
    this.#leave?.();
    this.#leave = undefined;
  }
}
