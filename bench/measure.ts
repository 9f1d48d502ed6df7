/** Something that is measured against others in the same rounds. */
export interface Contestant {
  readonly name: string;
  /** Does the thing once. `index` counts the runs of a round. */
  run(index: number): unknown;
  /** Brings it back to its beginning; before every round, not timed. */
  renew?(): Promise<void>;
}

/** The times of one contestant: nanoseconds for one run, a number for each round. */
export interface Measured {
  readonly name: string;
  readonly ns: readonly number[];
}

/** How long to measure. */
export interface Effort {
  readonly rounds: number;
  /** For each contestant, before the first round and in each. A single run may take longer. */
  readonly warmUpMs: number;
  readonly roundMs: number;
}

const EFFORT: Effort = { rounds: 9, warmUpMs: 500, roundMs: 120 };

/**
 * Times contestants in rounds in which each has its turn, so that whatever else the machine does hits all alike. Lets
 * errors of the contestants pass.
 */
export async function measure<const Contestants extends readonly Contestant[]>(
  contestants: Contestants,
  effort: Partial<Effort> = {},
): Promise<{ [Place in keyof Contestants]: Measured }> {
  const { rounds, warmUpMs, roundMs } = { ...EFFORT, ...effort };
  const turns: { contestant: Contestant; batch: number; ns: number[] }[] = [];
  for (const contestant of contestants)
    turns.push({ contestant, batch: await warmUp(contestant, warmUpMs, roundMs), ns: [] });
  for (let round = 0; round < rounds; round++) {
    for (const { contestant, batch, ns } of turns) {
      await contestant.renew?.();
      ns.push(await time(contestant, batch));
    }
  }
  return turns.map(({ contestant: { name }, ns }) => ({ name, ns })) as { [Place in keyof Contestants]: Measured };
}

/** What one run allocates, and what of it is still there after a collection: bytes of the heap. */
export async function weigh(contestant: Contestant): Promise<{ readonly allocated: number; readonly kept: number }> {
  const allocated: number[] = [];
  const kept: number[] = [];
  for (let round = 0; round < 7; round++) {
    await contestant.renew?.();
    gc!();
    const before = process.memoryUsage().heapUsed;
    for (let index = 0; index < RUNS_WEIGHED; index++) await contestant.run(index);
    allocated.push((process.memoryUsage().heapUsed - before) / RUNS_WEIGHED);
    gc!();
    kept.push((process.memoryUsage().heapUsed - before) / RUNS_WEIGHED);
  }
  return { allocated: median(allocated), kept: median(kept) };
}

// So few that what they allocate fits into the young generation: the collector has no reason to come in between.
const RUNS_WEIGHED = 50;

/** How much of the time of `b` that of `a` is: the median over the rounds, in each of which both had their turn. */
export function ratio(a: Measured, b: Measured): number {
  return median(a.ns.map((ns, round) => ns / b.ns[round]!));
}

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2;
}

/** Runs until it is warm. Returns how many runs fill a round. */
async function warmUp(contestant: Contestant, warmUpMs: number, roundMs: number): Promise<number> {
  const end = performance.now() + warmUpMs;
  let batch = 1;
  for (;;) {
    const ns = await time(contestant, batch);
    if (performance.now() >= end) return Math.max(1, Math.round((roundMs * 1e6) / ns));
    await contestant.renew?.();
    // Many runs for each look at the clock, and still several looks.
    batch = Math.min(batch * 2, Math.max(1, Math.round((warmUpMs * 1e6) / 8 / ns)));
  }
}

async function time(contestant: Contestant, batch: number): Promise<number> {
  const start = performance.now();
  for (let index = 0; index < batch; index++) await contestant.run(index);
  return ((performance.now() - start) * 1e6) / batch;
}
