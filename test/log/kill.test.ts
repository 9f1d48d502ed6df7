import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { sqliteStore } from "pegboard/node";
import { expect, test } from "vitest";
import { digestBlob } from "../../packages/pegboard/src/node/blob-files.ts";
import { type Child, emptyFolder, start } from "./child.ts";
import { readJournal } from "./journal.ts";
import { digestText, LogReader, verify } from "./log-reader.ts";
import { databaseOf, LONG_TEXT } from "./mixed-tools.ts";
import { createRandom, type Random } from "./random.ts";
import { testSeed } from "./seed.ts";

const KILLS = Number(process.env["PEGBOARD_KILLS"] ?? 160);

interface Acknowledged {
  readonly session: string;
  readonly call: string;
  readonly ok: boolean;
  readonly code?: string;
  readonly seen: number;
  readonly unrecorded?: string;
  readonly path?: string;
  readonly version?: number;
}

test(`nothing that was acknowledged is lost and no effect happens twice in ${KILLS} kills`, async () => {
  const seed = testSeed();
  const random = createRandom(seed);
  const folder = emptyFolder();
  const file = databaseOf(folder);
  const worker = (life: number, ms = 0) => start("kill-worker.ts", [folder, seed + life, ms]);
  const log = new LogReader();
  const journals = { acknowledged: 0, ledger: 0 };
  let alive = 0;
  let next = worker(0);
  for (let kills = 1; kills <= KILLS; kills++) {
    const current = next;
    await current.line();
    next = worker(kills);
    const ready = await killAtRandom(current, random);
    if (ready) alive++;
    const left = log.open;
    await catchUp(log, file);
    checkJournals(log, folder, journals);
    // Before its first call a process ends what those before it have left open.
    if (ready) expect(left.filter((id) => !log.calls.get(id)?.ended)).toEqual([]);
  }
  next.process.kill("SIGKILL");
  await next.exit;

  const last = worker(KILLS + 1, 500);
  await last.line();
  last.say("go");
  expect(await last.exit).toMatchObject({ code: 0 });

  // All of it once more: what was there must still be there.
  const whole = new LogReader();
  await catchUp(whole, file);
  expect(whole.open).toEqual([]);
  checkJournals(whole, folder);
  await checkBlobs(whole, folder);
  await checkFiles(folder, file);
  expect(await verify(file)).toBe(whole.events.length);
  expect(alive).toBeGreaterThan(KILLS / 3);
  expect(whole.interrupted.length).toBeGreaterThan(KILLS / 3);
  console.log(
    `${KILLS} kills, ${whole.events.length} events, ${whole.calls.size} calls, ${whole.interrupted.length} interrupted`,
  );
});

/** Kills a process within its first moments, or within its first moments at work. Resolves to whether it came to work. */
async function killAtRandom(child: Child, random: Random): Promise<boolean> {
  child.say("go");
  const ready = child.line();
  if (random.below(4) > 0) await ready;
  await setTimeout(random.between(1, 60));
  child.process.kill("SIGKILL");
  expect(await child.exit).toMatchObject({ signal: "SIGKILL" });
  return (await ready) !== undefined;
}

async function catchUp(log: LogReader, file: string): Promise<void> {
  const store = sqliteStore(file);
  await log.catchUp(store);
  await store.close();
}

function readAcknowledged(folder: string): readonly Acknowledged[] {
  return readJournal(join(folder, "acknowledged")).map((line) => JSON.parse(line) as Acknowledged);
}

/** Compares what is noted outside with the log, from these lines on. */
function checkJournals(log: LogReader, folder: string, from = { acknowledged: 0, ledger: 0 }): void {
  const acknowledged = readAcknowledged(folder);
  for (const { session, call, ok, code, seen, unrecorded } of acknowledged.slice(from.acknowledged)) {
    const { ended } = log.calls.get(call) ?? {};
    expect({ call, ok: ended?.data.ok, code: ended?.data.error?.code, unrecorded }).toEqual({
      call,
      ok,
      code,
      unrecorded: undefined,
    });
    expect(log.last(session)).toBeGreaterThanOrEqual(seen);
  }
  const effects = readJournal(join(folder, "ledger"));
  expect(new Set(effects).size).toBe(effects.length);
  for (const call of effects.slice(from.ledger)) expect(log.calls.get(call)?.executed, call).toBeTypeOf("number");
  Object.assign(from, { acknowledged: acknowledged.length, ledger: effects.length });
}

async function checkBlobs(log: LogReader, folder: string): Promise<void> {
  const sha256 = digestText(LONG_TEXT);
  const kept = [...log.calls].filter(([, { ended }]) => ended?.data.blob);
  expect(kept.length).toBeGreaterThan(0);
  for (const [call, { session, ended }] of kept) {
    expect(ended?.data.blob).toEqual({ characters: LONG_TEXT.length, sha256 });
    expect(await digestBlob(join(folder, "data", "blobs"), session, call)).toBe(sha256);
  }
}

async function checkFiles(folder: string, file: string): Promise<void> {
  const store = sqliteStore(file);
  const written = readAcknowledged(folder).filter(({ path }) => path !== undefined);
  expect(written.length).toBeGreaterThan(0);
  expect(new Set(written.map(({ path, version }) => `${path} ${version}`)).size).toBe(written.length);
  for (const path of await store.files.list()) {
    const history = await store.files.history(path);
    const newest = history.at(-1)!.version;
    expect(history.map(({ version }) => version)).toEqual(
      history.map((_, index) => newest - history.length + 1 + index),
    );
    for (const { call, version = 0 } of written.filter((one) => one.path === path)) {
      expect(version).toBeLessThanOrEqual(newest);
      const kept = history.find((one) => one.version === version);
      if (kept) expect(kept.text).toBe(call);
    }
  }
  await store.close();
}
