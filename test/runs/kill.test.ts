import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import type { Event } from "pegboard";
import { sqliteStore } from "pegboard/node";
import { expect, test } from "vitest";
import { type Child, emptyFolder, start } from "../log/child.ts";
import { readJournal } from "../log/journal.ts";
import { LogReader, verify } from "../log/log-reader.ts";
import { createRandom, type Random } from "../log/random.ts";
import { testSeed } from "../log/seed.ts";
import { CHILDREN, databaseOf, EFFECTS } from "./team.ts";

const KILLS = Number(process.env["PEGBOARD_KILLS"] ?? 160);
const ROUNDS = 8;

interface Acknowledged {
  readonly session: string;
  /** Absent of a note that a run was somebody else's. */
  readonly run?: string;
  readonly status: string;
  readonly text: string;
  readonly tokens: number;
  readonly seen: number;
}

test(`every run goes on after each of ${KILLS} kills, and no effect happens twice`, async () => {
  const random = createRandom(testSeed());
  const folder = emptyFolder();
  const worker = (life: number, last = "") => start("../runs/run-worker.ts", [folder, life, last]);
  const log = new LogReader();
  let next = worker(0);
  for (let kills = 1; kills <= KILLS; kills++) {
    const current = next;
    await current.line();
    next = worker(kills);
    await killAtRandom(current, random);
    await catchUp(log, folder);
    checkJournals(log, folder);
  }
  next.process.kill("SIGKILL");
  await next.exit;

  await finishWith([worker(KILLS, "last")]);

  const whole = new LogReader();
  await catchUp(whole, folder);
  checkJournals(whole, folder);
  expect(whole.open).toEqual([]);
  expect(await verify(databaseOf(folder))).toBe(whole.events.length);
  const { runs, roots } = checkRuns(whole.events, folder);
  const resumed = whole.events.filter(({ type }) => type === "run-progress").length;
  console.log(
    `${KILLS} kills, ${whole.events.length} events, ${roots} runs with ${runs - roots} below them, ${resumed} times resumed, ${whole.interrupted.length} calls interrupted`,
  );
  // The faults have been met.
  expect(resumed).toBeGreaterThan(KILLS);
  expect(whole.interrupted.length).toBeGreaterThan(0);
  expect(roots).toBeGreaterThan(8);
});

test(`of several processes that resume at once each run has one, in ${ROUNDS} rounds`, async () => {
  const random = createRandom(testSeed());
  const folder = emptyFolder();
  for (let round = 0; round < ROUNDS; round++) {
    const victim = start("../runs/run-worker.ts", [folder, round]);
    const others = [1, 2, 3].map(() => start("../runs/run-worker.ts", [folder, round, "last"]));
    await victim.line();
    await killAtRandom(victim, random);
    await finishWith(others);
  }
  const log = new LogReader();
  await catchUp(log, folder);
  checkJournals(log, folder);
  expect(log.open).toEqual([]);
  const { roots } = checkRuns(log.events, folder);
  const resumed = log.events.filter(({ type }) => type === "run-progress").length;
  const busy = readJournal(join(folder, "acknowledged")).filter((line) => line.includes('"busy"')).length;
  console.log(`${ROUNDS} rounds, ${roots} runs, ${resumed} times resumed, ${busy} times busy`);
  expect(busy).toBeGreaterThan(0);
});

/** Lets processes go on with all that was left, at the same moment, and waits for their end. */
async function finishWith(workers: readonly Child[]): Promise<void> {
  for (const worker of workers) {
    await worker.line();
    worker.say("go");
  }
  for (const worker of workers) await worker.line();
  for (const worker of workers) worker.say("go");
  for (const worker of workers) expect(await worker.exit).toMatchObject({ code: 0 });
}

/** Kills a process within its first moments at work, now and then later, so that runs also come to their end. */
async function killAtRandom(child: Child, random: Random): Promise<void> {
  child.say("go");
  await child.line();
  await setTimeout(random.below(3) > 0 ? random.between(1, 60) : random.between(60, 300));
  child.process.kill("SIGKILL");
  expect(await child.exit).toMatchObject({ signal: "SIGKILL" });
}

async function catchUp(log: LogReader, folder: string): Promise<void> {
  const store = sqliteStore(databaseOf(folder));
  await log.catchUp(store);
  await store.close();
}

/** Compares what is noted outside with the log. */
function checkJournals(log: LogReader, folder: string): void {
  const ends = new Map(log.events.flatMap((event) => (event.type === "run-end" ? [[event.run, event] as const] : [])));
  for (const line of readJournal(join(folder, "acknowledged"))) {
    const { session, run, status, text, seen } = JSON.parse(line) as Acknowledged;
    if (run === undefined) continue;
    expect(ends.get(run)?.data, run).toMatchObject({ status, text });
    expect(log.last(session)).toBeGreaterThanOrEqual(seen);
  }
  const effects = readJournal(join(folder, "ledger"));
  expect(new Set(effects).size).toBe(effects.length);
  for (const call of effects) expect(log.calls.get(call)?.executed, call).toBeTypeOf("number");
}

/** Every run is over, once; those at the top are completed, with all that they had to do done or told as interrupted. */
function checkRuns(events: readonly Event[], folder: string): { readonly runs: number; readonly roots: number } {
  const starts = events.filter((event) => event.type === "run-start");
  const ends = events.filter((event) => event.type === "run-end");
  expect(new Set(starts.map(({ run }) => run)).size).toBe(starts.length);
  expect(ends).toHaveLength(starts.length);
  expect(new Set(ends.map(({ run }) => run))).toEqual(new Set(starts.map(({ run }) => run)));
  const roots = starts.filter(({ parent }) => parent === undefined);
  const callers = new Map(
    events.flatMap(({ type, call, run }) => (type === "call-start" ? [[call, run] as const] : [])),
  );
  const parents = new Map(starts.map(({ run, parent }) => [run, callers.get(parent)] as const));
  const rootOf = (run: string | undefined): string | undefined => (parents.get(run) ? rootOf(parents.get(run)) : run);
  const told = events.flatMap((event) => (event.type === "transcript-change" ? (event.data.task ?? []) : []));
  expect(told.sort()).toEqual(events.flatMap((event) => (event.type === "task-end" ? event.data.task : [])).sort());
  expect(new Set(told).size).toBe(roots.length);
  const ledger = new Set(readJournal(join(folder, "ledger")));
  for (const { run } of roots) {
    expect(ends.find((end) => end.run === run)?.data, run).toMatchObject({
      status: "completed",
      text: "Led",
    });
    expect(starts.filter((start) => rootOf(start.run) === run)).toHaveLength(1 + CHILDREN);
    const effects = events.filter(
      (event): event is Extract<Event, { type: "call-end" }> =>
        event.type === "call-end" && event.data.tool === "effect" && rootOf(callers.get(event.call)) === run,
    );
    expect(effects).toHaveLength(EFFECTS);
    for (const { call, data } of effects) if (data.ok) expect(ledger.has(call!), call).toBe(true);
    for (const { data } of effects) if (!data.ok) expect(data.error?.code).toBe("interrupted");
  }
  return { runs: starts.length, roots: roots.length };
}
