import { dirname, join, resolve } from "node:path";
import type { SQLInputValue } from "node:sqlite";
import { messageOf, PegboardError } from "../core/error.ts";
import type { Event } from "../core/event.ts";
import type { FileStore, FileVersion } from "../core/vfs.ts";
import type { EventFilter } from "../stores/event-filter.ts";
import type { EventQuery, Store } from "../stores/store.ts";
import { blobFiles } from "./blob-files.ts";
import { EventTable, MIGRATIONS } from "./event-table.ts";
import { GroupCommit } from "./group-commit.ts";
import { HeadFile } from "./head-file.ts";
import { SqliteFile } from "./sqlite-file.ts";

/** Settings of `sqliteStore`. */
export interface SqliteStoreOptions {
  /** How long to wait for another process that is writing; 5,000 when absent. */
  readonly busyTimeoutMs?: number;
}

/**
 * A store in one SQLite file, which several processes may share, with `blobs` and `head` beside it. Nothing is touched
 * before the first use: then the folder is made (0700) and the file (0600). What has resolved is on disk; what is appended
 * at the same time goes there together.
 */
export function sqliteStore(file: string, options: SqliteStoreOptions = {}): Store {
  const { busyTimeoutMs = 5000 } = options;
  // Resolved now: a later change of the working folder must not change the file.
  const path = resolve(file);
  const database = new SqliteFile(path, { migrations: MIGRATIONS, busyTimeoutMs });
  const events = new EventTable(database);
  const head = new HeadFile(headPlace(path));
  const blobs = blobFiles(blobPlace(path));
  const toEvent = eventReader(path);
  const appends = new GroupCommit<readonly Event[]>((batch) => {
    const { outcomes, newest } = database.transaction(() => (head.prepare(), events.append(batch)));
    if (newest) head.write(newest);
    return outcomes;
  });

  return {
    append: (added) => appends.add(added),
    async read(query = {}) {
      const { sql, values } = toSelect(query);
      const found = database.all(sql, ...values).map(toEvent);
      return query.last === undefined ? found : found.reverse().slice(0, query.limit);
    },
    async scan(after, limit, filter = {}) {
      const { where, values } = toWhere(filter);
      // Before the events: what another process adds in between is behind this position, and comes with the next page.
      const newest = Number(database.all("SELECT max(id) AS id FROM events")[0]?.["id"] ?? 0);
      const rows = database.all(
        `SELECT id, event FROM events WHERE id > ? AND ${where} ORDER BY id LIMIT ?`,
        after,
        ...values,
        limit,
      );
      const last = Number(rows.at(-1)?.["id"] ?? 0);
      return { events: rows.map(toEvent), position: rows.length < limit ? Math.max(after, newest, last) : last };
    },
    async unfinished() {
      return database
        .all("SELECT event FROM events JOIN open_calls USING (id) WHERE event IS NOT NULL ORDER BY id")
        .map(toEvent);
    },
    async prune(given) {
      const { pruned, newest, sessions } = database.transaction(() => events.prune(given));
      if (newest) head.write(newest);
      // A process that ended in the middle of this has left texts of sessions that are no more.
      const left = (await blobs.untouched(given.before)).filter(
        (session) => !given.keep?.includes(session) && (given.only?.includes(session) ?? true) && !events.has(session),
      );
      for (const session of new Set([...sessions, ...left])) await blobs.forget(session);
      return pruned;
    },
    shared: true,
    blobs: {
      write: (...given) => (database.assertOpen(), blobs.write(...given)),
      read: (...given) => (database.assertOpen(), blobs.read(...given)),
    },
    files: sqliteFiles(database),
    async close() {
      await appends.drain();
      // While nobody else can append: what is written to the head in passing may be overtaken.
      if (head.used) settle(() => database.transaction(() => head.write(events.head())));
      database.close();
      head.close();
    },
  };
}

function settle(work: () => void): void {
  try {
    work();
  } catch {
    // A head that is behind is brought up by the next append.
  }
}

/** Where the head of a database's log is kept. */
export function headPlace(file: string): string {
  return join(dirname(file), "head");
}

/** Where the whole results of a database's log are kept. */
export function blobPlace(file: string): string {
  return join(dirname(file), "blobs");
}

/** Reads the events of rows. Throws `unavailable` for a record that is damaged. */
function eventReader(file: string): (row: Record<string, unknown>) => Event {
  return ({ event }) => {
    try {
      return JSON.parse(String(event)) as Event;
    } catch (error) {
      const problem = `The database ${file} holds a record that cannot be read (${messageOf(error)})`;
      throw new PegboardError("unavailable", `${problem}: "pegboard audit verify" names it; restore a copy`, {
        cause: error,
      });
    }
  };
}

const CONDITIONS: { readonly [Field in keyof Required<EventFilter>]: string } = {
  session: "session = ?",
  from: "seq >= ?",
  type: "type = ?",
  tool: "tool = ?",
  call: "call = ?",
  agent: "agent = ?",
  decision: "decision = ?",
  since: "at >= ?",
  until: "at <= ?",
};

function toWhere(filter: EventFilter): { where: string; values: SQLInputValue[] } {
  const used = (Object.keys(CONDITIONS) as (keyof EventFilter)[]).filter((field) => filter[field] !== undefined);
  return {
    where: ["event IS NOT NULL", ...used.map((field) => CONDITIONS[field])].join(" AND "),
    values: used.map((field) => filter[field]!),
  };
}

function toSelect(query: EventQuery): { sql: string; values: SQLInputValue[] } {
  const { where, values } = toWhere(query);
  // Within a session both orders are the same, and this one has the index.
  const order = query.session === undefined ? "id" : "seq";
  const direction = query.last === undefined ? "ASC" : "DESC";
  return {
    sql: `SELECT event FROM events WHERE ${where} ORDER BY ${order} ${direction} LIMIT ?`,
    values: [...values, query.last ?? query.limit ?? -1],
  };
}

function sqliteFiles(database: SqliteFile): FileStore {
  return {
    async read(path) {
      const [row] = database.all("SELECT * FROM file_versions WHERE path = ? ORDER BY version DESC LIMIT 1", path);
      return row && toFileVersion(row);
    },
    async write(file, keep) {
      return database.transaction(() => {
        const { path, at, agent = null, call, text } = file;
        const [newest] = database.all("SELECT max(version) AS version FROM file_versions WHERE path = ?", path);
        const version = Number(newest?.["version"] ?? 0) + 1;
        const insert = "INSERT INTO file_versions (path, version, at, agent, call, text) VALUES (?, ?, ?, ?, ?, ?)";
        database.all(insert, path, version, at, agent, call, text);
        database.all("DELETE FROM file_versions WHERE path = ? AND version <= ?", path, version - keep);
        return { ...file, version };
      });
    },
    async list() {
      // Sorted here: SQLite sorts by bytes, which puts astral characters elsewhere.
      return database
        .all("SELECT DISTINCT path FROM file_versions")
        .map((row) => String(row["path"]))
        .sort();
    },
    async history(path) {
      return database.all("SELECT * FROM file_versions WHERE path = ? ORDER BY version", path).map(toFileVersion);
    },
    async delete(path) {
      return database.all("DELETE FROM file_versions WHERE path = ? RETURNING version", path).length > 0;
    },
  };
}

function toFileVersion(row: Record<string, unknown>): FileVersion {
  const { agent, ...file } = row as unknown as Omit<FileVersion, "agent"> & { agent: string | null };
  return { ...file, ...(agent !== null && { agent }) };
}
