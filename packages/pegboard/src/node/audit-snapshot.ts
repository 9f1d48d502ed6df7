import { DatabaseSync, type SQLOutputValue } from "node:sqlite";
import { PegboardError } from "../core/error.ts";
import type { StoredRecord } from "./audit-chain.ts";
import { MIGRATIONS } from "./event-table.ts";

/** What SQLite says to whoever may only read, when a power cut has left a change half made. */
const HALF_MADE = 776;

/**
 * Opens a database for reading alone, as it is now: what is written later is not seen. A change that a power cut has left
 * half made is taken back first, as by everybody who opens it. Throws `unavailable` for a newer one.
 */
export function openSnapshot(file: string): DatabaseSync {
  try {
    return open(file);
  } catch (error) {
    if ((error as { errcode?: unknown }).errcode !== HALF_MADE) throw error;
    takeBack(file);
    return open(file);
  }
}

function takeBack(file: string): void {
  const database = new DatabaseSync(file, { timeout: 5_000 });
  try {
    database.prepare("SELECT 1 FROM sqlite_schema").get();
  } finally {
    database.close();
  }
}

function open(file: string): DatabaseSync {
  const database = new DatabaseSync(file, { readOnly: true, timeout: 5_000 });
  try {
    const version = Number(database.prepare("PRAGMA user_version").get()?.["user_version"]);
    if (version > MIGRATIONS.length) {
      throw new PegboardError(
        "unavailable",
        `The database ${file} has schema version ${version} and this Pegboard knows up to ${MIGRATIONS.length}: use a Pegboard that knows version ${version}`,
      );
    }
    database.exec("BEGIN");
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
}

/** Whether there is a log: a database that nothing was written to yet has none. */
export function hasLog(database: DatabaseSync): boolean {
  return database.prepare("SELECT 1 FROM sqlite_schema WHERE name = 'events'").get() !== undefined;
}

/** All records in the order of their positions, one at a time. */
export function* readRecords(database: DatabaseSync): Generator<StoredRecord, void, undefined> {
  for (const { id, event, hash, pruned_by, ...rest } of iterate(database, "SELECT * FROM events ORDER BY id")) {
    const columns = { ...rest, seq: Number(rest["seq"]) };
    yield {
      id: Number(id),
      session: String(rest["session"]),
      seq: columns.seq,
      event: event as string | null,
      hash: String(hash),
      prunedBy: pruned_by === null ? null : Number(pruned_by),
      columns,
    };
  }
}

/** The places of all records, session by session in the order of their numbers, as the index lists them. */
export function* readNumbers(
  database: DatabaseSync,
): Generator<Pick<StoredRecord, "id" | "session" | "seq">, void, undefined> {
  for (const { id, session, seq } of iterate(database, "SELECT id, session, seq FROM events ORDER BY session, seq"))
    yield { id: Number(id), session: String(session), seq: Number(seq) };
}

/** Whether the whole result of a call may be gone or another by now: it was pruned, or a later call has the same name. */
export function isOutdated(file: string, { id, session }: StoredRecord, call: string): boolean {
  const database = openSnapshot(file);
  try {
    const pruned = "SELECT 1 FROM events WHERE id = ? AND event IS NULL";
    const repeated = "SELECT 1 FROM events WHERE session = ? AND call = ? AND type = 'call-end' AND id > ?";
    return database.prepare(`${pruned} UNION ALL ${repeated}`).get(id, session, call, id) !== undefined;
  } finally {
    database.close();
  }
}

const SQLITE_CORRUPT = 11;
const SQLITE_NOTADB = 26;

/** Whether an error says that the file is not what SQLite wrote. */
export function isDamage(error: unknown): boolean {
  const { errcode } = Object(error) as { errcode?: unknown };
  return typeof errcode === "number" && [SQLITE_CORRUPT, SQLITE_NOTADB].includes(errcode & 0xff);
}

// Big integers: a number that was tampered with may be too big for any other.
function iterate(database: DatabaseSync, sql: string): NodeJS.Iterator<Record<string, SQLOutputValue>> {
  const statement = database.prepare(sql);
  statement.setReadBigInts(true);
  return statement.iterate();
}
