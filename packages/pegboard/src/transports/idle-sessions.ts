import type { Session } from "../core/session.ts";

interface Use {
  /** How many use it now. */
  count: number;
  /** Since when nobody has. */
  since: number;
}

/**
 * Closes sessions that nobody has used for so long: nothing is at work in them and no question of theirs waits. They stay in
 * the log, from where they go on.
 */
export class IdleSessions {
  readonly #idleMs: number;
  readonly #uses = new Map<Session, Use>();
  #sweeping: ReturnType<typeof setInterval> | undefined;

  constructor(idleMs: number) {
    this.#idleMs = idleMs;
  }

  /** Counts somebody as using a session until it is disposed; of one that is not watched this is nothing. */
  use(session: Session): Disposable {
    const use = this.#uses.get(session);
    if (!use) return NOBODY;
    use.count++;
    let left = false;
    return {
      [Symbol.dispose]: () => {
        if (left) return;
        left = true;
        use.count--;
        use.since = performance.now();
      },
    };
  }

  /** Closes a session, from now on, when nobody uses it for long. */
  watch(session: Session): void {
    this.#uses.set(session, { count: 0, since: performance.now() });
    void session.closed.then(() => {
      this.#uses.delete(session);
      if (this.#uses.size > 0) return;
      clearInterval(this.#sweeping);
      this.#sweeping = undefined;
    });
    // One timer for all of them, which keeps no process alive.
    this.#sweeping ??= setInterval(() => this.#sweep(), Math.min(MAX_TIMER, this.#idleMs / 4));
    (this.#sweeping as { unref?(): void }).unref?.();
  }

  #sweep(): void {
    const now = performance.now();
    for (const [session, use] of this.#uses) {
      if (use.count > 0 || session.atWork) use.since = now;
      else if (now - use.since >= this.#idleMs) void session.close({ keep: true });
    }
  }
}

const NOBODY: Disposable = { [Symbol.dispose]() {} };

// A longer delay would fire at once.
const MAX_TIMER = 2 ** 31 - 1;
