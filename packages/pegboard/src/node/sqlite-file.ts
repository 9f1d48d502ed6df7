import { closeSync, openSync } from "node:fs";
import { dirname } from "node:path";
import { DatabaseSync, type SQLInputValue, type SQLOutputValue, type StatementSync } from "node:sqlite";
import { messageOf, PegboardError } from "../core/error.ts";
import { makeFolder } from "./durable-folder.ts";

const SQLITE_BUSY = 5;

/** How a file is brought up to date and shared. */
export interface SqliteFileOptions {
  /** SQL that takes version n of the schema to n + 1, in order. Only ever added to. */
  readonly migrations: readonly string[];
  /** How long to wait for another process that is writing. */
  readonly busyTimeoutMs: number;
}

/**
 * One SQLite file, opened at its first use. Whatever SQLite or the disk refuses is thrown as `unavailable` with the file
 * and what to do; a file that could not be opened is tried again at the next use.
 */
export class SqliteFile {
  readonly #file: string;
  readonly #options: SqliteFileOptions;
  readonly #statements = new Map<string, StatementSync>();
  #database: DatabaseSync | undefined;
  #closed = false;

  constructor(file: string, options: SqliteFileOptions) {
    this.#file = file;
    this.#options = options;
  }

  /** Runs one statement, prepared once, and returns its rows. */
  all(sql: string, ...values: SQLInputValue[]): Record<string, SQLOutputValue>[] {
    return this.#guard((database) => {
      const statement = this.#statements.get(sql) ?? database.prepare(sql);
      this.#statements.set(sql, statement);
      return statement.all(...values);
    });
  }

  /** Runs `work` and commits; whatever it throws undoes all of it. */
  transaction<T>(work: () => T): T {
    return this.#guard((database) => runTransaction(database, work));
  }

  /** Throws `unavailable` once it is closed. */
  assertOpen(): void {
    if (this.#closed) throw new PegboardError("unavailable", `The store ${this.#file} is closed: open it again`);
  }

  close(): void {
    this.#closed = true;
    this.#statements.clear();
    this.#database?.close();
    this.#database = undefined;
  }

  #guard<T>(work: (database: DatabaseSync) => T): T {
    this.assertOpen();
    try {
      this.#database ??= openDatabase(this.#file, this.#options);
      return work(this.#database);
    } catch (error) {
      throw toUnavailable(this.#file, error);
    }
  }
}

function openDatabase(file: string, options: SqliteFileOptions): DatabaseSync {
  makeFolder(dirname(file));
  // SQLite would make it readable for everybody; the files it keeps beside it take the mode of this one.
  closeSync(openSync(file, "a", 0o600));
  const database = new DatabaseSync(file, { timeout: options.busyTimeoutMs });
  try {
    refuseNewer(database, file, options.migrations.length);
    waitWhileBusy(options.busyTimeoutMs, () => database.exec("PRAGMA journal_mode = WAL"));
    database.exec("PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON");
    if (versionOf(database) < options.migrations.length) {
      runTransaction(database, () => migrate(database, file, options.migrations));
    }
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
}

/** SQLite's own busy timeout does not cover the change to a write-ahead log, which processes that start together race for. */
function waitWhileBusy(mostMs: number, work: () => void): void {
  const end = performance.now() + mostMs;
  for (;;) {
    try {
      return work();
    } catch (error) {
      if (resultCode(error) !== SQLITE_BUSY || performance.now() >= end) throw error;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 5);
    }
  }
}

function migrate(database: DatabaseSync, file: string, migrations: readonly string[]): void {
  // Another process may have been first, even with a newer Pegboard: the version counts as of this transaction.
  refuseNewer(database, file, migrations.length);
  for (const sql of migrations.slice(versionOf(database))) database.exec(sql);
  database.exec(`PRAGMA user_version = ${migrations.length}`);
}

function refuseNewer(database: DatabaseSync, file: string, known: number): void {
  const version = versionOf(database);
  if (version <= known) return;
  throw new PegboardError(
    "unavailable",
    `The database ${file} has schema version ${version} and this Pegboard knows up to ${known}: use a Pegboard that knows version ${version}`,
  );
}

function versionOf(database: DatabaseSync): number {
  return Number(database.prepare("PRAGMA user_version").get()?.["user_version"]);
}

function runTransaction<T>(database: DatabaseSync, work: () => T): T {
  // Takes the write lock at once: what `work` reads still holds when it writes.
  database.exec("BEGIN IMMEDIATE");
  try {
    const value = work();
    database.exec("COMMIT");
    return value;
  } catch (error) {
    // On some errors SQLite has rolled back by itself.
    if (database.isTransaction) database.exec("ROLLBACK");
    throw error;
  }
}

const BUSY = { advice: "another process is writing to it, try again", retryable: true };
const UNWRITABLE = { advice: "make the file and its folder readable and writable", retryable: false };
const DISK = { advice: "check that the disk has space left and works", retryable: true };
const DAMAGED = {
  advice: "restore a copy, or move the file and the head beside it away to begin with an empty one",
  retryable: false,
};

/** What to do, by the primary result code of SQLite or the code of a system error. */
const ADVICE: Readonly<Record<string, { readonly advice: string; readonly retryable: boolean }>> = {
  3: UNWRITABLE, // SQLITE_PERM
  [SQLITE_BUSY]: BUSY,
  6: BUSY, // SQLITE_LOCKED
  8: UNWRITABLE, // SQLITE_READONLY
  10: DISK, // SQLITE_IOERR
  11: DAMAGED, // SQLITE_CORRUPT
  13: DISK, // SQLITE_FULL
  14: UNWRITABLE, // SQLITE_CANTOPEN
  26: DAMAGED, // SQLITE_NOTADB
  EACCES: UNWRITABLE,
  EPERM: UNWRITABLE,
  EROFS: UNWRITABLE,
  EIO: DISK,
  ENOSPC: DISK,
};

function toUnavailable(file: string, error: unknown): unknown {
  const code = resultCode(error) ?? systemCode(error);
  if (code === undefined) return error;
  const { advice, retryable } = ADVICE[code] ?? { advice: "choose another file for it", retryable: false };
  return new PegboardError("unavailable", `Cannot use the database ${file} (${messageOf(error)}): ${advice}`, {
    retryable,
    cause: error,
  });
}

/** The primary result code when the error is SQLite's: the low byte of the extended one. */
function resultCode(error: unknown): number | undefined {
  const { errcode } = Object(error) as { errcode?: unknown };
  return typeof errcode === "number" ? errcode & 0xff : undefined;
}

function systemCode(error: unknown): string | undefined {
  const { code, syscall } = Object(error) as { code?: unknown; syscall?: unknown };
  return typeof code === "string" && typeof syscall === "string" ? code : undefined;
}
