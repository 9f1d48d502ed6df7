import { existsSync } from "node:fs";
import type { DatabaseSync } from "node:sqlite";
import { setImmediate, setTimeout } from "node:timers/promises";
import { messageOf, PegboardError } from "../core/error.ts";
import type { Event } from "../core/event.ts";
import { type ChainCheck, createChainCheck, type StoredRecord } from "./audit-chain.ts";
import { hasLog, isDamage, isOutdated, openSnapshot, readNumbers, readRecords } from "./audit-snapshot.ts";
import { digestBlob } from "./blob-files.ts";
import { type Head, readHead } from "./head-file.ts";
import { blobPlace, headPlace } from "./sqlite.ts";

/** The first record that is not as it was written, and what is wrong. */
export interface AuditProblem {
  readonly position: number;
  readonly session?: string;
  readonly seq?: number;
  readonly message: string;
}

/** What a verification found. */
export interface AuditReport {
  readonly ok: boolean;
  /** How many records were verified: all, or those before the first bad one. */
  readonly records: number;
  readonly sessions: number;
  /** The newest record that is on record outside of the database; a cut is found up to there. Null when there is none. */
  readonly head: Head | null;
  readonly problem?: AuditProblem;
}

/**
 * Verifies a log: the chain of hashes, the columns beside the texts, the numbers in each session, what was pruned, the
 * whole results, and the head beside the database. Reads one snapshot, makes and migrates nothing, and takes no more memory
 * for a longer log; others may write meanwhile. Rejects with `unavailable` when the database cannot be read.
 */
export async function verifyLog(databaseFile: string): Promise<AuditReport> {
  const present = existsSync(databaseFile);
  // Before the snapshot: what the head names is then in it, unless it was taken away.
  const head = (present ? await settledHead(headPlace(databaseFile)) : readHead(headPlace(databaseFile))) ?? null;
  const progress = { records: 0, sessions: 0 };
  let database: DatabaseSync | undefined;
  try {
    if (present) database = openSnapshot(databaseFile);
    const problem = database ? await findProblem(database, databaseFile, head, progress) : cutProblem(0, head);
    const records = problem?.session === undefined ? progress.records : Math.max(0, problem.position - 1);
    return { ok: problem === undefined, ...progress, records, head, ...(problem && { problem }) };
  } catch (error) {
    if (!isDamage(error)) throw toUnavailable(databaseFile, error);
    const message = `the database is damaged from here on: ${messageOf(error)}`;
    return { ok: false, ...progress, head, problem: { position: progress.records + 1, message } };
  } finally {
    database?.close();
  }
}

const PAUSE_EVERY = 5_000;

async function findProblem(
  database: DatabaseSync,
  file: string,
  head: Head | null,
  progress: { records: number; sessions: number },
): Promise<AuditProblem | undefined> {
  if (!hasLog(database)) return cutProblem(0, head);
  const numbers = checkNumbers(database);
  progress.sessions = numbers.sessions;
  const chain = createChainCheck();
  for (const record of readRecords(database)) {
    const { id, hash } = record;
    const position = progress.records + 1;
    if (id !== position)
      return id < position
        ? toProblem(record, "no record can have this position")
        : { position, message: "this record is missing" };
    const checked = chain.next(record);
    const message = checked.message ?? (await blobProblem(record, checked.event, file));
    if (message !== undefined) return toProblem(checked.earlier ?? record, message);
    if (head?.position === id && head.hash !== hash)
      return toProblem(record, "the head on record is another: this record, or what is before it, was written anew");
    if (numbers.problem?.position === position) return numbers.problem;
    progress.records = position;
    if (position % PAUSE_EVERY === 0) await setImmediate();
  }
  if (numbers.records !== progress.records)
    return {
      position: progress.records + 1,
      message: `the index lists ${numbers.records} records and the table holds ${progress.records}`,
    };
  return cutProblem(progress.records, head) ?? orphanProblem(chain) ?? headProblem(progress.records, head);
}

function toProblem({ id, session, seq }: Pick<StoredRecord, "id" | "session" | "seq">, message: string): AuditProblem {
  return { position: id, session, seq, message };
}

/** Whether the end is missing, as far as the head tells. */
function cutProblem(records: number, head: Head | null): AuditProblem | undefined {
  if (!head || head.position <= records) return undefined;
  return {
    position: records + 1,
    message: `this record and all up to ${head.position} are missing: the end of the log was cut off`,
  };
}

function orphanProblem({ orphan }: ChainCheck): AuditProblem | undefined {
  if (!orphan) return undefined;
  return toProblem(orphan, `it is marked as pruned by record ${orphan.prunedBy}, which there is not`);
}

function headProblem(records: number, head: Head | null): AuditProblem | undefined {
  if (head || records === 0) return undefined;
  return {
    position: records,
    message: "the file with the head is missing or cannot be read: whether the end was cut off cannot be told",
  };
}

/** Whether the events of each session are numbered without a gap, in the order of their positions; and how many there are. */
function checkNumbers(database: DatabaseSync): Numbers {
  let [records, sessions] = [0, 0];
  let last: Pick<StoredRecord, "id" | "session" | "seq"> | undefined;
  let problem: AuditProblem | undefined;
  for (const place of readNumbers(database)) {
    const before = last?.session === place.session ? last : { id: -Infinity, seq: 0 };
    const follows = place.seq === before.seq + 1 && place.id > before.id;
    if (!follows && place.id < (problem?.position ?? Infinity))
      problem = toProblem(place, `it is not the event that follows event ${before.seq} of its session`);
    if (last?.session !== place.session) sessions++;
    last = place;
    records++;
  }
  return { records, sessions, problem };
}

interface Numbers {
  readonly records: number;
  readonly sessions: number;
  readonly problem: AuditProblem | undefined;
}

/** Whether the whole result that belongs to an event is what was kept. */
async function blobProblem(record: StoredRecord, event: Event | undefined, file: string): Promise<string | undefined> {
  if (event?.type !== "call-end" || !event.data.blob) return undefined;
  const { session, call = "" } = event;
  try {
    const digest = await digestBlob(blobPlace(file), session, call);
    if (digest === event.data.blob.sha256 || isOutdated(file, record, call)) return undefined;
    return digest === undefined ? "its whole result is missing" : "its whole result is not what was kept";
  } catch (error) {
    return `its whole result cannot be read: ${messageOf(error)}`;
  }
}

const SETTLE_MS = 500;

// The very first record is there a moment before the head is.
async function settledHead(path: string): Promise<Head | undefined> {
  const end = performance.now() + SETTLE_MS;
  for (;;) {
    const head = readHead(path);
    if (head || performance.now() >= end) return head;
    await setTimeout(20);
  }
}

function toUnavailable(file: string, error: unknown): unknown {
  if (error instanceof PegboardError) return error;
  return new PegboardError("unavailable", `Cannot verify the database ${file}: ${messageOf(error)}`, { cause: error });
}
