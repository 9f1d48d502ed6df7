import type { Flow } from "./socket.ts";

/** Lets work of one client begin, so that a client that does not read cannot have results pile up. */
export interface Turns {
  /** Resolves when a piece of work may begin, to how to say that its answer, of so many characters, is on its way. */
  next(): Promise<(characters: number) => void>;
}

/** So much may be worked out at once, going by the answers so far. */
const CHARACTERS = 4 * 1024 * 1024;
const FEWEST = 4;
const MOST = 256;
/** What an answer is taken for as long as there was none. */
const FIRST_GUESS = CHARACTERS / 8;
const LOOK_MS = 100;

/**
 * Makes the turns of one client. Work that takes long holds nobody up: when none has ended for a moment and the client
 * reads, others begin. `over` fires when the client is gone: then nobody waits any more.
 */
export function createTurns(flow: Flow, over: AbortSignal): Turns {
  const queue: (() => void)[] = [];
  let running = 0;
  let ended = 0;
  let largest = FIRST_GUESS;
  let looking: ReturnType<typeof setInterval> | undefined;

  const atOnce = () => Math.min(MOST, Math.max(FEWEST, Math.floor(CHARACTERS / largest)));

  function admit(most: number): void {
    const count = over.aborted ? queue.length : flow.full ? 0 : Math.max(0, most);
    for (const begin of queue.splice(0, count)) {
      running++;
      begin();
    }
    if (queue.length > 0) looking ??= setInterval(look, LOOK_MS);
    else {
      clearInterval(looking);
      looking = undefined;
    }
  }

  function look(): void {
    admit(ended > 0 ? atOnce() - running : atOnce());
    ended = 0;
  }

  return {
    async next() {
      await new Promise<void>((resolve) => {
        queue.push(resolve);
        admit(atOnce() - running);
      });
      return (characters) => {
        running--;
        ended++;
        // Forgotten bit by bit: one big answer is no rule.
        largest = Math.max(1, characters, largest * 0.9);
        admit(atOnce() - running);
      };
    },
  };
}
