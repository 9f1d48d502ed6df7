interface Waiting<T> {
  readonly item: T;
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

/** How one item of a batch ended: undefined when it is kept, else the error that its caller gets. */
export type Outcome = Error | undefined;

/**
 * Commits what is added in one turn of the event loop together, so that callers at the same time share the cost of the
 * disk. When `commit` throws, everyone in the batch is told.
 */
export class GroupCommit<T> {
  readonly #commit: (batch: readonly T[]) => readonly Outcome[];
  #waiting: Waiting<T>[] = [];
  #drained: (() => void)[] = [];

  constructor(commit: (batch: readonly T[]) => readonly Outcome[]) {
    this.#commit = commit;
  }

  /** Resolves when the item is on disk. */
  add(item: T): Promise<void> {
    return new Promise((resolve, reject) => {
      if (this.#waiting.push({ item, resolve, reject }) === 1) setImmediate(() => this.#flush());
    });
  }

  /** Resolves when nothing waits any more. */
  drain(): Promise<void> {
    return this.#waiting.length === 0 ? Promise.resolve() : new Promise((resolve) => this.#drained.push(resolve));
  }

  #flush(): void {
    const batch = this.#waiting;
    this.#waiting = [];
    try {
      const outcomes = this.#commit(batch.map(({ item }) => item));
      for (const [index, { resolve, reject }] of batch.entries()) {
        const error = outcomes[index];
        if (error) reject(error);
        else resolve();
      }
    } catch (error) {
      for (const { reject } of batch) reject(error);
    }
    for (const resolve of this.#drained.splice(0)) resolve();
  }
}
