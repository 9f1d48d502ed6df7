import { once } from "node:events";
import { describe, expect, onTestFinished, test } from "vitest";
import { createRuntime, defineTool, type Event } from "../../src/index.ts";
import { sqliteStore } from "../../src/node/index.ts";
import { CONFIG, finish, makePlace, type Place, toolModule } from "./run.ts";

const FILES = {
  "pegboard.yaml": `${CONFIG}policy:\n  rules:\n    - { tool: two, approval: preApproved }\n`,
  "tools/own.ts": toolModule({
    one: `capabilities: ["read"], execute: () => "1"`,
    two: `execute: () => { throw new Error("no"); }`,
  }),
};

function toEvents(stdout: string): Event[] {
  return stdout
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line) as Event);
}

async function lived() {
  const place = makePlace(FILES, { trust: true });
  await place.run("call", "one", "--session", "first-session", "--input", `{"text":"a\\u001b[31m\\nb"}`);
  await place.run("call", "two", "--session", "second-session");
  return place;
}

test("without a log there is a friendly note", async () => {
  const { code, stdout, stderr } = await makePlace(FILES).run("log");
  expect({ code, stdout }).toEqual({ code: 0, stdout: "" });
  expect(stderr).toContain("Nothing has happened here yet");
});

test("every event is a line: when, in which session, what, which tool, what matters", async () => {
  const place = await lived();
  const { code, stdout } = await place.run("log");
  const rows = stdout
    .trimEnd()
    .split("\n")
    .map((line) => line.split(/ {2,}/));
  expect(code).toBe(0);
  expect(rows.map(([, ...rest]) => rest)).toEqual([
    ["first-se", "session-start", "cli, as local"],
    ["first-se", "call-start", "one", `by user: {"text":"a\\u001b[31m\\nb"}`],
    ["first-se", "execute-start", "one", "preApproved, by capability"],
    ["first-se", "call-end", "one", expect.stringMatching(/^ok, [\d.]+ ms$/)],
    ["first-se", "session-end", "1 call"],
    ["second-s", "session-start", "cli, as local"],
    ["second-s", "call-start", "two", "by user: {}"],
    ["second-s", "execute-start", "two", expect.stringMatching(/^preApproved, by rule: tool "two" → preApproved/)],
    ["second-s", "call-end", "two", expect.stringMatching(/^failed: tool_error, [\d.]+ ms$/)],
    ["second-s", "session-end", "1 call"],
  ]);
  expect(rows.every(([time]) => /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/.test(time!))).toBe(true);
});

test("--json gives one event a line, and the filters choose", async () => {
  const place = await lived();
  const read = async (...argv: string[]) => toEvents((await place.run("log", "--json", ...argv)).stdout);
  expect((await read("--session", "first")).map(({ type }) => type)).toEqual([
    "session-start",
    "call-start",
    "execute-start",
    "call-end",
    "session-end",
  ]);
  expect((await read("--tool", "two", "--type", "call-end")).map(({ session, seq }) => ({ session, seq }))).toEqual([
    { session: "second-session", seq: 4 },
  ]);
  expect((await read("-n", "2")).map(({ type }) => type)).toEqual(["call-end", "session-end"]);
  expect(await read("--session", "third")).toEqual([]);
});

test("it needs no trust and runs nothing", async () => {
  const place = await lived();
  place.write("tools/evil.ts", "process.exit(9);");
  expect(await place.runWith({ env: { PEGBOARD_TRUST: "" } }, "log", "-n", "1")).toMatchObject({
    code: 0,
    stdout: expect.stringContaining("session-end"),
  });
});

test.each([
  { argv: ["--type", "call-ended"], message: /--type must be one of session-start, .*; it is "call-ended"/ },
  { argv: ["--last", "0"], message: /--last must be a whole number from 1 on; it is "0"/ },
  { argv: ["--since", "yesterday"], message: /--since must be a time such as .*; it is "yesterday"/ },
  { argv: ["--decision", "perhaps"], message: /Allowed choices are preApproved, ask/ },
])("$argv is wrong usage", async ({ argv, message }) => {
  expect(await makePlace(FILES).run("log", ...argv)).toEqual({
    code: 2,
    stdout: "",
    stderr: expect.stringMatching(message),
  });
});

describe("the log of agents", () => {
  /** A workspace whose log was written by a program that has agents. */
  async function withAgents(): Promise<Place> {
    const place = makePlace(FILES, { trust: true });
    const look = defineTool({
      name: "look",
      description: "Looks",
      input: { type: "object" },
      capabilities: ["read"],
      execute: () => "seen",
    });
    const pay = defineTool({
      name: "pay",
      description: "Pays",
      input: { type: "object" },
      capabilities: ["write"],
      execute: () => "paid",
    });
    const store = sqliteStore(place.path(".pegboard/pegboard.db"));
    const runtime = createRuntime({ store, tools: [look, pay], approver: () => ({ decision: "deny" }) });
    await runtime.open({ agent: { name: "child", chain: ["root", "child"] } }).call("look", {}, { id: "call-1" });
    await runtime.open({ agent: { name: "root" } }).call("look", {}, { id: "call-2" });
    await runtime.open().call("pay", {}, { id: "call-3" });
    await runtime.close();
    return place;
  }

  test("A0-44 is filtered by agent, type, call, decision and time", async () => {
    const place = await withAgents();
    const calls = async (...argv: string[]) =>
      toEvents((await place.run("log", "--json", ...argv)).stdout).map(({ type, call }) => `${type} ${call}`);
    expect(await calls("--agent", "child", "--type", "call-end")).toEqual(["call-end call-1"]);
    expect(await calls("--call", "call-2")).toEqual(["call-start call-2", "execute-start call-2", "call-end call-2"]);
    expect(await calls("--decision", "deny")).toEqual(["approval-response call-3"]);
    expect(await calls("--type", "call-end", "--since", "1h")).toHaveLength(3);
    expect(await calls("--since", "2099-01-01")).toEqual([]);
    expect(await calls("--until", "2020-01-01T00:00Z")).toEqual([]);
  });

  test("A0-44 is paged from the newest back, without a gap or an overlap", async () => {
    const place = await withAgents();
    const page = async (skip: number) =>
      toEvents((await place.run("log", "--json", "-n", "5", "--skip", String(skip))).stdout);
    const pages = [await page(10), await page(5), await page(0)];
    const all = toEvents((await place.run("log", "--json", "-n", "100")).stdout);
    expect(pages.map(({ length }) => length)).toEqual([5, 5, 5]);
    expect(pages.flat()).toEqual(all.slice(-15));
    expect(await page(100)).toEqual([]);
  });

  test("A0-44 is exported as JSON, whole or filtered, to standard output or to a file", async () => {
    const place = await withAgents();
    const all = toEvents((await place.run("log", "--json", "-n", "100")).stdout);
    expect(toEvents((await place.run("log", "export")).stdout)).toEqual(all);
    const { code, stdout, stderr } = await place.run("log", "export", "--agent", "child", "--output", "child.jsonl");
    expect({ code, stdout, stderr }).toEqual({
      code: 0,
      stdout: "",
      stderr: `Wrote 3 events to ${place.path("child.jsonl")}\n`,
    });
    expect(toEvents(place.read("child.jsonl"))).toEqual(all.filter(({ chain }) => chain?.at(-1) === "child"));
    expect(await place.run("log", "export", "-o", "no/such/folder.jsonl")).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("Cannot write"),
    });
  });
});

describe("--follow", () => {
  test.each([
    { argv: [], first: /first-se {2}session-end/, last: /third-se {2}call-end +one {2}ok/ },
    { argv: ["--json", "--type", "call-end"], first: /"session":"first-session"/, last: /"session":"third-session"/ },
  ])("shows what was and what other processes add, until Ctrl-C: $argv", async ({ argv, first, last }) => {
    const place = makePlace(FILES, { trust: true });
    await place.run("call", "one", "--session", "first-session");
    const child = place.start({}, "log", "--follow", ...argv);
    onTestFinished(() => void child.kill("SIGKILL"));
    child.stdin!.end();
    let seen = "";
    child.stdout!.on("data", (chunk: Buffer) => (seen += chunk.toString()));
    await expect.poll(() => seen, { timeout: 10_000 }).toMatch(first);
    await Promise.all([
      place.run("call", "one", "--session", "second-session"),
      place.run("call", "one", "--session", "third-session"),
    ]);
    await expect.poll(() => seen, { timeout: 10_000 }).toMatch(last);
    await expect.poll(() => seen, { timeout: 10_000 }).toMatch(/second-s/);
    child.kill("SIGINT");
    const [code] = (await once(child, "close")) as [number];
    expect(code).toBe(130);
    const lines = seen.trimEnd().split("\n");
    expect(new Set(lines).size).toBe(lines.length);
  });

  test("waits for a log that is not there yet, and ends when nobody reads any more", async () => {
    const place = makePlace(FILES, { trust: true });
    const child = place.start({}, "log", "-f");
    onTestFinished(() => void child.kill("SIGKILL"));
    child.stdin!.end();
    const closed = once(child, "close") as Promise<[number]>;
    child.stdout!.once("data", () => child.stdout!.destroy());
    await place.run("call", "one");
    await place.run("call", "one");
    const [code] = await closed;
    expect(code).toBe(0);
  });
});

test("a log that is exported to a slow pipe arrives whole", async () => {
  const place = await lived();
  const child = place.start({}, "log", "export");
  child.stdin!.end();
  child.stdout!.pause();
  setTimeout(() => child.stdout!.resume(), 300);
  expect(toEvents((await finish(child)).stdout)).toHaveLength(10);
});
