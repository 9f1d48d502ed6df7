/** What a run and everything it starts may use together; 0 is nothing at all. */
export interface Budget {
  readonly tokens?: number;
  readonly usd?: number;
  readonly timeMs?: number;
  /** Runs that it starts, and those start, and so on. */
  readonly spawns?: number;
}
