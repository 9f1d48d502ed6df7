import { PegboardError } from "../core/error.ts";
import { canonicalJson } from "../core/json.ts";

/** What makes two instances of an agent the same. Kept in parts: joined, names could run into each other. */
export interface PoolKey {
  readonly session: string;
  readonly plugin?: string;
  readonly agent: string;
  /** The digest, or the text, of all that the instance was made of: model, tools, instructions. */
  readonly config: string;
}

/** How a pool is kept. */
export interface PoolOptions {
  /** How many instances there may be before idle ones make room; 5 when absent. */
  readonly max?: number;
  /** How long one may be idle; 10 minutes when absent. */
  readonly idleMs?: number;
}

/** One instance as statistics show it. */
export interface PooledView {
  readonly id: string;
  /** `agent-name`, or `plugin-plugin-name`. */
  readonly key: string;
  readonly session: string;
  readonly busy: boolean;
  readonly uses: number;
  readonly ageMs: number;
  /** Since it was released; 0 while it is busy. */
  readonly idleMs: number;
}

/** A pool as a whole. */
export interface PoolStats {
  readonly total: number;
  readonly inUse: number;
  readonly available: number;
  readonly max: number;
  /** How long one may be idle. */
  readonly maxIdleMs: number;
  readonly instances: readonly PooledView[];
}

/** An instance that is lent. Disposing of the lease gives it back, once; doing so again does nothing. */
export interface Lease<T> extends Disposable {
  readonly id: string;
  readonly value: T;
  /** Whether it was used before. */
  readonly warm: boolean;
  /** Gives it back as one that nobody should get again. */
  discard(): void;
}

interface Pooled<T> {
  readonly id: string;
  readonly key: PoolKey;
  readonly text: string;
  readonly value: T;
  readonly madeAt: number;
  idleSince: number | undefined;
  uses: number;
}

const MAX = 5;
const IDLE_MS = 10 * 60_000;

/** Keeps instances of agents warm. One is lent to one at a time; idle ones make room, the longest unused first. */
export class Pool<T extends object> implements AsyncDisposable {
  readonly #instances = new Map<string, Pooled<T>>();
  readonly #options: PoolOptions;
  #making = 0;
  #made = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(options: PoolOptions = {}) {
    this.#options = options;
  }

  /** Lends an idle instance of this key, or a new one. Rejects with what `make` rejects with. `warn` hears that all are lent. */
  async acquire(key: PoolKey, make: () => Promise<T>, warn?: (message: string) => void): Promise<Lease<T>> {
    const text = canonicalJson(key);
    const idle = this.#instances.values().find((one) => one.idleSince !== undefined && one.text === text);
    if (idle) return this.#lend(idle);
    const all = this.#instances.size + this.#making;
    if (all >= this.#max && !this.#makeRoom(this.#max - 1))
      warn?.(`All ${all} instances of agents are at work: one more is made for ${describeKey(key)}`);
    this.#making++;
    try {
      const value = await make();
      const id = `${describeKey(key)}-${++this.#made}`;
      // Many may be at work with the same key: one copy of it is enough.
      const same = this.#instances.values().find((one) => one.text === text) ?? { key, text };
      const times = { madeAt: performance.now(), idleSince: undefined, uses: 0 };
      const made: Pooled<T> = { id, key: same.key, text: same.text, value, ...times };
      this.#instances.set(id, made);
      return this.#lend(made);
    } finally {
      this.#making--;
    }
  }

  /** Takes an instance back. One that is not known, or is idle already, is left alone. */
  release(id: string): void {
    const instance = this.#instances.get(id);
    if (!instance || instance.idleSince !== undefined) return;
    instance.idleSince = performance.now();
    this.#makeRoom(this.#max);
    this.#watch();
  }

  /** Takes an idle instance out and disposes of it. Whether there was one. Rejects with `busy` when it is lent. */
  async remove(id: string): Promise<boolean> {
    const instance = this.#instances.get(id);
    if (!instance) return false;
    if (instance.idleSince === undefined)
      throw new PegboardError(
        "busy",
        `The instance ${id} of ${describeKey(instance.key)} is at work: cancel its run first`,
      );
    await this.#discard(instance);
    return true;
  }

  /** Takes out all idle instances of a session, or of all. */
  async clear(session?: string): Promise<void> {
    const idle = [...this.#instances.values()].filter(
      ({ key, idleSince }) => idleSince !== undefined && (session === undefined || key.session === session),
    );
    await Promise.all(idle.map((instance) => this.#discard(instance)));
  }

  get stats(): PoolStats {
    const now = performance.now();
    const instances = Array.from(this.#instances.values(), ({ id, key, uses, madeAt, idleSince }) => ({
      id,
      key: describeKey(key),
      session: key.session,
      busy: idleSince === undefined,
      uses,
      ageMs: Math.round(now - madeAt),
      idleMs: idleSince === undefined ? 0 : Math.round(now - idleSince),
    }));
    const inUse = instances.filter(({ busy }) => busy).length;
    const { length: total } = instances;
    return { total, inUse, available: total - inUse, max: this.#max, maxIdleMs: this.#idleMs, instances };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    clearTimeout(this.#timer);
    await Promise.all(Array.from(this.#instances.values(), (instance) => this.#discard(instance)));
  }

  get #max(): number {
    return this.#options.max ?? MAX;
  }

  get #idleMs(): number {
    return this.#options.idleMs ?? IDLE_MS;
  }

  #lend(instance: Pooled<T>): Lease<T> {
    instance.idleSince = undefined;
    const warm = instance.uses++ > 0;
    const { id, value } = instance;
    let lent = true;
    const giveBack = (how: () => void) => {
      // Once only: by then it may be lent to somebody else.
      if (lent) how();
      lent = false;
    };
    return {
      id,
      value,
      warm,
      discard: () => giveBack(() => void this.#discard(instance)),
      [Symbol.dispose]: () => giveBack(() => this.release(id)),
    };
  }

  /** Lets idle ones go, the longest unused first, until there are this many. Whether any did. */
  #makeRoom(most: number): boolean {
    const tooMany = this.#instances.size + this.#making - most;
    if (tooMany <= 0) return true;
    const idle = [...this.#instances.values()]
      .filter(({ idleSince }) => idleSince !== undefined)
      .sort((a, b) => a.idleSince! - b.idleSince!);
    for (const instance of idle.slice(0, tooMany)) void this.#discard(instance);
    return idle.length > 0;
  }

  async #discard(instance: Pooled<T>): Promise<void> {
    this.#instances.delete(instance.id);
    try {
      await (instance.value as Partial<AsyncDisposable>)[Symbol.asyncDispose]?.();
    } catch {
      // What cannot clean up must not keep others from their places.
    }
  }

  /** Takes out what is idle for too long. One timer for all, which keeps no process alive. */
  #watch(): void {
    if (this.#timer !== undefined) return;
    const since = Math.min(...Array.from(this.#instances.values(), ({ idleSince = Infinity }) => idleSince));
    if (since === Infinity) return;
    // A longer delay would fire at once.
    const delay = Math.min(Math.max(0, since + this.#idleMs - performance.now()), 2 ** 31 - 1);
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      const now = performance.now();
      for (const instance of this.#instances.values()) {
        if (now - (instance.idleSince ?? Infinity) >= this.#idleMs) void this.#discard(instance);
      }
      this.#watch();
    }, delay);
    (this.#timer as { unref?: () => void }).unref?.();
  }
}

/** How a key is shown: `agent-name`, or `plugin-plugin-name`. */
function describeKey({ plugin, agent }: PoolKey): string {
  return plugin === undefined ? `agent-${agent}` : `plugin-${plugin}-${agent}`;
}
