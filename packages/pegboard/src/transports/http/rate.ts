/** How many requests each principal may make. */
export interface Rate {
  /** Counts a request. How many seconds to wait when it is one too many, else 0. */
  take(principal: string, now?: number): number;
}

/** Allows so many requests a second, on the average; after a pause, as many at once. */
export function createRate(perSecond: number): Rate {
  const buckets = new Map<string, { left: number; at: number }>();
  return {
    take(principal, now = performance.now()) {
      const bucket = buckets.get(principal) ?? { left: perSecond, at: now };
      buckets.set(principal, bucket);
      bucket.left = Math.min(perSecond, bucket.left + ((now - bucket.at) / 1_000) * perSecond);
      bucket.at = now;
      if (bucket.left < 1) return (1 - bucket.left) / perSecond;
      bucket.left--;
      return 0;
    },
  };
}
