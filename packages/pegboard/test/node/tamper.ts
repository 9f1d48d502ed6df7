import { readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { DatabaseSync, SQLInputValue } from "node:sqlite";
import { chainHash } from "../../src/node/event-chain.ts";

/** Numbers that look random and are the same in every run. */
export interface Random {
  /** A whole number from 0 to below `end`. */
  below(end: number): number;
  pick<T>(items: readonly T[]): T;
}

export function createRandom(seed: number): Random {
  let state = seed;
  const below = (end: number) => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32) * end);
  };
  return { below, pick: (items) => items[below(items.length)]! };
}

/** A log that lies open: its database, the folder around it, and a choice. */
export interface Target {
  readonly database: DatabaseSync;
  readonly folder: string;
  readonly random: Random;
}

type Row = Record<string, SQLInputValue> & {
  readonly id: number;
  readonly hash: string;
  readonly event: string | null;
};

/** Does harm. Returns the position that must be named, or undefined when any will do. Throws when the database does not let it. */
export type Tampering = (target: Target) => number | undefined;

/**
 * Every kind of harm, by what it does. A record that fits behind the newest one is an append like any other, so that none is
 * forged there.
 */
export const TAMPERINGS: Readonly<Record<string, Tampering>> = {
  "flips a bit of a text"({ database, random }) {
    const { id, event } = random.pick(live(database));
    set(database, id, "event", flipText(event!, random));
    return id;
  },
  "flips a bit of a column"({ database, random }) {
    const row = random.pick(live(database));
    const column = random.pick(["session", "seq", "at", "type", "tool", "call", "agent", "decision"]);
    set(database, row.id, column, flip(row[column]!, random));
    return row.id;
  },
  "flips a bit of a hash"({ database, random }) {
    const row = random.pick(all(database));
    set(database, row.id, "hash", flipText(row.hash, random));
    return row.event === null ? undefined : row.id;
  },
  "flips a bit of what stays of a pruned record"({ database, random }) {
    const row = random.pick(pruned(database));
    const column = random.pick(["session", "seq", "at", "type"]);
    set(database, row.id, column, flip(row[column]!, random));
    return undefined;
  },
  "deletes a record"({ database, random }) {
    const { id } = random.pick(all(database));
    database.prepare("DELETE FROM events WHERE id = ?").run(id);
    return id;
  },
  "swaps two records"({ database, random }) {
    const [one, other] = [random.pick(all(database)), random.pick(all(database))];
    if (one.id === other.id) throw new Error("the same record");
    database.prepare("DELETE FROM events WHERE id IN (?, ?)").run(one.id, other.id);
    insert(database, { ...one, id: other.id });
    insert(database, { ...other, id: one.id });
    return one.event === null || other.event === null ? undefined : Math.min(one.id, other.id);
  },
  "inserts a forged record"({ database, random }) {
    const rows = all(database);
    const at = random.pick(rows.slice(1)).id;
    for (const { id } of rows.filter((row) => row.id >= at).reverse()) set(database, id, "id", id + 1);
    insert(database, forge(at, rows.find(({ id }) => id === at - 1)!.hash));
    return undefined;
  },
  "repeats a record at the end"({ database, random }) {
    const rows = all(database);
    const row = random.pick(rows);
    const seq =
      1 + Math.max(...rows.filter(({ session }) => session === row["session"]).map((each) => Number(each["seq"])));
    insert(database, { ...row, id: rows.length + 1, seq });
    return row.event === null ? undefined : rows.length + 1;
  },
  "renumbers a record"({ database, random }) {
    const rows = all(database);
    const { id } = random.pick(rows);
    set(database, id, "id", random.pick([0, -1 - random.below(9), rows.length + 1 + random.below(9)]));
    return undefined;
  },
  "cuts off the end"({ database, random }) {
    const rows = all(database);
    const first = rows.length - random.below(rows.length);
    database.prepare("DELETE FROM events WHERE id >= ?").run(first);
    return first;
  },
  "writes the end anew, with hashes that fit"({ database, random }) {
    const rows = all(database);
    const { id, event } = random.pick(live(database));
    const changed = JSON.stringify({ ...(JSON.parse(event!) as object), forged: true });
    let { hash } = rows.find((row) => row.id === id - 1) ?? { hash: "0".repeat(64) };
    for (const row of rows.filter((each) => each.id >= id)) {
      const text = row.id === id ? changed : row.event;
      if (text === null) throw new Error("a pruned record has no text to write anew");
      set(database, row.id, "event", text);
      set(database, row.id, "hash", (hash = chainHash(hash, text)));
    }
    return undefined;
  },
  "passes a record off as pruned"({ database, random }) {
    const { id } = random.pick(live(database));
    const by = random.pick([...prunes(database), id + 1 + random.below(5)]);
    database
      .prepare(
        "UPDATE events SET event = NULL, tool = NULL, call = NULL, agent = NULL, decision = NULL, pruned_by = ? WHERE id = ?",
      )
      .run(by, id);
    return undefined;
  },
  "moves a pruned record to another prune"({ database, random }) {
    const { id, pruned_by: by } = random.pick(pruned(database));
    set(database, id, "pruned_by", random.pick([null, id, ...prunes(database).filter((each) => each !== by)]));
    return undefined;
  },
  "adds to what a pruned record says"({ database, random }) {
    const { id } = random.pick(pruned(database));
    set(database, id, random.pick(["tool", "call", "agent", "decision"]), "forged");
    return id;
  },
  "edits what a prune record says was pruned"({ database, random }) {
    const rows = all(database);
    const row = rows.find(({ id }) => id === random.pick(prunes(database)))!;
    const { data, ...rest } = JSON.parse(row.event!) as { data: { digest: string; events: number } };
    const text = JSON.stringify({
      ...rest,
      data: random.pick([
        { ...data, digest: flipText(data.digest, random).toString() },
        { ...data, events: data.events - 1 },
      ]),
    });
    set(database, row.id, "event", text);
    if (random.below(2) === 0)
      set(database, row.id, "hash", chainHash(rows.find(({ id }) => id === row.id - 1)!.hash, text));
    return undefined;
  },
  "flips a bit of a whole result"({ folder, random }) {
    const file = random.pick(blobs(folder));
    writeFileSync(file, flipText(readFileSync(file), random));
    return undefined;
  },
  "deletes a whole result"({ folder, random }) {
    rmSync(random.pick(blobs(folder)));
    return undefined;
  },
  "flips a bit of the head"({ folder, random }) {
    const file = join(folder, "head");
    const [position, hash] = readFileSync(file, "utf8").trim().split(" ") as [string, string];
    const digit = random.below(hash.length);
    const other = ((Number.parseInt(hash[digit]!, 16) ^ (1 << random.below(4))) & 15).toString(16);
    writeFileSync(file, `${position} ${hash.slice(0, digit)}${other}${hash.slice(digit + 1)}`.padEnd(95).concat("\n"));
    return Number(position);
  },
};

function all(database: DatabaseSync): Row[] {
  return database.prepare("SELECT * FROM events ORDER BY id").all() as Row[];
}

function live(database: DatabaseSync): Row[] {
  return all(database).filter(({ event }) => event !== null);
}

function pruned(database: DatabaseSync): Row[] {
  return all(database).filter(({ event }) => event === null);
}

function prunes(database: DatabaseSync): number[] {
  return all(database).flatMap(({ id, type }) => (type === "log-change" ? [id] : []));
}

function blobs(folder: string): string[] {
  const names = readdirSync(join(folder, "blobs"), { recursive: true, encoding: "utf8" });
  return names.filter((name) => name.endsWith(".txt")).map((name) => join(folder, "blobs", name));
}

function set(database: DatabaseSync, id: number, column: string, value: SQLInputValue): void {
  const place = value instanceof Uint8Array ? "CAST(? AS TEXT)" : "?";
  database.prepare(`UPDATE events SET ${column} = ${place} WHERE id = ?`).run(value, id);
}

function insert(database: DatabaseSync, row: Record<string, SQLInputValue>): void {
  const columns = Object.keys(row);
  database
    .prepare(`INSERT INTO events (${columns.join(", ")}) VALUES (${columns.map(() => "?").join(", ")})`)
    .run(...Object.values(row));
}

function forge(id: number, before: string): Record<string, SQLInputValue> {
  const event = { v: 1, seq: 1, at: 1, type: "session-end", session: "forged", data: { calls: 1 } };
  const text = JSON.stringify(event);
  return { id, session: "forged", seq: 1, at: 1, type: "session-end", event: text, hash: chainHash(before, text) };
}

function flip(value: SQLInputValue, random: Random): SQLInputValue {
  if (value === null) return "x";
  if (typeof value === "number") return value + random.pick([1, -1]) * 2 ** random.below(40);
  return flipText(String(value), random);
}

function flipText(text: string | Uint8Array, random: Random): Uint8Array {
  const bytes = Buffer.from(text as string);
  bytes[random.below(bytes.length)]! ^= 1 << random.below(8);
  return bytes;
}
