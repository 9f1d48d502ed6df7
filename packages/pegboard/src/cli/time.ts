/** A span of time in whole seconds, or minutes when it is long. */
export function describeDuration(ms: number): string {
  const seconds = Math.max(0, Math.round(ms / 1000));
  return seconds < 120 ? `${seconds}s` : `${Math.round(seconds / 60)}m`;
}

/** A moment as people read it where they are. */
export function describeTime(at: number): string {
  // The Swedish form is the one that sorts.
  return new Date(at).toLocaleString("sv-SE");
}
