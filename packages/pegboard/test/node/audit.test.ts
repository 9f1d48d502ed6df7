import { spawn } from "node:child_process";
import { once } from "node:events";
import { cpSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createRuntime, defineTool } from "../../src/index.ts";
import { sqliteStore, verifyLog } from "../../src/node/index.ts";
import { createRandom, TAMPERINGS, type Tampering } from "./tamper.ts";

const root = mkdtempSync(join(tmpdir(), "pegboard-audit-"));
const original = join(root, "original");
const work = join(root, "work");
const file = join(work, "pegboard.db");
let records = 0;

afterAll(() => rmSync(root, { recursive: true, force: true }));

/** A log with everything in it that a log can hold: agents, answers, odd names, whole results, failures, and two prunes. */
beforeAll(async () => {
  const store = sqliteStore(join(original, "pegboard.db"));
  const input = { type: "object" } as const;
  const tools = [
    defineTool({
      name: "look",
      description: "Looks",
      input,
      capabilities: ["read"],
      version: "1.0.0",
      execute: () => ({ seen: "ä\u0000\u{1f600}" }),
    }),
    defineTool({
      name: "tell",
      description: "Tells much",
      input,
      capabilities: ["read"],
      execute: () => "long ".repeat(200),
    }),
    defineTool({ name: "pay", description: "Pays", input, capabilities: ["write"], execute: () => "paid" }),
    defineTool({
      name: "fail",
      description: "Fails",
      input,
      capabilities: ["read"],
      execute: () => Promise.reject(new Error("no")),
    }),
  ];
  const runtime = createRuntime({
    store,
    tools,
    limits: { resultCharacters: 100 },
    approver: () => ({ decision: "allow", remember: "input" }),
  });
  const live = async (id: string) => {
    const session = runtime.open({ id, agent: { name: "child", chain: ["root", "child"] } });
    for (const name of ["look", "tell", "pay", "fail", "odd\u0000\ud800 name"]) await session.call(name, { id });
    await session.close();
  };
  for (const id of ["a", "b"]) await live(id);
  await store.prune({ before: Date.now() + 1, keep: ["b"] });
  for (const id of ["c", "d"]) await live(id);
  await store.prune({ before: Date.now() + 1, keep: ["c", "d"] });
  await live("e");
  await runtime.close();
  cpSync(original, work, { recursive: true });
  records = (await verifyLog(file)).records;
}, 30_000);

const copies = new Map<string, Buffer>();

/** Makes the log in the work folder what it was. */
function restore(): void {
  if (copies.size === 0) for (const name of filesIn(original)) copies.set(name, readFileSync(join(original, name)));
  for (const name of filesIn(work)) if (!copies.has(name)) rmSync(join(work, name));
  for (const [name, content] of copies) writeFileSync(join(work, name), content);
}

function filesIn(folder: string): string[] {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true });
  return entries.filter((entry) => entry.isFile()).map((entry) => relative(folder, join(entry.parentPath, entry.name)));
}

/** Tampers until the database lets it: not every choice is one that SQLite takes. */
function tamper(tampering: Tampering, seed: number): number | undefined {
  const random = createRandom(seed);
  for (;;) {
    const database = new DatabaseSync(file);
    database.exec("PRAGMA synchronous = OFF; BEGIN");
    try {
      const position = tampering({ database, folder: work, random });
      database.exec("COMMIT");
      return position;
    } catch {
      database.exec("ROLLBACK");
    } finally {
      database.close();
    }
  }
}

describe("a log", () => {
  test("that nobody touched verifies, 50 times, with its records, sessions and head", async () => {
    expect(records).toBeGreaterThan(60);
    for (let copy = 0; copy < 50; copy++) {
      restore();
      const report = await verifyLog(file);
      expect(report).toEqual({
        ok: true,
        records,
        sessions: 6,
        head: { position: records, hash: expect.stringMatching(/^[0-9a-f]{64}$/) },
      });
    }
  });

  test("that was tampered with is found out, 1,000 times of 1,000, and of the harm the first is named", async () => {
    const kinds = Object.entries(TAMPERINGS);
    const fired = new Map<string, number>();
    const missed: unknown[] = [];
    for (let seed = 0; seed < 1_000; seed++) {
      const [kind, tampering] = kinds[seed % kinds.length]!;
      restore();
      const position = tamper(tampering, seed);
      const { ok, problem } = await verifyLog(file);
      fired.set(kind, (fired.get(kind) ?? 0) + 1);
      if (ok || (position !== undefined && problem?.position !== position))
        missed.push({ kind, seed, position, problem });
    }
    expect(missed).toEqual([]);
    expect(kinds.filter(([kind]) => !fired.get(kind))).toEqual([]);
  }, 60_000);

  test("without its head is not taken for whole, and a head without its log neither", async () => {
    restore();
    rmSync(join(work, "head"));
    expect(await verifyLog(file)).toMatchObject({
      ok: false,
      records,
      head: null,
      problem: { position: records, message: expect.stringContaining("head is missing") },
    });
    restore();
    rmSync(file);
    expect(await verifyLog(file)).toMatchObject({
      ok: false,
      records: 0,
      problem: { position: 1, message: expect.stringContaining(`all up to ${records} are missing`) },
    });
    expect(existsSync(file)).toBe(false);
  });

  test("that is not there, or has nothing in it, is in order", async () => {
    const empty = join(mkdtempSync(join(root, "empty-")), "pegboard.db");
    const nothing = { ok: true, records: 0, sessions: 0, head: null };
    expect(await verifyLog(empty)).toEqual(nothing);
    expect(existsSync(empty)).toBe(false);
    writeFileSync(empty, "");
    expect(await verifyLog(empty)).toEqual(nothing);
  });

  test("that is damaged as a file is found out up to where it can be read", async () => {
    restore();
    writeFileSync(file, readFileSync(file).fill(0x55, 4096 * 3));
    expect(await verifyLog(file)).toMatchObject({
      ok: false,
      problem: { message: expect.stringContaining("damaged") },
    });
  });

  test("of a newer Pegboard is not judged", async () => {
    restore();
    const database = new DatabaseSync(file);
    database.exec("PRAGMA user_version = 99");
    database.close();
    await expect(verifyLog(file)).rejects.toMatchObject({
      code: "unavailable",
      message: expect.stringContaining("version 99"),
    });
  });

  test("whose last change a power cut left half made verifies as it was before", async () => {
    restore();
    const half = mkdtempSync(join(tmpdir(), "pegboard-half-"));
    const writer = new DatabaseSync(file);
    // The change begins to go to the file before it is whole, as at the first start before there is a write-ahead log.
    writer.exec("PRAGMA journal_mode = DELETE; PRAGMA cache_size = 1; BEGIN; CREATE TABLE t (x)");
    for (let row = 0; row < 200; row++) writer.prepare("INSERT INTO t VALUES (?)").run("x".repeat(2_000));
    cpSync(work, half, { recursive: true });
    writer.close();
    expect(existsSync(join(half, "pegboard.db-journal"))).toBe(true);
    expect(await verifyLog(join(half, "pegboard.db"))).toMatchObject({ ok: true, records });
    rmSync(half, { recursive: true });
  });

  test("is not changed by being verified", async () => {
    restore();
    await verifyLog(file);
    for (const [name, content] of copies) expect(readFileSync(join(work, name)).equals(content), name).toBe(true);
  });

  test("verifies while other processes write to it", async () => {
    const busy = join(mkdtempSync(join(root, "busy-")), "pegboard.db");
    const script = fileURLToPath(new URL("append-events.ts", import.meta.url));
    const writers = ["a", "b"].map((session) =>
      spawn(process.execPath, [script, busy, session, "200"], { stdio: "ignore" }),
    );
    const done = Promise.all(writers.map((writer) => once(writer, "close"))).then(() => true);
    const seen = new Set<number>();
    for (;;) {
      const report = await verifyLog(busy);
      expect(report.problem).toBeUndefined();
      seen.add(report.records);
      if (await Promise.race([done, new Promise((resolve) => setTimeout(resolve, 5))])) break;
    }
    expect((await verifyLog(busy)).records).toBe(400);
    expect(seen.size).toBeGreaterThan(3);
  });

  test("keeps one whole result for a call id that is used again, and verifies", async () => {
    const again = join(mkdtempSync(join(root, "again-")), "pegboard.db");
    let text = "a";
    const tell = defineTool({
      name: "tell",
      description: "Tells",
      input: { type: "object" },
      capabilities: ["read"],
      execute: () => text.repeat(500),
    });
    const runtime = createRuntime({ store: sqliteStore(again), tools: [tell], limits: { resultCharacters: 100 } });
    const session = runtime.open();
    await session.call("tell", {}, { id: "same" });
    text = "b";
    await session.call("tell", {}, { id: "same" });
    await runtime.close();
    expect(await verifyLog(again)).toMatchObject({ ok: true });
  });
});
