/** Durations in milliseconds. The quantiles are upper bounds: at least that share took no longer. */
export interface Durations {
  readonly count: number;
  readonly sum: number;
  readonly max: number;
  readonly p50: number;
  readonly p95: number;
}

/** Counts durations in a fixed number of buckets, however many there are. */
export interface Histogram {
  add(ms: number): void;
  summary(): Durations;
}

// 0.1, 0.2, 0.5, 1, 2, 5, … up to somewhat more than an hour; what takes longer is bounded by the longest.
const BOUNDS = Array.from({ length: 8 }, (_, power) => [1, 2, 5].map((digit) => (digit * 10 ** power) / 10)).flat();

/** An empty histogram. */
export function createHistogram(): Histogram {
  const buckets = Array.from({ length: BOUNDS.length + 1 }, () => 0);
  let [count, sum, max] = [0, 0, 0];

  function quantile(share: number): number {
    let left = Math.ceil(count * share);
    const index = buckets.findIndex((size) => (left -= size) <= 0);
    return Math.min(BOUNDS[index] ?? Infinity, max);
  }

  return {
    add(ms) {
      const index = BOUNDS.findIndex((bound) => ms <= bound);
      buckets[index < 0 ? BOUNDS.length : index]!++;
      count++;
      sum += ms;
      max = Math.max(max, ms);
    },
    summary: () => ({ count, sum: Math.round(sum * 1000) / 1000, max, p50: quantile(0.5), p95: quantile(0.95) }),
  };
}
