import { type ChildProcess, spawn } from "node:child_process";
import { chmod, mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { text } from "node:stream/consumers";
import { setTimeout } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Event } from "../../src/core/event.ts";
import { sqliteStore } from "../../src/node/sqlite.ts";
import { describeStore } from "../../src/testing/describe-store.ts";

let root: string;
let folders = 0;

beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), "pegboard-sqlite-"));
});
afterAll(async () => {
  await rm(root, { recursive: true });
});

async function emptyFolder(): Promise<string> {
  const folder = join(root, String(++folders));
  await mkdir(folder);
  return folder;
}

function event(session: string, seq: number): Event {
  return { v: 1, seq, at: seq, type: "session-end", session, data: { calls: seq } };
}

describeStore(
  "the SQLite store",
  async () => {
    const file = join(await emptyFolder(), "pegboard.db");
    return { store: sqliteStore(file), reopen: async () => sqliteStore(file) };
  },
  { describe, test },
);

describe("the file of a SQLite store", () => {
  test("is not touched before the first use", async () => {
    const folder = await emptyFolder();
    const store = sqliteStore(join(folder, "data", "pegboard.db"));
    expect(await readdir(folder)).toEqual([]);
    await store.close();
    expect(await readdir(folder)).toEqual([]);
  });

  test("is made for its owner alone, with its folders and the files beside it", async () => {
    const folder = join(await emptyFolder(), "a", "b");
    const store = sqliteStore(join(folder, "pegboard.db"));
    await store.append([event("a", 1)]);
    const names = await readdir(folder);
    expect(names).toContain("pegboard.db");
    for (const name of names) expect((await stat(join(folder, name))).mode & 0o777, name).toBe(0o600);
    expect((await stat(folder)).mode & 0o777).toBe(0o700);
    expect((await stat(join(folder, ".."))).mode & 0o777).toBe(0o700);
    await store.close();
  });

  test("has a write-ahead log, a schema version, and columns for people who query it", async () => {
    const file = join(await emptyFolder(), "pegboard.db");
    const store = sqliteStore(file);
    const data = { tool: "add", input: {}, caller: "model" as const };
    await store.append([{ v: 1, seq: 1, at: 5, type: "call-start", session: "a", call: "c", data }]);
    const database = new DatabaseSync(file, { readOnly: true });
    expect(database.prepare("PRAGMA journal_mode").get()).toEqual({ journal_mode: "wal" });
    expect(database.prepare("PRAGMA user_version").get()).toEqual({ user_version: 1 });
    const columns = database.prepare("SELECT session, seq, at, type, tool, call FROM events").get();
    expect(columns).toEqual({ session: "a", seq: 1, at: 5, type: "call-start", tool: "add", call: "c" });
    database.close();
    await store.close();
  });

  test("is refused untouched when a newer Pegboard made it, with the version that it needs", async () => {
    const file = join(await emptyFolder(), "pegboard.db");
    const database = new DatabaseSync(file);
    database.exec("PRAGMA user_version = 99");
    database.close();
    const before = await readFile(file);
    const store = sqliteStore(file);
    const refusal = expect.objectContaining({ code: "unavailable", message: expect.stringContaining("version 99") });
    await expect(store.read()).rejects.toEqual(refusal);
    await store.close();
    expect(await readFile(file)).toEqual(before);
  });
});

test("a whole result is kept for a call of a run, whose id has dots", async () => {
  const store = sqliteStore(join(await emptyFolder(), "pegboard.db"));
  await store.blobs.write("session", "run.1.0", "all of it");
  expect(await store.blobs.read("session", "run.1.0", 0, 100)).toMatchObject({ text: "all of it" });
  await expect(store.blobs.write("session", "../run", "")).rejects.toMatchObject({ code: "invalid_input" });
  await expect(store.blobs.write("..", "run", "")).rejects.toMatchObject({ code: "invalid_input" });
  await store.close();
});

describe("a SQLite store that cannot use its file", () => {
  const unavailable = (file: string, advice: string) =>
    expect.objectContaining({ code: "unavailable", message: expect.stringMatching(`${file}.*${advice}`) });

  test("says that the file is damaged, and goes on once it is gone", async () => {
    const file = join(await emptyFolder(), "pegboard.db");
    await writeFile(file, "this is no database at all, ".repeat(100));
    const store = sqliteStore(file);
    await expect(store.append([event("a", 1)])).rejects.toEqual(unavailable(file, "restore a copy"));
    await expect(store.files.list()).rejects.toEqual(unavailable(file, "restore a copy"));
    await rm(file);
    await store.append([event("a", 1)]);
    expect(await store.read()).toEqual([event("a", 1)]);
    await store.close();
  });

  test("says so when a folder is in the place of the file", async () => {
    const folder = await emptyFolder();
    await expect(sqliteStore(folder).read()).rejects.toEqual(unavailable(folder, "choose another file"));
  });

  test("says so when a file is in the place of the folder", async () => {
    const blocker = join(await emptyFolder(), "file");
    await writeFile(blocker, "");
    const file = join(blocker, "pegboard.db");
    await expect(sqliteStore(file).read()).rejects.toEqual(unavailable(file, "choose another file"));
  });

  test("says what to make writable when it may not write", async () => {
    const folder = await emptyFolder();
    const file = join(folder, "pegboard.db");
    await writeFile(file, "");
    const store = sqliteStore(file);
    await chmod(file, 0o444);
    await chmod(folder, 0o555);
    await chmod(root, 0o755);
    // The superuser may write everywhere, so that it takes somebody else to be refused.
    const superuser = process.getuid?.() === 0;
    if (superuser) process.seteuid?.(65534);
    try {
      await expect(store.append([event("a", 1)])).rejects.toEqual(unavailable(file, "make the file and its folder"));
    } finally {
      if (superuser) process.seteuid?.(0);
    }
    await chmod(folder, 0o755);
  });

  test("waits for another writer, then says that trying again can help", async () => {
    const file = join(await emptyFolder(), "pegboard.db");
    const store = sqliteStore(file, { busyTimeoutMs: 20 });
    await store.append([event("a", 1)]);
    const other = new DatabaseSync(file);
    other.exec("BEGIN IMMEDIATE");
    const busy = expect.objectContaining({ code: "unavailable", retryable: true });
    await expect(store.append([event("a", 2)])).rejects.toEqual(busy);
    expect(await store.read()).toEqual([event("a", 1)]);
    other.exec("ROLLBACK");
    other.close();
    await store.append([event("a", 2)]);
    expect(await store.read()).toEqual([event("a", 1), event("a", 2)]);
    await store.close();
  });
});

describe("several processes", () => {
  test("share one new file without losing or refusing an event", async () => {
    const file = join(await emptyFolder(), "pegboard.db");
    const writers = ["a", "b", "c", "d"].map((session) => startWriter(file, session, 25));
    const outputs = await Promise.all(writers.map(({ stdout }) => text(stdout!)));
    for (const output of outputs) expect(output.trim().split("\n").at(-1)).toBe("25");
    const store = sqliteStore(file);
    expect(await store.read()).toHaveLength(100);
    for (const session of ["a", "b", "c", "d"]) expect((await store.read({ session, last: 1 }))[0]?.seq).toBe(25);
    await store.close();
  });

  test("wait for one another while the file is being set up", async () => {
    const file = join(await emptyFolder(), "pegboard.db");
    const other = new DatabaseSync(file);
    other.exec("CREATE TABLE unrelated (x); BEGIN IMMEDIATE; INSERT INTO unrelated VALUES (1)");
    const printed = text(startWriter(file, "a", 1).stdout!);
    await setTimeout(400);
    other.exec("ROLLBACK");
    other.close();
    expect(await printed).toBe("1\n");
  });

  test("cannot both append the same number", async () => {
    const file = join(await emptyFolder(), "pegboard.db");
    const [one, two] = [sqliteStore(file), sqliteStore(file)];
    await one.append([event("a", 1)]);
    await expect(two.append([event("a", 1)])).rejects.toMatchObject({ code: "duplicate" });
    await two.append([event("a", 2)]);
    expect(await one.read()).toEqual([event("a", 1), event("a", 2)]);
    await one.close();
    await two.close();
  });

  test("leave every event behind whose append resolved, also when killed", async () => {
    const file = join(await emptyFolder(), "pegboard.db");
    const writer = startWriter(file, "a", 1_000_000);
    let printed = "";
    for await (const chunk of writer.stdout!) {
      printed += String(chunk);
      if (printed.split("\n").length > 20) writer.kill("SIGKILL");
    }
    const acknowledged = Number(printed.slice(0, printed.lastIndexOf("\n")).split("\n").at(-1));
    expect(acknowledged).toBeGreaterThanOrEqual(20);
    const store = sqliteStore(file);
    const seqs = (await store.read({ session: "a" })).map(({ seq }) => seq);
    expect(seqs.length).toBeGreaterThanOrEqual(acknowledged);
    expect(seqs).toEqual(seqs.map((_, index) => index + 1));
    await store.close();
  });
});

function startWriter(file: string, session: string, count: number): ChildProcess {
  const script = fileURLToPath(new URL("append-events.ts", import.meta.url));
  return spawn(process.execPath, [script, file, session, String(count)], { stdio: ["ignore", "pipe", "inherit"] });
}
