import { createHash, type Hash } from "node:crypto";
import { messageOf } from "../core/error.ts";
import type { Event } from "../core/event.ts";
import { chainHash, GENESIS, type Tombstone, tombstoneLine } from "./event-chain.ts";
import { toColumns } from "./event-table.ts";

/** One record as it is in the table. A pruned one has no text. */
export interface StoredRecord {
  readonly id: number;
  readonly session: string;
  readonly seq: number;
  readonly event: string | null;
  readonly hash: string;
  readonly prunedBy: number | null;
  /** What stands beside the text, by the name of the column. */
  readonly columns: Readonly<Record<string, unknown>>;
}

/** What checking one record gives: the event, unless it was pruned, and what is wrong. */
export interface CheckedRecord {
  readonly event?: Event;
  readonly message?: string;
  /** The record that is wrong, when it is an earlier one. */
  readonly earlier?: StoredRecord;
}

/** A check of all records of a log, in the order of their positions. */
export interface ChainCheck {
  next(record: StoredRecord): CheckedRecord;
  /** The first record that is marked as pruned by one that never came. */
  readonly orphan: StoredRecord | undefined;
}

/** Checks each record against the one before and against its own columns, and prune records against what they pruned. */
export function createChainCheck(): ChainCheck {
  let before = GENESIS;
  const forgotten = new Map<number, { readonly first: StoredRecord; readonly digest: Hash }>();

  function checkText(record: StoredRecord, text: string, previous: string): CheckedRecord {
    if (record.prunedBy !== null) return { message: "it has a text although it is marked as pruned" };
    if (chainHash(previous, text) !== record.hash)
      return { message: "its text, its hash or the hash before it is not what was written" };
    try {
      const event = JSON.parse(text) as Event;
      const problem = columnProblem(event, record);
      return { event, ...(problem === undefined ? checkPruned(record, event) : { message: problem }) };
    } catch (error) {
      return { message: `its text is no event: ${messageOf(error)}` };
    }
  }

  function checkForgotten(record: StoredRecord): CheckedRecord {
    const { id, hash, prunedBy, columns } = record;
    if (prunedBy === null) return { message: "its text is gone and it is not marked as pruned" };
    if (prunedBy <= id) return { message: lie(record) };
    if (FORGOTTEN.some((column) => columns[column] !== null))
      return { message: "it is marked as pruned and says more than its place" };
    const prune = forgotten.get(prunedBy) ?? { first: record, digest: createHash("sha256") };
    forgotten.set(prunedBy, prune);
    // The lines of `tombstoneDigest`, which would need them all at once.
    prune.digest.update(tombstoneLine({ ...(columns as unknown as Tombstone), id, hash }));
    return {};
  }

  function checkPruned({ id }: StoredRecord, event: Event): CheckedRecord {
    const prune = forgotten.get(id);
    forgotten.delete(id);
    if (event.type !== "log-change") return prune ? { message: lie(prune.first), earlier: prune.first } : {};
    const found = (prune?.digest ?? createHash("sha256")).digest("hex");
    return found === event.data.digest
      ? {}
      : { message: "the records that are marked as pruned by it are not those that it pruned" };
  }

  return {
    next(record) {
      const previous = before;
      before = record.hash;
      return record.event === null ? checkForgotten(record) : checkText(record, record.event, previous);
    },
    get orphan() {
      return Array.from(forgotten.values(), ({ first }) => first).sort((a, b) => a.id - b.id)[0];
    },
  };
}

/** The columns that go with the text. */
const FORGOTTEN = ["tool", "call", "agent", "decision"];

function lie({ prunedBy }: StoredRecord): string {
  return `it is marked as pruned by record ${prunedBy}, which pruned nothing`;
}

function columnProblem(event: Event, { columns }: StoredRecord): string | undefined {
  const wrong = Object.entries(toColumns(event)).find(([name, value]) => columns[name] !== toStored(value));
  return wrong && `its column "${wrong[0]}" is not what its text says`;
}

// A lone surrogate is an escape in the text, and cannot be in a column.
function toStored(value: string | number | null): string | number | null {
  return typeof value === "string" ? value.toWellFormed() : value;
}
