import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { sqliteStore } from "pegboard/node";
import { measure, median, ratio } from "./measure.ts";
import { pegboardPeer } from "./peers/pegboard.ts";
import { toContestant } from "./peers/peer.ts";
import { type Report, toTime } from "./report.ts";

/** What it costs that the log is on disk before the effect. Informational: a disk decides. */
export async function sqlite(): Promise<Report> {
  const folder = mkdtempSync(join(tmpdir(), "pegboard-bench-"));
  try {
    const store = sqliteStore(join(folder, "pegboard.db"));
    await using peer = pegboardPeer(1, store);
    const contestant = await toContestant(peer);
    const events = (await store.read({ last: 3 })).map((event) => JSON.stringify(event));
    using database = openRaw(join(folder, "raw.db"));
    const measured = await measure(
      [
        contestant,
        { name: "its events, raw, in one transaction", run: () => database.append(events) },
        {
          name: "its events, raw, in the two transactions it needs",
          run: () => (database.append(events.slice(0, 2)), database.append(events.slice(2))),
        },
      ],
      { warmUpMs: 300, rounds: 7 },
    );
    const [ours, one, two] = measured;
    return {
      title: "sqlite: one call with the SQLite store",
      table: [["", "time"], ...measured.map(({ name, ns }) => [name, toTime(median(ns))])],
      ratios: [
        { name: "pegboard / one transaction", value: ratio(ours, one) },
        { name: "pegboard / two transactions", value: ratio(ours, two) },
      ],
      notes: ["The intent is on disk before the tool runs, and its outcome before the caller hears of it."],
    };
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function openRaw(file: string): Disposable & { append(events: readonly string[]): void } {
  const database = new DatabaseSync(file);
  database.exec(
    "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; CREATE TABLE events (id INTEGER PRIMARY KEY, event TEXT NOT NULL)",
  );
  const insert = database.prepare("INSERT INTO events (event) VALUES (?)");
  return {
    append(events) {
      database.exec("BEGIN IMMEDIATE");
      for (const event of events) insert.run(event);
      database.exec("COMMIT");
    },
    [Symbol.dispose]: () => database.close(),
  };
}
