import type { Event } from "../core/event.ts";
import type { BlobStore } from "../core/blob.ts";
import type { FileStore } from "../core/vfs.ts";
import type { EventFilter } from "./event-filter.ts";

/**
 * Which events to read. `limit` counts from the oldest, `last` from the newest; with both, `limit` of the newest `last`
 * are given, from the oldest of them on.
 */
export interface EventQuery extends EventFilter {
  readonly limit?: number;
  readonly last?: number;
}

/** A piece of the whole log, and the position to go on from. */
export interface LogPage {
  readonly events: readonly Event[];
  readonly position: number;
}

/** What to forget: everything of sessions that ended before, or whose last event is older. */
export interface PruneOptions {
  readonly before: number;
  /** Sessions that must stay whatever their age. */
  readonly keep?: readonly string[];
  /** Nothing but these. */
  readonly only?: readonly string[];
}

/** What was forgotten. */
export interface Pruned {
  readonly sessions: number;
  readonly events: number;
}

/** The port for everything that is kept: the log, whole results, virtual files. `describeStore` is its contract as tests. */
export interface Store {
  /**
   * Appends events of one session, all or none; when it resolves, or returns nothing, they are kept for good. The first
   * must carry the next sequence number of that session and the others must follow: otherwise it rejects with `duplicate`.
   */
  append(events: readonly Event[]): Promise<void> | void;
  /** Events in the order in which they were appended. */
  read(query?: EventQuery): Promise<readonly Event[]>;
  /** Events of all sessions behind a position (0 is the beginning), at most `limit` of those that match. */
  scan(after: number, limit: number, filter?: EventFilter): Promise<LogPage>;
  /** The `execute-start` events of calls that have no `call-end`. */
  unfinished(): Promise<readonly Event[]>;
  /** Forgets old sessions as a whole. What is left can still be verified. */
  prune(options: PruneOptions): Promise<Pruned>;
  /** Whether other processes may write to it too. */
  readonly shared: boolean;
  readonly blobs: BlobStore;
  readonly files: FileStore;
  /** Afterwards every method rejects with `unavailable`. Closing twice is no error. */
  close(): Promise<void>;
}
