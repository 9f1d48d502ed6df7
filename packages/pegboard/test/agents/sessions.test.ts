import { existsSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Agent } from "@pegboard/contract";
import {
  createRuntime,
  defineTool,
  type Event,
  type Run,
  type RuntimeOptions,
  scriptedModel,
  type Store,
} from "pegboard";
import { sqliteStore } from "pegboard/node";
import { afterEach, describe, expect, test } from "vitest";

const HELPER: Agent = { name: "helper", description: "Helps", instructions: "You help." };

const left: (() => void | Promise<void>)[] = [];
afterEach(async () => {
  for (const leave of left.splice(0).reverse()) await leave();
});

function folder(): string {
  const place = mkdtempSync(join(tmpdir(), "pegboard-sessions-"));
  left.push(() => rmSync(place, { recursive: true, force: true }));
  return place;
}

function start(store: Store, options: RuntimeOptions = {}, identity = "first", alive: readonly string[] = [identity]) {
  const runtime = createRuntime({
    store,
    agents: [HELPER],
    model: scriptedModel((["One", "Two", "Three"] as const).map((text) => ({ text }))),
    process: { identity, isAlive: (other) => alive.includes(other) },
    ...options,
  });
  left.push(() => runtime.close());
  return runtime;
}

async function until(run: Run, type: Event["type"]): Promise<void> {
  for await (const event of run) if (event.type === type) return;
}

const words = (messages: readonly unknown[]) =>
  messages.map((one) => (one as { content: { text: string }[] }).content.map(({ text }) => text).join(""));

describe("sessions", () => {
  test("A4-26: are listed with the newest first, with their runs, the last prompt and how they stand", async () => {
    const runtime = start(sqliteStore(join(folder(), "a.db")));
    const old = runtime.open({ id: "old", client: "test" });
    await old.run("helper", "First").result;
    await old.close();
    const young = runtime.open({ id: "young" });
    await young.run("helper", "Second").result;
    expect(await runtime.sessions.list()).toMatchObject([
      {
        session: "young",
        status: "open",
        prompt: "Second",
        runs: [{ agent: "helper", status: "completed", turns: 1 }],
      },
      { session: "old", status: "closed", prompt: "First", client: "test", runs: [{ prompt: "First" }] },
    ]);
    expect((await runtime.sessions.runs()).map(({ prompt }) => prompt)).toEqual(["Second", "First"]);
  });

  test("A4-26: go on after a restart with their history", async () => {
    const file = join(folder(), "a.db");
    const first = start(sqliteStore(file));
    const { run } = await first.open({ id: "s" }).run("helper", "Remember me").result;
    await first.close();
    const second = start(sqliteStore(file), {}, "second");
    const { messages } = await second.sessions.show("s");
    expect(words(messages)).toEqual(["Remember me", "One"]);
    await second.open({ id: "s" }).run("helper", "And now?", { continue: run }).result;
    expect(words((await second.sessions.show("s")).messages)).toEqual(["Remember me", "One", "And now?", "Two"]);
  });

  test("A4-26: one that is not there is not found, whatever is asked of it", async () => {
    const { sessions } = start(sqliteStore(join(folder(), "a.db")));
    for (const ask of [
      () => sessions.show("nosuch"),
      () => sessions.fork("nosuch"),
      () => sessions.inject("nosuch", "x"),
      () => sessions.clear("nosuch"),
      () => sessions.delete("nosuch"),
      () => sessions.cancel("nosuch", "me"),
    ])
      await expect(ask()).rejects.toMatchObject({ code: "not_found", message: expect.stringContaining('"nosuch"') });
  });

  test("A4-26: are deleted, open or saved, and nothing else is", async () => {
    const place = folder();
    const runtime = start(sqliteStore(join(place, "a.db")), {
      approve: "all",
      limits: { resultCharacters: 100 },
      tools: [
        defineTool({
          name: "long",
          description: "Says much",
          input: { type: "object" },
          execute: () => "x".repeat(5_000),
        }),
      ],
    });
    const open = runtime.open({ id: "open" });
    const saved = runtime.open({ id: "saved" });
    const other = runtime.open({ id: "other" });
    for (const session of [open, saved, other]) await session.call("long");
    await saved.close();
    expect(readdirSync(join(place, "blobs")).length).toBe(3);
    await runtime.sessions.delete("open");
    await runtime.sessions.delete("saved");
    expect((await runtime.sessions.list()).map(({ session }) => session)).toEqual(["other"]);
    expect(readdirSync(join(place, "blobs")).length).toBe(1);
    expect(await open.call("long")).toMatchObject({ ok: false, error: { code: "unavailable" } });
    expect((await other.call("long")).ok).toBe(true);
  });

  test("one that another process holds is not deleted", async () => {
    const file = join(folder(), "a.db");
    await start(sqliteStore(file)).open({ id: "s" }).run("helper", "Hi").result;
    const second = start(sqliteStore(file), {}, "second", ["first", "second"]);
    await expect(second.sessions.delete("s")).rejects.toMatchObject({ code: "busy" });
    expect(await second.sessions.list()).toHaveLength(1);
  });

  test("A4-29: an id that could be a path is refused, for a new session and for a fork", async () => {
    const place = folder();
    const runtime = start(sqliteStore(join(place, "data", "a.db")));
    await runtime.open({ id: "s" }).run("helper", "Hi").result;
    for (const id of ["../up", "a/b", "a\\b", ".", "..", "a.b", "", "x".repeat(129)]) {
      expect(() => runtime.open({ id })).toThrow(expect.objectContaining({ code: "invalid_input" }));
      await expect(runtime.sessions.fork("s", { id })).rejects.toMatchObject({ code: "invalid_input" });
    }
    expect(readdirSync(place)).toEqual(["data"]);
    expect(existsSync(join(place, "data", "a.db"))).toBe(true);
  });

  test("A4-29: each turn is in the transcript as soon as it is over, for every process", async () => {
    const file = join(folder(), "a.db");
    const turns = [
      { text: "Step", calls: [{ tool: "look" }] },
      { text: "Late", delay: 60_000 },
    ];
    const look = defineTool({
      name: "look",
      description: "Looks",
      input: { type: "object" },
      capabilities: ["read"],
      execute: () => "seen",
    });
    const first = start(sqliteStore(file), { model: scriptedModel(turns), tools: [look] });
    const run = first.open({ id: "s" }).run("helper", "Go");
    let starts = 0;
    for await (const { type } of run) if (type === "turn-start" && ++starts === 2) break;
    const second = start(sqliteStore(file), {}, "second", ["first", "second"]);
    const { messages, status, runs } = await second.sessions.show("s");
    expect(messages.map(({ role }) => role)).toEqual(["user", "assistant", "tool"]);
    expect(status).toBe("running");
    expect(runs).toMatchObject([{ status: "running", turns: 1 }]);
  });

  test("A4-31: cleaning takes what is older than the age, and keeps what is recent or held by somebody", async () => {
    const file = join(folder(), "a.db");
    const store = sqliteStore(file);
    const at = Date.now() - 10 * 86_400_000;
    const begun = (session: string, process: string, when: number): Event => ({
      v: 1,
      seq: 1,
      at: when,
      type: "session-start",
      session,
      data: { principal: "p", client: "c", cwd: "/", metadata: {}, process },
    });
    await store.append([begun("old", "gone", at)]);
    await store.append([begun("old-held", "first", at)]);
    await store.append([begun("recent", "gone", Date.now() - 1_000)]);
    const { sessions } = start(store);
    expect(await sessions.clean({ olderThanMs: 86_400_000 })).toEqual({ sessions: 1, events: 1 });
    expect((await sessions.list()).map(({ session }) => session)).toEqual(["recent", "old-held"]);
  });

  test("a fork begins with the history of a run, and both go on apart", async () => {
    const { sessions, ...runtime } = start(sqliteStore(join(folder(), "a.db")));
    const { run } = await runtime.open({ id: "s" }).run("helper", "Hi").result;
    const forked = await sessions.fork("s", { id: "twig" });
    expect(forked).toMatchObject({ session: "twig" });
    const twig = runtime.open({ id: "twig" });
    await twig.run("helper", "On the twig", { continue: forked.run }).result;
    expect(words((await sessions.show("twig")).messages)).toEqual(["Hi", "One", "On the twig", "Two"]);
    expect(words((await sessions.show("s")).messages)).toEqual(["Hi", "One"]);
    expect((await sessions.show("s")).runs.map((one) => one.run)).toEqual([run]);
    await expect(sessions.fork("s", { id: "twig" })).rejects.toMatchObject({ code: "duplicate" });
  });

  test("what is injected is read when the conversation goes on, and what is cleared is not", async () => {
    const model = scriptedModel([{ text: "One" }, { text: "Two" }]);
    const { sessions, ...runtime } = start(sqliteStore(join(folder(), "a.db")), { model });
    const session = runtime.open({ id: "s" });
    const { run } = await session.run("helper", "Hi").result;
    await sessions.inject("s", "By the way");
    await session.run("helper", "Go on", { continue: run }).result;
    expect(words(model.requests.at(-1)!.messages)).toEqual(["Hi", "One", "By the way", "Go on"]);
    await sessions.clear("s");
    expect((await sessions.show("s")).messages).toEqual([]);
  });

  test("a conversation whose run is at work is not changed from outside", async () => {
    const { sessions, ...runtime } = start(sqliteStore(join(folder(), "a.db")), {
      model: scriptedModel([{ text: "Late", delay: 60_000 }]),
    });
    await until(runtime.open({ id: "s" }).run("helper", "Hi"), "turn-start");
    await expect(sessions.inject("s", "x")).rejects.toMatchObject({ code: "busy" });
    await expect(sessions.clear("s")).rejects.toMatchObject({ code: "busy" });
  });

  test("a run of another process is cancelled through the log", async () => {
    const file = join(folder(), "a.db");
    const first = start(sqliteStore(file), { model: scriptedModel([{ text: "Late", delay: 60_000 }]) });
    const run = first.open({ id: "s" }).run("helper", "Hi");
    await until(run, "turn-start");
    const second = start(sqliteStore(file), {}, "second", ["first", "second"]);
    expect(await second.sessions.cancel(run.id.slice(0, 8), "ada")).toEqual({ asked: 1, ended: 0 });
    expect(await run.result).toMatchObject({ status: "cancelled" });
    expect(await second.sessions.cancel("s", "ada")).toEqual({ asked: 0, ended: 0 });
  });

  test("a run that nobody has any more is cancelled at once, with all that it left open", async () => {
    const file = join(folder(), "a.db");
    const store = sqliteStore(file);
    const send = defineTool({ name: "send", description: "Sends", input: { type: "object" }, execute: () => "sent" });
    const turns = [{ calls: [{ tool: "agent", input: { agent: "other", prompt: "Go" } }] }, "Done"];
    const options = {
      agents: [HELPER, { ...HELPER, name: "other", instructions: "Other" }],
      approve: "wait" as const,
      policy: { rules: [{ tool: "agent", approval: "preApproved" as const }] },
      tools: [send],
      model: scriptedModel({
        scripts: [{ when: { system: "Other" }, turns: [{ calls: [{ tool: "send" }] }, "x"] }, { turns }],
      }),
    };
    const first = createRuntime({ store, process: { identity: "gone", isAlive: () => true }, ...options });
    const session = first.open({ id: "s" });
    const run = session.run("helper", "Hi");
    await until(run, "approval-request");
    await store.close();
    session.cancel();
    const second = start(sqliteStore(file));
    expect(await second.sessions.list()).toMatchObject([{ status: "interrupted", runs: [{ status: "interrupted" }] }]);
    expect(await second.sessions.cancel("s", "ada")).toEqual({ asked: 0, ended: 1 });
    const [record] = await second.sessions.list();
    expect(record).toMatchObject({ status: "closed", runs: [{ status: "cancelled" }] });
    expect(record!.inUse).toBeUndefined();
    const events = await second.store.read({ session: "s" });
    expect(events.filter(({ type }) => type === "run-end")).toHaveLength(2);
    expect(await second.store.unfinished()).toEqual([]);
    await expect(second.open({ id: "s" }).resume(run.id)).rejects.toMatchObject({ code: "invalid_input" });
  });
});
