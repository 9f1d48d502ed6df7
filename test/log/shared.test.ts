import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { sqliteStore } from "pegboard/node";
import { expect, test } from "vitest";
import { type Child, emptyFolder, start } from "./child.ts";
import { readJournal } from "./journal.ts";
import { LogReader, verify } from "./log-reader.ts";
import { databaseOf } from "./mixed-tools.ts";

const CALLS = 250;

test("two processes write to one workspace and one session: nothing is lost, overwritten or out of order", async () => {
  const folder = emptyFolder();
  const names = ["left", "right"];
  const children = names.map((name) => start("shared-worker.ts", [folder, name, CALLS]));
  for (const child of children) await child.line();
  for (const child of children) child.say("go");
  for (const child of children) expect(await child.exit).toMatchObject({ code: 0 });

  const log = await readLog(folder);
  expect(await verify(databaseOf(folder))).toBe(log.events.length);
  const acknowledged = readJournal(join(folder, "acknowledged")).map((line) => JSON.parse(line) as { id: string });
  expect(acknowledged).toHaveLength(names.length * 2 * CALLS);
  for (const { id, ...outcome } of acknowledged) {
    expect(outcome, id).toEqual({ ok: true });
    expect(log.calls.get(id)?.ended?.data.ok, id).toBe(true);
  }
  const effects = readJournal(join(folder, "ledger"));
  expect(new Set(effects).size).toBe(effects.length);
  expect(log.interrupted).toEqual([]);

  const inputs = log.events.flatMap(({ type, session, data }) =>
    type === "call-start" ? [{ session, ...(data.input as { by: string; number: number }) }] : [],
  );
  for (const [writer, calls] of Map.groupBy(inputs, ({ session, by }) => `${session} of ${by}`)) {
    expect(
      calls.map(({ number }) => number),
      writer,
    ).toEqual(Array.from({ length: CALLS }, (_, index) => index + 1));
  }
  // They did meet.
  const writers = inputs.filter(({ session }) => session === "shared").map(({ by }) => by);
  const turns = writers.filter((by, index) => by !== writers[index - 1]).length;
  console.log(`${log.events.length} events, ${turns} turns in the shared session`);
  expect(turns).toBeGreaterThan(3);
});

test("a process that is gone leaves the calls of another one alone, also in the session that they share", async () => {
  const folder = emptyFolder();
  const stays = start("call-worker.ts", [folder, "shared"]);
  const leaves = start("call-worker.ts", [folder, "shared"]);
  await tell(stays, "look", "first", {});
  stays.say(JSON.stringify({ tool: "slow", id: "goes-on", input: { ms: 1_000 } }));
  await tell(leaves, "look", "second", {});
  leaves.say(JSON.stringify({ tool: "slow", id: "breaks-off", input: { ms: 5_000 } }));
  await until(async () => (await readLog(folder)).open.length === 2);
  leaves.process.kill("SIGKILL");
  expect(await leaves.exit).toMatchObject({ signal: "SIGKILL" });

  await tell(start("call-worker.ts", [folder, "shared"]), "look", "third", {});
  const between = await readLog(folder);
  expect(between.interrupted).toEqual(["breaks-off"]);
  expect(between.open).toEqual(["goes-on"]);
  expect(JSON.parse((await stays.line()) ?? "{}")).toMatchObject({ id: "goes-on", ok: true });
  const after = await readLog(folder);
  expect(after.calls.get("goes-on")?.ended?.data.ok).toBe(true);
  expect(after.open).toEqual([]);
});

async function tell(child: Child, tool: string, id: string, input: object): Promise<void> {
  child.say(JSON.stringify({ tool, id, input }));
  expect(JSON.parse((await child.line()) ?? "{}")).toMatchObject({ id, ok: true });
}

async function until(holds: () => Promise<boolean>): Promise<void> {
  while (!(await holds())) await setTimeout(20);
}

async function readLog(folder: string): Promise<LogReader> {
  const store = sqliteStore(databaseOf(folder));
  const log = new LogReader();
  await log.catchUp(store);
  await store.close();
  return log;
}
