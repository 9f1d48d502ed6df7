import { cpSync, existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Event, Store } from "pegboard";
import { sqliteStore } from "pegboard/node";
import { describe, expect, test } from "vitest";
import { digestBlob } from "../../packages/pegboard/src/node/blob-files.ts";
import { emptyFolder, start } from "./child.ts";
import { SCENARIOS } from "./crash-scenarios.ts";
import { readJournal } from "./journal.ts";
import { digestText, LogReader, verify } from "./log-reader.ts";
import { databaseOf, LONG_TEXT, openMixed } from "./mixed-tools.ts";

/** How many points there were when this was written. Fewer means that something is not watched any more. */
const LEAST_POINTS = 450;
const AT_ONCE = 3;

let points = 0;

describe("a process that ends at any durable operation leaves a log that goes on", () => {
  for (const scenario of Object.keys(SCENARIOS)) {
    test(`of ${scenario}, on a log that is there`, async () => {
      expect(await crashEverywhere(scenario, true)).toBeGreaterThan(0);
    });
  }
  test("of a call, on a log that is being made", async () => {
    expect(await crashEverywhere("a call", false)).toBeGreaterThan(0);
  });
  test("there are as many points as ever", () => {
    console.log(`${points} crash points`);
    expect(points).toBeGreaterThanOrEqual(LEAST_POINTS);
  });
});

/** Plays a scenario once to its end, then once for each of its points, where the process is killed. Resolves to their number. */
async function crashEverywhere(scenario: string, prepared: boolean): Promise<number> {
  const template = prepared ? await prepare() : undefined;
  const reference = await play(scenario, template, 0);
  expect(reference.exit).toMatchObject({ code: 0 });
  const expected = await readTypes(reference.folder);
  const count = Number(readFileSync(join(reference.folder, "count"), "utf8"));
  let next = 1;
  const lane = async () => {
    while (next <= count) {
      const crashAt = next++;
      const { folder, exit } = await play(scenario, template, crashAt);
      // What is appended at the same time may be written together: then there are fewer points than there were.
      if (exit.signal === "SIGKILL") points++;
      else expect(exit, `point ${crashAt} of ${count}`).toMatchObject({ code: 0 });
      await check(folder, expected).catch((error: unknown) => {
        throw new Error(`After point ${crashAt} of ${count}`, { cause: error });
      });
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, lane));
  return count;
}

/** A folder with a log of an earlier process. */
async function prepare(): Promise<string> {
  const folder = emptyFolder();
  const workspace = await openMixed(folder);
  await workspace.open({ id: "one" }).call("vfs_write", { path: "b", content: "before" });
  await workspace.close();
  return folder;
}

async function play(scenario: string, template: string | undefined, crashAt: number) {
  const folder = emptyFolder();
  if (template) cpSync(template, folder, { recursive: true });
  const env = { CRASH_AT: String(crashAt), CRASH_COUNT: join(folder, "count") };
  const child = start("crash-worker.ts", [folder, scenario], { preload: ["preload-crash.ts"], env });
  return { folder, exit: await child.exit };
}

/** The types of the events of each session, in order. */
async function readTypes(folder: string): Promise<ReadonlyMap<string, readonly string[]>> {
  const store = sqliteStore(databaseOf(folder));
  const sessions = Map.groupBy(await store.read(), ({ session }) => session);
  await store.close();
  return new Map(Array.from(sessions, ([session, events]) => [session, events.map(toType)]));
}

function toType({ type, data }: Event): string {
  return `${type} ${(data as { tool?: string }).tool ?? ""}`;
}

async function check(folder: string, expected: ReadonlyMap<string, readonly string[]>): Promise<void> {
  for (const [session, types] of await readTypes(folder)) {
    if (expected.has(session)) expect(types, session).toEqual(expected.get(session)!.slice(0, types.length));
  }
  const done = readJournal(join(folder, "acknowledged"));
  const workspace = await openMixed(folder);
  expect((await workspace.open({ id: "after" }).call("effect", {}, { id: "c-after" })).ok).toBe(true);
  const log = new LogReader();
  await log.catchUp(workspace.store);
  checkCalls(log, done, folder);
  await checkPrune(log, workspace.store, done, folder);
  await checkFiles(workspace.store, done, log);
  await checkBlobs(log, folder);
  await workspace.close();
  await verify(databaseOf(folder));
}

function checkCalls(log: LogReader, done: readonly string[], folder: string): void {
  expect(log.open).toEqual([]);
  for (const [id = "", outcome] of done.map((line) => line.split(" "))) {
    if (outcome !== undefined && !(isPruned(log) && log.calls.get(id) === undefined))
      expect(log.calls.get(id)?.ended?.data.ok, id).toBe(outcome === "ok");
  }
  const effects = readJournal(join(folder, "ledger"));
  expect(new Set(effects).size).toBe(effects.length);
  for (const call of effects) if (!isPruned(log)) expect(log.calls.get(call)?.executed, call).toBeTypeOf("number");
}

function isPruned(log: LogReader): boolean {
  return log.events.some(({ type }) => type === "log-change");
}

/** A session is forgotten wholly or not at all, and what a crash left of it goes with the next prune. */
async function checkPrune(log: LogReader, store: Store, done: readonly string[], folder: string): Promise<void> {
  if (done.includes("prune")) expect(isPruned(log)).toBe(true);
  if (!isPruned(log)) return;
  expect(await store.read({ session: "old" })).toEqual([]);
  await store.prune({ before: Date.now() + 60_000, keep: ["one", "after"] });
  expect(existsSync(join(folder, "data", "blobs", "old"))).toBe(false);
}

async function checkFiles({ files }: Store, done: readonly string[], log: LogReader): Promise<void> {
  const history = (await files.history("a")).map(({ version, text }) => `${version} ${text}`);
  expect(["1 text 1", "2 text 2"].slice(0, history.length)).toEqual(history);
  for (const version of [1, 2]) {
    if (done.includes(`write-${version} ok`) && !log.calls.has("delete"))
      expect(history.length).toBeGreaterThanOrEqual(version);
  }
  if (done.includes("delete ok")) expect(history).toEqual([]);
}

async function checkBlobs(log: LogReader, folder: string): Promise<void> {
  const blobs = join(folder, "data", "blobs");
  for (const [call, { session, ended }] of log.calls) {
    if (ended?.data.tool === "long" && ended.data.ok)
      expect(await digestBlob(blobs, session, call)).toBe(digestText(LONG_TEXT));
  }
  // What is there under the name of a text is the whole of it.
  for (const name of existsSync(join(blobs, "one")) ? readdirSync(join(blobs, "one")) : []) {
    if (name.endsWith(".txt")) expect(await digestBlob(blobs, "one", name.slice(0, -4))).toBe(digestText(LONG_TEXT));
  }
}
