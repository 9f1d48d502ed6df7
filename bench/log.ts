import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import type { Event, Store } from "pegboard";
import { sqliteStore } from "pegboard/node";
import { type Contestant, measure, median, ratio } from "./measure.ts";
import { type Report, toTime } from "./report.ts";

const CALLERS = 16;

/** What it costs to log calls on disk before anybody hears of them, against SQLite itself with the same rows. */
export async function log(): Promise<Report> {
  const folder = mkdtempSync(join(tmpdir(), "pegboard-bench-"));
  const store = sqliteStore(join(folder, "store", "pegboard.db"));
  const raw = openRaw(join(folder, "raw.db"));
  try {
    const measured = await measure(
      [
        logged("one call", [new Caller()], store),
        rawly("one call, raw, in the same transactions", [new Caller()], raw),
        logged(`${CALLERS} at once in sessions of their own`, callers(CALLERS), store),
        rawly(`${CALLERS} in sessions of their own, raw, in the same transactions`, callers(CALLERS), raw),
        rawlyEach(`${CALLERS} in sessions of their own, raw, a sync for each`, callers(CALLERS), raw),
        logged(`${CALLERS} at once in one session`, [new Caller(CALLERS)], store),
        rawly(`${CALLERS} in one session, raw, in the same transactions`, [new Caller(CALLERS)], raw),
        rawlyEach(`${CALLERS} in one session, raw, a sync for each`, Array<Caller>(CALLERS).fill(new Caller()), raw),
      ],
      { warmUpMs: 300, rounds: 9 },
    );
    const [one, oneRaw, own, ownRaw, ownEach, shared, sharedRaw, sharedEach] = measured;
    return {
      title: "log: the events of calls, on disk",
      table: [["", "time"], ...measured.map(({ name, ns }) => [name, toTime(median(ns))])],
      ratios: [
        { name: "one call / raw", value: ratio(one, oneRaw), target: 1.3 },
        { name: `${CALLERS} in sessions of their own / raw`, value: ratio(own, ownRaw), target: 1.3 },
        { name: `${CALLERS} in one session / raw`, value: ratio(shared, sharedRaw), target: 1.3 },
        { name: `${CALLERS} in sessions of their own / a sync for each`, value: ratio(own, ownEach), target: 0.25 },
        { name: `${CALLERS} in one session / a sync for each`, value: ratio(shared, sharedEach), target: 0.25 },
      ],
      notes: [
        "Raw is SQLite with the same rows, columns and indexes, and no chain of hashes.",
        "A call needs two syncs: its intent before the effect, its outcome before the answer. The disk decides what one costs.",
      ],
    };
  } finally {
    raw[Symbol.dispose]();
    await store.close();
    rmSync(folder, { recursive: true });
  }
}

function callers(count: number): readonly Caller[] {
  return Array.from({ length: count }, () => new Caller());
}

/** The intents, then the outcomes, of all callers at once. */
function logged(name: string, callers: readonly Caller[], store: Store): Contestant {
  const log = async (caller: Caller) => {
    await store.append(caller.intent());
    await store.append(caller.outcome());
  };
  return { name, run: () => Promise.all(callers.map(log)) };
}

/** The same rows in the same two transactions. */
function rawly(name: string, callers: readonly Caller[], raw: Raw): Contestant {
  const run = () => {
    raw.append(callers.flatMap((caller) => caller.intent()));
    raw.append(callers.flatMap((caller) => caller.outcome()));
  };
  return { name, run };
}

/** The same rows, one caller after the other, each with a transaction of its own. */
function rawlyEach(name: string, callers: readonly Caller[], raw: Raw): Contestant {
  return { name, run: () => callers.forEach((caller) => raw.append([...caller.intent(), ...caller.outcome()])) };
}

/** Makes the events of calls as they are in the log of a session: so many at a time. */
class Caller {
  readonly #session = crypto.randomUUID();
  readonly #calls: number;
  #seq = 0;
  #ids: readonly string[] = [];

  constructor(calls = 1) {
    this.#calls = calls;
  }

  intent(): readonly Event[] {
    this.#ids = Array.from({ length: this.#calls }, () => crypto.randomUUID());
    const input = { query: "where is the wall", limit: 10, filters: { kind: "tool", tags: ["a", "b"] } };
    const intent = {
      tool: "search",
      decision: "preApproved",
      by: "rule",
      rule: `tool "search" → preApproved`,
      process: "host/1234/5678",
    };
    return this.#ids.flatMap((call) => [
      this.#event("call-start", call, { tool: "search", input, caller: "model" }),
      this.#event("execute-start", call, intent),
    ]);
  }

  outcome(): readonly Event[] {
    const result = {
      ok: true,
      content: [{ type: "text", text: "It hangs behind you, and it holds every tool" }],
      meta: {},
    };
    return this.#ids.map((call) => this.#event("call-end", call, { tool: "search", ok: true, ms: 0.4, result }));
  }

  #event(type: Event["type"], call: string, data: object): Event {
    return { v: 1, seq: ++this.#seq, at: Date.now(), type, session: this.#session, call, data } as Event;
  }
}

interface Raw extends Disposable {
  append(events: readonly Event[]): void;
}

function openRaw(file: string): Raw {
  const database = new DatabaseSync(file);
  database.exec("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL");
  database.exec(`CREATE TABLE events (
    id INTEGER PRIMARY KEY, session TEXT, seq INTEGER, at REAL, type TEXT, tool TEXT, call TEXT, agent TEXT, decision TEXT, event TEXT,
    hash TEXT, pruned_by INTEGER, UNIQUE (session, seq)
  ) STRICT`);
  database.exec(
    "CREATE TABLE open_calls (session TEXT, call TEXT, id INTEGER, PRIMARY KEY (session, call)) STRICT, WITHOUT ROWID",
  );
  const columns = "session, seq, at, type, tool, call, agent, decision, event, hash";
  const insert = database.prepare(`INSERT INTO events (${columns}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`);
  const open = database.prepare("INSERT INTO open_calls (session, call, id) VALUES (?, ?, 1)");
  const close = database.prepare("DELETE FROM open_calls WHERE session = ? AND call = ?");
  const hash = "0".repeat(64);
  return {
    append(events) {
      database.exec("BEGIN IMMEDIATE");
      for (const event of events) {
        const { session, seq, at, type, call = null } = event;
        const decision = type === "execute-start" ? "preApproved" : null;
        insert.run(session, seq, at, type, "search", call, null, decision, JSON.stringify(event), hash);
        if (type === "execute-start") open.run(session, call);
        if (type === "call-end") close.run(session, call);
      }
      database.exec("COMMIT");
    },
    [Symbol.dispose]: () => database.close(),
  };
}
