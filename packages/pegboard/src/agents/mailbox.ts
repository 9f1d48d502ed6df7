import type { Control } from "../core/control.ts";

/** What somebody has to say to a run. */
export interface Letter {
  readonly text: string;
  /** The task whose outcome it is. */
  readonly task?: string;
  /** Its id, of one that is on record. */
  readonly letter?: string;
}

/** As much as of the result of a tool. */
const MOST_CHARACTERS = 24 * 1024;

/** What others have to say to a run, until its model is asked next. */
export class Mailbox {
  #letters: Letter[] = [];
  #urgent = false;
  #wake: (() => void) | undefined;

  /** Whether a letter is there that the model must read before its answer counts. */
  get urgent(): boolean {
    return this.#urgent;
  }

  /** Leaves a letter, of which a bounded part is kept. `wakes` brings a run that has answered and waits for others back to work. */
  post(letter: Letter, { wakes }: { readonly wakes: boolean }): void {
    this.#letters.push({ ...letter, text: shorten(letter.text) });
    if (!wakes) return;
    this.#urgent = true;
    this.#wake?.();
  }

  /** All letters, once. */
  take(): readonly Letter[] {
    const letters = this.#letters;
    this.#letters = [];
    this.#urgent = false;
    return letters;
  }

  /** Waits for a letter that wakes. Rejects when the control is cancelled. */
  async wait(control: Control): Promise<void> {
    control.throwIfCancelled();
    if (this.#urgent) return;
    await new Promise<void>((resolve, reject) => {
      const leave = control.onCancel(reject);
      this.#wake = () => {
        this.#wake = undefined;
        leave();
        resolve();
      };
    });
  }
}

function shorten(text: string): string {
  const more = text.length - MOST_CHARACTERS;
  return more <= 0 ? text : `${text.slice(0, MOST_CHARACTERS).toWellFormed()}\n[cut here: ${more} characters more]`;
}
