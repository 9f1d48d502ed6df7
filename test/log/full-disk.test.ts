import { execFileSync } from "node:child_process";
import { appendFileSync, mkdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { sqliteStore } from "pegboard/node";
import { expect, onTestFinished, test } from "vitest";
import { type Child, type ChildOptions, emptyFolder, start } from "./child.ts";
import { readJournal } from "./journal.ts";
import { LogReader, verify } from "./log-reader.ts";
import { databaseOf } from "./mixed-tools.ts";

/** How a call ended, as the worker tells it. */
interface Outcome {
  readonly id: string;
  readonly ok: boolean;
  readonly code?: string;
  readonly message?: string;
  readonly unrecorded?: string;
}

test("a full disk stops what has effects, nothing else, until there is space again", async (context) => {
  const folder = emptyFolder();
  if (!mountSmall(join(folder, "data"))) context.skip("nothing can be mounted here");
  const filler = join(folder, "data", "filler");
  const fired = await failAndResume(folder, { begin: () => fill(filler), end: () => rmSync(filler) });
  expect(fired).toBeGreaterThan(0);
});

test("a file that may not grow stops what has effects, nothing else, until it may", async () => {
  const folder = emptyFolder();
  const fired = await failAndResume(folder, {
    begin(child) {
      const limit = statSync(`${databaseOf(folder)}-wal`).size + 100;
      execFileSync("prlimit", ["--pid", String(child.process.pid), `--fsize=${limit}:unlimited`]);
      return 1;
    },
    end: (child) => void execFileSync("prlimit", ["--pid", String(child.process.pid), "--fsize=unlimited:unlimited"]),
  });
  expect(fired).toBeGreaterThan(0);
});

/** Makes calls before, during and after a fault. Resolves to how often `begin` has seen it. */
async function failAndResume(
  folder: string,
  fault: { begin(child: Child): number; end(child: Child): void },
): Promise<number> {
  const child = start("call-worker.ts", [folder]);
  const before = [
    await tell(child, "effect"),
    await tell(child, "look"),
    await tell(child, "vfs_write", { path: "a", content: "kept" }),
  ];
  expect(before.map(({ ok, unrecorded }) => [ok, unrecorded])).toEqual([
    [true, undefined],
    [true, undefined],
    [true, undefined],
  ]);
  const events = await countEvents(child);

  const fired = fault.begin(child);
  const refused = [await tell(child, "effect"), await tell(child, "slow"), await tell(child, "nested")];
  for (const { ok, code, message } of refused) {
    expect({ ok, code }).toEqual({ ok: false, code: "unavailable" });
    expect(message).toMatch(
      /was not run: the call cannot be recorded .*pegboard\.db.*check that the disk has space left/,
    );
  }
  expect(await tell(child, "vfs_write", { path: "a", content: "x".repeat(100_000) })).toMatchObject({
    ok: false,
    code: "unavailable",
  });
  const look = await tell(child, "look");
  expect(look.ok).toBe(true);
  expect(look.unrecorded).toContain("pegboard.db");
  expect(await tell(child, "vfs_read", { path: "a" })).toMatchObject({ ok: true });
  expect(await countEvents(child)).toBe(events);

  fault.end(child);
  const after = [
    await tell(child, "effect"),
    await tell(child, "look"),
    await tell(child, "vfs_write", { path: "a", content: "new" }),
  ];
  expect(after.map(({ ok, unrecorded }) => [ok, unrecorded])).toEqual([
    [true, undefined],
    [true, undefined],
    [true, undefined],
  ]);
  child.process.stdin!.end();
  expect(await child.exit).toMatchObject({ code: 0 });
  expect(readJournal(join(folder, "ledger"))).toEqual([before[0]!.id, after[0]!.id]);
  await checkLog(folder, [...before, ...after]);
  return fired;
}

test.for([
  ["a sync that fails", "fsync,fdatasync:error=EIO"],
  ["a write that fails", "pwrite64:error=EIO"],
  ["a disk that is full for a moment", "pwrite64:error=ENOSPC"],
  ["a disk that turned read-only for a moment", "pwrite64:error=EROFS"],
])("%s is told, and no effect goes unrecorded", async ([, fault]) => {
  const folder = emptyFolder();
  mkdirSync(join(folder, "data"));
  const trace = join(folder, "trace");
  const under = [
    "strace",
    "-f",
    "-o",
    trace,
    "-P",
    `${databaseOf(folder)}-wal`,
    "-e",
    "trace=fsync,fdatasync,pwrite64",
    "-e",
    `inject=${fault}:when=30..40`,
  ];
  const child = start("call-worker.ts", [folder], { under } satisfies ChildOptions);
  const outcomes: Outcome[] = [];
  for (let index = 0; index < 40; index++) outcomes.push(await tell(child, "effect"));
  child.process.stdin!.end();
  expect(await child.exit).toMatchObject({ code: 0 });

  const fired = readFileSync(trace, "utf8")
    .split("\n")
    .filter((line) => line.includes("(INJECTED)")).length;
  expect(fired).toBe(11);
  expect(outcomes.at(-1)).toMatchObject({ ok: true });
  const hit = outcomes.filter(({ ok, unrecorded }) => !ok || unrecorded !== undefined);
  expect(hit.length).toBeGreaterThan(0);
  for (const { ok, code } of outcomes) if (!ok) expect(code).toBe("unavailable");
  // Whatever has run, and nothing else, has had its effect.
  expect(readJournal(join(folder, "ledger"))).toEqual(outcomes.filter(({ ok }) => ok).map(({ id }) => id));
  await checkLog(
    folder,
    outcomes.filter(({ unrecorded }) => unrecorded === undefined),
  );
});

async function tell(child: Child, tool: string, input = {}): Promise<Outcome> {
  child.say(JSON.stringify({ tool, input }));
  return JSON.parse((await child.line()) ?? "{}") as Outcome;
}

async function countEvents(child: Child): Promise<number> {
  child.say("{}");
  return (JSON.parse((await child.line()) ?? "{}") as { events: number }).events;
}

async function checkLog(folder: string, acknowledged: readonly Outcome[]): Promise<void> {
  const store = sqliteStore(databaseOf(folder));
  const log = new LogReader();
  await log.catchUp(store);
  await store.close();
  for (const { id, ok } of acknowledged) expect(log.calls.get(id)?.ended?.data.ok, id).toBe(ok);
  for (const id of readJournal(join(folder, "ledger"))) expect(log.calls.get(id)?.executed, id).toBeTypeOf("number");
  expect(await verify(databaseOf(folder))).toBe(log.events.length);
}

/** Mounts a file system of 8 MB; gone when the test is over. False where that is not allowed. */
function mountSmall(folder: string): boolean {
  mkdirSync(folder);
  try {
    execFileSync("mount", ["-t", "tmpfs", "-o", "size=8m", "tmpfs", folder], { stdio: "ignore" });
  } catch {
    return false;
  }
  onTestFinished(() => void execFileSync("umount", ["--lazy", folder]));
  return true;
}

/** Fills what is left of a file system. Returns how often it said that it is full. */
function fill(file: string): number {
  let full = 0;
  for (const size of [1_048_576, 4_096, 1]) {
    for (;;) {
      try {
        appendFileSync(file, Buffer.alloc(size));
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== "ENOSPC") throw error;
        full++;
        break;
      }
    }
  }
  return full;
}
