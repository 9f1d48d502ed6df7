import { readdirSync, statSync } from "node:fs";
import { describe, expect, onTestFinished, test } from "vitest";
import { createRuntime, defineTool, type Event } from "../../src/index.ts";
import { sqliteStore } from "../../src/node/index.ts";
import { CONFIG, finish, makePlace, type Place, toolModule } from "./run.ts";

const FILES = {
  "pegboard.yaml": CONFIG,
  "tools/own.ts": toolModule({
    look: `capabilities: ["read"], execute: () => "seen"`,
    pay: `capabilities: ["write"], execute: () => "paid"`,
    hang: `capabilities: ["read"], execute: () => new Promise((resolve) => setTimeout(resolve, 60_000))`,
  }),
};

/** A workspace in which sessions called one, two and three were used, in this order; two has a whole result. */
async function lived(): Promise<Place> {
  const place = makePlace(FILES, { trust: true });
  await place.run("call", "look", "--session", "one");
  const tell = defineTool({
    name: "tell",
    description: "Tells",
    input: { type: "object" },
    capabilities: ["read"],
    execute: () => "long ".repeat(100),
  });
  const runtime = createRuntime({
    store: sqliteStore(place.path(".pegboard/pegboard.db")),
    tools: [tell],
    limits: { resultCharacters: 50 },
  });
  await runtime.open({ id: "two" }).call("tell");
  await runtime.close();
  await place.run("call", "look", "--session", "three");
  return place;
}

async function events(place: Place): Promise<Event[]> {
  const { stdout } = await place.run("log", "export");
  return stdout
    .split("\n")
    .filter(Boolean)
    .map((line) => JSON.parse(line) as Event);
}

async function sessions(place: Place): Promise<string[]> {
  return [...new Set((await events(place)).map(({ session }) => session))].filter((session) => session !== "log");
}

describe("log prune", () => {
  test("A0-44 archives what goes and keeps the last so many sessions; what is left verifies", async () => {
    const place = await lived();
    const before = await events(place);
    const { code, stdout } = await place.run("log", "prune", "--keep-last", "1", "--archive", "old.jsonl", "--yes");
    expect({ code, stdout }).toEqual({
      code: 0,
      stdout: `Took 2 sessions (10 events) out of the log\nThey are in ${place.path("old.jsonl")}\n`,
    });
    expect(await sessions(place)).toEqual(["three"]);
    const archived = place.read("old.jsonl").trimEnd().split("\n");
    expect(archived.map((line) => JSON.parse(line) as Event)).toEqual(
      before.filter(({ session }) => session !== "three"),
    );
    expect(statSync(place.path("old.jsonl")).mode & 0o777).toBe(0o600);
    expect(readdirSync(place.path(".pegboard/blobs"))).toEqual([]);
    expect(await place.run("audit", "verify")).toMatchObject({ code: 0 });
    expect((await place.run("log", "--type", "log-change")).stdout).toContain("pruned: 2 sessions, 10 events");
    expect(await place.run("call", "look", "--session", "one")).toMatchObject({ code: 0 });
    expect(await sessions(place)).toEqual(["three", "one"]);
    expect(await place.run("audit", "verify")).toMatchObject({ code: 0 });
  });

  test("takes what is older than so much, and nothing that is not", async () => {
    const place = await lived();
    expect((await place.run("log", "prune", "--older-than", "1h", "--yes")).stdout).toContain("Took 0 sessions");
    expect(await sessions(place)).toEqual(["one", "two", "three"]);
    expect((await place.run("log", "prune", "--older-than", "1ms", "--keep-last", "2", "--yes")).stdout).toContain(
      "Took 1 session (5 events)",
    );
    expect(await sessions(place)).toEqual(["two", "three"]);
  });

  test("changes nothing when it only looks, or when nobody agrees", async () => {
    const place = await lived();
    const { stdout } = await place.run(
      "log",
      "prune",
      "--keep-last",
      "0",
      "--dry-run",
      "--archive",
      "old.jsonl",
      "--json",
    );
    expect(JSON.parse(stdout)).toEqual({ dryRun: true, pruned: { sessions: 3, events: 15 }, kept: [] });
    expect(await place.run("log", "prune", "--keep-last", "0")).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("--yes"),
    });
    const asked = await place.onTerminal([["[y/N] ", "n\n"]], "log", "prune", "--keep-last", "0");
    expect(asked).toMatchObject({
      code: 3,
      stdout: expect.stringContaining("Take 3 sessions (15 events) out of the log?"),
    });
    expect(await sessions(place)).toEqual(["one", "two", "three"]);
    expect(readdirSync(place.folder)).not.toContain("old.jsonl");
  });

  test("does not write over an archive, and takes nothing when it cannot write one", async () => {
    const place = await lived();
    place.write("old.jsonl", "precious");
    expect((await place.run("log", "prune", "--keep-last", "0", "--yes", "--archive", "old.jsonl")).code).toBe(2);
    expect((await place.run("log", "prune", "--keep-last", "0", "--yes", "--archive", "no/such.jsonl")).code).toBe(1);
    expect(place.read("old.jsonl")).toBe("precious");
    expect(await sessions(place)).toEqual(["one", "two", "three"]);
  });

  test("keeps sessions that a living process holds and those with a request that waits, and takes them afterwards", async () => {
    const place = await lived();
    const busy = place.start({}, "call", "hang", "--session", "busy");
    const asking = place.start({}, "call", "pay", "--session", "asking", "--approve", "wait", "--expires", "20s");
    onTestFinished(() => [busy, asking].forEach((child) => child.kill("SIGKILL")));
    for (const child of [busy, asking]) child.stdin!.end();
    await expect.poll(() => sessions(place), { timeout: 10_000 }).toEqual(expect.arrayContaining(["busy", "asking"]));
    await expect
      .poll(async () => (await events(place)).map(({ session, type }) => `${session}: ${type}`), { timeout: 10_000 })
      .toEqual(expect.arrayContaining(["busy: execute-start", "asking: approval-request"]));
    const [busyEnd, askingEnd] = [finish(busy), finish(asking)];
    const prune = async () => {
      const { stdout } = await place.run("log", "prune", "--keep-last", "0", "--yes", "--json");
      const { kept } = JSON.parse(stdout) as { kept: { session: string; reason: string }[] };
      return kept.map(({ session, reason }) => `${session}: ${reason}`).sort();
    };
    expect(await prune()).toEqual(["asking: a living process holds it", "busy: a living process holds it"]);
    expect((await sessions(place)).sort()).toEqual(["asking", "busy"]);
    for (const child of [busy, asking]) child.kill("SIGKILL");
    await Promise.all([busyEnd, askingEnd]);
    expect(await prune()).toEqual(["asking: an approval request waits", "busy: a call has no outcome yet"]);
    // The next process says that the call was interrupted; then nobody needs it.
    await place.run("call", "look");
    expect(await prune()).toEqual(["asking: an approval request waits"]);
    expect(await sessions(place)).toEqual(["asking"]);
  }, 30_000);

  test("needs to be told what is to go", async () => {
    const place = makePlace(FILES);
    expect(await place.run("log", "prune")).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("--older-than 30d"),
    });
    expect(await place.run("log", "prune", "--older-than", "old")).toMatchObject({ code: 2 });
  });
});
