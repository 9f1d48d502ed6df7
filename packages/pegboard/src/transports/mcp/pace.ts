/** So much may be on its way in all. */
const MOST = 16 * 1024 * 1024;
const FEWEST_OPEN = 8;
/** Before anything is known of the answers. */
const FIRST_OPEN = 32;
const MOST_OPEN = 1_000;
/** How long a message is held back at most: a client may have to say something before what is open can end. */
const HOLD_MS = 10;

/**
 * Decides when the next message of a client is read, so that answers it does not read do not pile up. It begins slowly and
 * follows the size of the answers: the longer they are, the fewer are worked on at once.
 */
export class Pace {
  #average = MOST / FIRST_OPEN;

  /** An answer of so many characters was written. */
  wrote(characters: number): void {
    // Longer ones count at once, shorter ones by and by.
    this.#average = characters > this.#average ? characters : this.#average * 0.9 + characters * 0.1;
  }

  /** Nothing when the next message may be read at once, else a promise of it; `open` is how many have no answer yet. */
  next(open: number): Promise<void> | undefined {
    const most = Math.min(MOST_OPEN, Math.max(FEWEST_OPEN, MOST / this.#average));
    return open < most ? undefined : new Promise((resolve) => setTimeout(resolve, HOLD_MS));
  }
}
