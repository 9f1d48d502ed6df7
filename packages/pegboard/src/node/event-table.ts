import { type Event, LOG_SESSION } from "../core/event.ts";
import { checkSequence } from "../stores/sequence.ts";
import type { Pruned, PruneOptions } from "../stores/store.ts";
import { chainHash, GENESIS, type Tombstone, tombstoneDigest } from "./event-chain.ts";
import type { Outcome } from "./group-commit.ts";
import type { Head } from "./head-file.ts";
import type { SqliteFile } from "./sqlite-file.ts";

/** SQL that takes version n of the database to n + 1. Only ever added to. */
export const MIGRATIONS = [
  `CREATE TABLE events (
     id INTEGER PRIMARY KEY,
     session TEXT NOT NULL,
     seq INTEGER NOT NULL,
     at REAL NOT NULL,
     type TEXT NOT NULL,
     tool TEXT,
     call TEXT,
     agent TEXT,
     decision TEXT,
     event TEXT,
     hash TEXT NOT NULL,
     pruned_by INTEGER,
     UNIQUE (session, seq)
   ) STRICT;
   CREATE TABLE open_calls (
     session TEXT NOT NULL,
     call TEXT NOT NULL,
     id INTEGER NOT NULL,
     PRIMARY KEY (session, call)
   ) STRICT, WITHOUT ROWID;
   CREATE TABLE file_versions (
     path TEXT NOT NULL,
     version INTEGER NOT NULL,
     at REAL NOT NULL,
     agent TEXT,
     call TEXT NOT NULL,
     text TEXT NOT NULL,
     PRIMARY KEY (path, version)
   ) STRICT`,
];

/** The columns that repeat what an event says, so that it can be looked up by them. */
export function toColumns({ session, seq, at, type, call, chain, data }: Event) {
  const { tool, decision } = data as { readonly tool?: string; readonly decision?: string };
  return {
    session,
    seq,
    at,
    type,
    tool: tool ?? null,
    call: call ?? null,
    agent: chain?.at(-1) ?? null,
    decision: decision ?? null,
  };
}

/** The log in its table: every record is chained to the one before. All methods run inside a transaction. */
export class EventTable {
  readonly #database: SqliteFile;

  constructor(database: SqliteFile) {
    this.#database = database;
  }

  /** Appends what can be appended; what cannot is told by its outcome and leaves the others. */
  append(batches: readonly (readonly Event[])[]): { outcomes: readonly Outcome[]; newest: Head | undefined } {
    const before = this.head();
    let head = before;
    const outcomes = batches.map((events): Outcome => {
      try {
        checkSequence(events, this.#lastSeq(events[0]?.session ?? "") + 1);
      } catch (error) {
        return error as Error;
      }
      for (const event of events) head = this.#insert(event, head);
      return undefined;
    });
    return { outcomes, newest: head === before ? undefined : head };
  }

  /** Forgets the texts of old sessions. Their hashes stay, and a record of what was forgotten keeps them from being forged. */
  prune({ before, keep = [], only }: PruneOptions): {
    pruned: Pruned;
    newest: Head | undefined;
    sessions: readonly string[];
  } {
    const old = this.#database
      .all(
        "SELECT session FROM events WHERE event IS NOT NULL AND session <> ? GROUP BY session HAVING max(at) < ?",
        LOG_SESSION,
        before,
      )
      .map((row) => String(row["session"]))
      .filter((session) => !keep.includes(session) && (only?.includes(session) ?? true));
    const rows = old.flatMap((session) =>
      this.#database.all(
        "SELECT id, session, seq, at, type, hash FROM events WHERE session = ? AND event IS NOT NULL",
        session,
      ),
    );
    const forgotten = (rows as unknown as Tombstone[]).sort((a, b) => a.id - b.id);
    const pruned = { sessions: old.length, events: forgotten.length };
    if (forgotten.length === 0) return { pruned, newest: undefined, sessions: old };
    const head = this.head();
    const data = { ...pruned, before, digest: tombstoneDigest(forgotten) };
    const newest = this.#insert(
      { v: 1, seq: this.#lastSeq(LOG_SESSION) + 1, at: Date.now(), type: "log-change", session: LOG_SESSION, data },
      head,
    );
    for (const session of old) {
      this.#database.all(
        "UPDATE events SET event = NULL, tool = NULL, call = NULL, agent = NULL, decision = NULL, pruned_by = ? WHERE session = ? AND event IS NOT NULL",
        newest.position,
        session,
      );
      this.#database.all("DELETE FROM open_calls WHERE session = ?", session);
    }
    return { pruned, newest, sessions: old };
  }

  /** Whether anything is kept of a session. */
  has(session: string): boolean {
    return (
      this.#database.all("SELECT 1 FROM events WHERE session = ? AND event IS NOT NULL LIMIT 1", session).length > 0
    );
  }

  /** The newest record. */
  head(): Head {
    const [row] = this.#database.all("SELECT id, hash FROM events ORDER BY id DESC LIMIT 1");
    return row ? { position: Number(row["id"]), hash: String(row["hash"]) } : { position: 0, hash: GENESIS };
  }

  #lastSeq(session: string): number {
    const [row] = this.#database.all("SELECT max(seq) AS seq FROM events WHERE session = ?", session);
    return Number(row?.["seq"] ?? 0);
  }

  #insert(event: Event, head: Head): Head {
    const { session, seq, at, type, tool, call, agent, decision } = toColumns(event);
    const text = JSON.stringify(event);
    const next = { position: head.position + 1, hash: chainHash(head.hash, text) };
    this.#database.all(
      "INSERT INTO events (id, session, seq, at, type, tool, call, agent, decision, event, hash) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
      next.position,
      session,
      seq,
      at,
      type,
      tool,
      call,
      agent,
      decision,
      text,
      next.hash,
    );
    if (type === "execute-start" && call !== null)
      this.#database.all(
        "INSERT OR REPLACE INTO open_calls (session, call, id) VALUES (?, ?, ?)",
        session,
        call,
        next.position,
      );
    if (type === "call-end" && call !== null)
      this.#database.all("DELETE FROM open_calls WHERE session = ? AND call = ?", session, call);
    return next;
  }
}
