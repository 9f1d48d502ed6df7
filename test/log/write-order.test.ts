import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import type { Event } from "pegboard";
import { sqliteStore } from "pegboard/node";
import { expect, test } from "vitest";
import { emptyFolder } from "./child.ts";
import { verify } from "./log-reader.ts";
import { createRandom } from "./random.ts";
import { testSeed } from "./seed.ts";
import { type DiskOperation, SimulatedDisk } from "./simulated-disk.ts";
import { record } from "./strace.ts";

const SEEDS = Number(process.env["PEGBOARD_SEEDS"] ?? 1_000);

/** What a run did to the disk, and the log as it was at its end. */
interface Run {
  readonly operations: readonly DiskOperation[];
  readonly hashes: readonly string[];
  readonly events: readonly Event[];
}

test(`what was acknowledged is there after ${SEEDS} power cuts, and nothing is damaged`, async () => {
  const seed = testSeed();
  const run = await runWorker();
  const syncs = run.operations.filter(({ kind }) => kind === "sync").length;
  const kept = await cutPower(run, seed, SEEDS);
  expect(kept.failure).toBeUndefined();
  expect(kept.lost).toBeGreaterThan(SEEDS / 10);
  console.log(
    `${run.operations.length} operations, ${syncs} syncs, ${SEEDS} power cuts, ${kept.lost} of which lost or tore something`,
  );
});

test.for([
  ["of the write-ahead log", /^data\/pegboard\.db-wal$/],
  ["of the database when the write-ahead log is carried over", /^data\/pegboard\.db$/],
  ["of a whole result", /\.tmp$/],
  ["of the folder of whole results", /^data\/blobs\/a$/],
  ["of the folder that holds the data folder", /^$/],
] as const)("a missing sync %s is found", async ([, place]) => {
  const seed = testSeed();
  const run = await runWorker();
  // A database that is only being made promises nothing yet.
  const made = run.operations.findIndex(({ kind }) => kind === "mark");
  const isMissing = (operation: DiskOperation, index: number) =>
    operation.kind === "sync" && place.test(operation.path) && (index > made || operation.path === "");
  const operations = run.operations.filter((operation, index) => !isMissing(operation, index));
  expect(operations.length).toBeLessThan(run.operations.length);
  const { failure, tries } = await cutPower({ ...run, operations }, seed, SEEDS);
  expect(failure).toBeDefined();
  console.log(`found by power cut ${tries}: ${String(failure).slice(0, 100)}`);
});

test("a log that is not synced at every commit is found", async () => {
  const seed = testSeed();
  const { failure, tries } = await cutPower(await runWorker(["preload-normal-sync.ts"]), seed, SEEDS);
  expect(failure).toBeDefined();
  console.log(`found by power cut ${tries}: ${String(failure).slice(0, 100)}`);
});

const runs = new Map<string, Promise<Run>>();

function runWorker(preload: readonly string[] = []): Promise<Run> {
  const key = preload.join();
  if (!runs.has(key)) runs.set(key, work(preload));
  return runs.get(key)!;
}

async function work(preload: readonly string[]): Promise<Run> {
  const folder = emptyFolder();
  mkdirSync(join(folder, "disk"));
  const operations = await record("write-order-worker.ts", folder, { preload });
  const store = sqliteStore(join(folder, "disk", "data", "pegboard.db"));
  const events = await store.read();
  await store.close();
  return { operations, events, hashes: readHashes(join(folder, "disk", "data", "pegboard.db")) };
}

function readHashes(file: string): readonly string[] {
  const database = new DatabaseSync(file);
  const hashes = database
    .prepare("SELECT hash FROM events ORDER BY id")
    .all()
    .map(({ hash }) => String(hash));
  database.close();
  return hashes;
}

/** Cuts the power at so many moments, until something is wrong afterwards. */
async function cutPower(
  run: Run,
  seed: number,
  seeds: number,
): Promise<{ failure?: unknown; tries: number; lost: number }> {
  const folder = emptyFolder();
  const cuts = chooseCuts(run.operations, seed, seeds);
  const disk = new SimulatedDisk();
  const acknowledged: string[] = [];
  let lost = 0;
  let tries = 0;
  try {
    for (const [index, operation] of run.operations.entries()) {
      disk.apply(operation);
      if (operation.kind === "mark") acknowledged.push(operation.text);
      for (const cut of cuts.get(index) ?? []) {
        tries++;
        const { files, damaged } = disk.crash(createRandom(cut));
        if (damaged) lost++;
        rmSync(folder, { recursive: true });
        for (const [path, bytes] of files) {
          mkdirSync(dirname(join(folder, path)), { recursive: true });
          writeFileSync(join(folder, path), bytes);
        }
        try {
          await check(join(folder, "data", "pegboard.db"), acknowledged, run);
        } catch (failure) {
          return { failure, tries, lost };
        }
      }
    }
    return { tries, lost };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** The moments: half of them right behind an acknowledgement, where most is promised. */
function chooseCuts(
  operations: readonly DiskOperation[],
  seed: number,
  seeds: number,
): ReadonlyMap<number, readonly number[]> {
  const marks = operations.flatMap(({ kind }, index) => (kind === "mark" ? [index] : []));
  const cuts = new Map<number, number[]>();
  for (let cut = seed; cut < seed + seeds; cut++) {
    const random = createRandom(cut);
    const index = random.below(2) === 0 ? random.pick(marks) : random.below(operations.length);
    cuts.set(index, [...(cuts.get(index) ?? []), cut]);
  }
  return cuts;
}

/** Throws unless the log is a beginning of the true one, with everything in it that was acknowledged, and goes on. */
async function check(file: string, acknowledged: readonly string[], { hashes, events }: Run): Promise<void> {
  const records = await verify(file);
  const store = sqliteStore(file);
  await store.append([{ v: 1, seq: 1, at: 0, type: "session-end", session: "after", data: { calls: 0 } }]);
  const newest = await store.files.read("large");
  await store.close();
  const found = readHashes(file);
  if (found.length !== records + 1) throw new Error(`${records} records became ${found.length - 1}`);
  if (records > 0 && found[records - 1] !== hashes[records - 1]) throw new Error(`Record ${records} is another one`);

  const ended = events.slice(0, records).flatMap(({ type, call }) => (type === "call-end" ? [call] : []));
  const lost = acknowledged.find((call) => !ended.includes(call));
  if (lost !== undefined) throw new Error(`Of call ${lost} the acknowledged end is missing`);
  const version = Number(acknowledged.findLast((call) => call.startsWith("write-"))?.slice("write-".length) ?? 0);
  if ((newest?.version ?? 0) < version) throw new Error(`Version ${version} of a file is missing`);
  checkIntegrity(file);
}

function checkIntegrity(file: string): void {
  const database = new DatabaseSync(file);
  const [row] = database.prepare("PRAGMA integrity_check").all();
  database.close();
  if (row?.["integrity_check"] !== "ok")
    throw new Error(`The database is damaged: ${String(row?.["integrity_check"])}`);
}
