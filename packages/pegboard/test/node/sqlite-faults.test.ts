import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { Event } from "../../src/core/event.ts";
import { SessionLog } from "../../src/core/log.ts";
import { readHead } from "../../src/node/head-file.ts";
import { sqliteStore } from "../../src/node/sqlite.ts";

let folder: string;
let file: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "pegboard-faults-"));
  file = join(folder, "pegboard.db");
});
afterEach(() => rm(folder, { recursive: true }));

function event(session: string, seq: number): Event {
  return { v: 1, seq, at: seq, type: "session-end", session, data: { calls: seq } };
}

describe("a session that was pruned", () => {
  test("goes on where its numbers ended", async () => {
    const store = sqliteStore(file);
    await store.append([event("a", 1), event("a", 2)]);
    await store.prune({ before: 100 });
    const log = new SessionLog("a", store, { fresh: false });
    await log.append("session-end", { calls: 3 });
    await log.append("session-end", { calls: 4 });
    expect((await store.read({ session: "a" })).map(({ seq }) => seq)).toEqual([3, 4]);
    await store.close();
  });
});

describe("the head beside the database", () => {
  test("does not fail an append when it cannot be written: the log itself is kept", async () => {
    await mkdir(join(folder, "head"));
    const store = sqliteStore(file);
    await store.append([event("a", 1)]);
    expect(await store.read()).toEqual([event("a", 1)]);
    await store.close();
  });

  test("never goes back, whichever of two processes is the last to write it", async () => {
    const store = sqliteStore(file);
    await store.append([event("a", 1)]);
    const ahead = `900 ${"a".repeat(64)}`.padEnd(95).concat("\n");
    await writeFile(join(folder, "head"), ahead);
    await store.append([event("a", 2)]);
    expect(await readFile(join(folder, "head"), "utf8")).toBe(ahead);
    await store.close();
  });

  test("is that of the newest record once the store is closed", async () => {
    const store = sqliteStore(file);
    await store.append([event("a", 1)]);
    const older = await readFile(join(folder, "head"));
    await store.append([event("a", 2)]);
    await writeFile(join(folder, "head"), older);
    await store.close();
    expect(readHead(join(folder, "head"))?.position).toBe(2);
  });
});

describe("a record that is no JSON any more", () => {
  test("is told with the file and what to do", async () => {
    const store = sqliteStore(file);
    await store.append([event("a", 1), event("a", 2)]);
    const database = new DatabaseSync(file);
    database.exec("UPDATE events SET event = '{' WHERE seq = 2");
    database.close();
    const damaged = expect.objectContaining({
      code: "unavailable",
      message: expect.stringMatching(`${file}.*pegboard audit verify`),
    });
    await expect(store.read()).rejects.toEqual(damaged);
    await expect(store.scan(0, 10)).rejects.toEqual(damaged);
    expect(await store.read({ limit: 1 })).toEqual([event("a", 1)]);
    await store.close();
  });
});

describe("whole results that a prune left behind when its process ended", () => {
  test("go with the next one, those of live sessions stay", async () => {
    const store = sqliteStore(file);
    await store.append([event("old", 1)]);
    await store.append([{ ...event("young", 1), at: Date.now() + 60_000 }]);
    for (const session of ["old", "young", "unknown", "kept"]) await store.blobs.write(session, "c", "text");
    const before = Date.now() + 1_000;
    expect(await store.prune({ before, keep: ["kept"] })).toEqual({ sessions: 1, events: 1 });
    expect((await readdir(join(folder, "blobs"))).toSorted()).toEqual(["kept", "young"]);
    await store.blobs.write("unknown", "c", "text");
    await store.prune({ before: 1 });
    expect((await readdir(join(folder, "blobs"))).toSorted()).toEqual(["kept", "unknown", "young"]);
    await store.close();
  });
});
