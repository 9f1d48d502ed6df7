import type { Agent } from "@pegboard/contract";
import {
  createRuntime,
  defineTool,
  type Model,
  PegboardError,
  type RuntimeOptions,
  scriptedModel,
  type Turn,
} from "pegboard";
import { describe, expect, test } from "vitest";
import { Chat } from "../../src/core/chat.ts";

const HELPER: Agent = { name: "helper", description: "Helps", instructions: "You help." };
const slow = (text: string): Turn => ({ delay: 20, text });

function open(
  model: Model = scriptedModel([slow("a"), slow("b"), slow("c"), slow("d")]),
  limits: RuntimeOptions["limits"] = {},
) {
  const runtime = createRuntime({ model, agents: [HELPER], limits });
  return { runtime, session: runtime.open() };
}

function textsOf(model: ReturnType<typeof scriptedModel>, at: number): string[] {
  return model.requests[at]!.messages.flatMap((message) =>
    message.role === "tool" ? [] : message.content.map((part) => (part.type === "text" ? part.text : part.type)),
  );
}

describe("A4-28: prompts while the agent works", () => {
  test("wait their turn, one at a time and in order", async () => {
    const model = scriptedModel([slow("a"), slow("b"), slow("c")]);
    const chat = open(model).session.chat("helper");
    const runs = [chat.send("one"), chat.send("two"), chat.send("three")];
    const results = await Promise.all(runs.map(async (run) => (await (await run).result).text));
    expect(results).toEqual(["a", "b", "c"]);
    expect(textsOf(model, 2)).toEqual(["one", "a", "two", "b", "three"]);
  });

  test("are refused where they do not wait, and taken as soon as the result is there", async () => {
    const chat = open().session.chat("helper", { whenBusy: "refuse" });
    for (const text of ["a", "b", "c"]) {
      const run = await chat.send("next");
      await expect(chat.send("too early")).rejects.toMatchObject({ code: "busy", retryable: true });
      expect(await run.result).toMatchObject({ text });
    }
  });

  test("A3-37: are refused when as many wait as may, and taken again when one is done", async () => {
    const chat = open(undefined, { waiting: 2 }).session.chat("helper");
    const sent = [chat.send("one"), chat.send("two"), chat.send("three")];
    await expect(chat.send("too many")).rejects.toMatchObject({
      code: "busy",
      retryable: true,
      message: expect.stringContaining("2 prompts wait"),
    });
    await (
      await sent[0]!
    ).result;
    sent.push(chat.send("four"));
    expect(await Promise.all(sent.map(async (run) => (await (await run).result).text))).toEqual(["a", "b", "c", "d"]);
  });

  test("are refused in the very moment in which one was taken", async () => {
    const chat = open().session.chat("helper", { whenBusy: "refuse" });
    const [first, second] = await Promise.allSettled([chat.send("one"), chat.send("two")]);
    expect([first.status, second.status]).toEqual(["fulfilled", "rejected"]);
  });

  test("go on after one that fails or is cancelled, from what was said before it", async () => {
    const model = scriptedModel([slow("a"), slow("b"), slow("c")]);
    const chat = open(model).session.chat("helper");
    const failing = scriptedModel([{ error: { code: "invalid_config", message: "no" } }]);
    const sent = [chat.send("one"), chat.send("fails", { model: failing }), chat.send("stopped"), chat.send("two")];
    const stopped = await sent[2]!;
    stopped.cancel();
    const statuses = await Promise.all(sent.map(async (run) => (await (await run).result).status));
    expect(statuses).toEqual(["completed", "failed", "cancelled", "completed"]);
    expect(textsOf(model, model.requests.length - 1)).toEqual(["one", "a", "fails", "two"]);
  });

  test("that were cancelled while they waited are not asked", async () => {
    const model = scriptedModel([slow("a"), slow("b")]);
    const chat = open(model).session.chat("helper");
    const stop = new AbortController();
    const [one, two, three] = [chat.send("one"), chat.send("two", { signal: stop.signal }), chat.send("three")];
    stop.abort();
    expect(await (await two).result).toMatchObject({ status: "cancelled", turns: 0 });
    expect(await (await one).result).toMatchObject({ text: "a" });
    expect(await (await three).result).toMatchObject({ text: "b" });
    expect(textsOf(model, 1)).toEqual(["one", "a", "three"]);
  });

  test("end when the session closes", async () => {
    const { session, runtime } = open();
    const chat = session.chat("helper");
    const sent = [chat.send("one"), chat.send("two"), chat.send("three")];
    for await (const { type } of await sent[0]!) if (type === "turn-start") break;
    await session.close();
    const results = await Promise.all(sent.map(async (run) => (await run).result));
    expect(results.map(({ status }) => status)).toEqual(["cancelled", "failed", "failed"]);
    expect(results[1]!.error).toMatchObject({ code: "unavailable" });
    expect((await runtime.store.read({ session: session.id })).at(-1)!.type).toBe("session-end");
    await expect(chat.inject("late")).rejects.toMatchObject({ code: "unavailable" });
  });

  test("do not hang behind one that could not be started", async () => {
    let started = 0;
    const change = async () => {};
    const run = (): never => {
      started++;
      throw new PegboardError("internal", "no run");
    };
    const chat = new Chat({ run, change, waiting: 1 }, { whenBusy: "refuse" });
    await expect(chat.send("one")).rejects.toMatchObject({ code: "internal" });
    await expect(chat.send("two")).rejects.toMatchObject({ code: "internal" });
    expect(started).toBe(2);
  });
});

describe("a message that is added while the agent works", () => {
  test("is read with the next prompt, not by the run at work, and splits no call from its result", async () => {
    const tool = defineTool({
      name: "note",
      description: "Notes",
      input: { type: "object" },
      capabilities: ["read"],
      execute: async () => {
        await chat.inject("by the way");
        return "noted";
      },
    });
    const model = scriptedModel([{ calls: [{ tool: "note" }] }, { text: "a" }, { text: "b" }, { text: "c" }]);
    const runtime = createRuntime({ model, agents: [HELPER], tools: [tool] });
    const chat = runtime.open().chat("helper");
    await (
      await chat.send("one")
    ).result;
    expect(JSON.stringify(model.requests[1]!.messages)).not.toContain("by the way");
    await (
      await chat.send("two")
    ).result;
    expect(model.requests[2]!.messages.map(({ role }) => role)).toEqual([
      "user",
      "assistant",
      "tool",
      "assistant",
      "user",
    ]);
    expect(textsOf(model, 2).slice(-2)).toEqual(["by the way", "two"]);
    await (
      await chat.send("three")
    ).result;
    expect(textsOf(model, 3).filter((text) => text === "by the way")).toHaveLength(1);
  });

  test("is not lost when nobody waits until it is written", async () => {
    const model = scriptedModel(["a", "b"]);
    const chat = open(model).session.chat("helper");
    await (
      await chat.send("one")
    ).result;
    void chat.inject("at once");
    await (
      await chat.send("two")
    ).result;
    expect(textsOf(model, 1)).toEqual(["one", "a", "at once", "two"]);
  });
});

describe("a conversation that is cleared while the agent works", () => {
  test("is forgotten, and the next prompt begins anew, also one that waits", async () => {
    const model = scriptedModel([slow("a"), slow("b")]);
    const { session } = open(model);
    const chat = session.chat("helper");
    const one = await chat.send("one");
    const two = chat.send("two");
    await chat.clear();
    await one.result;
    await (
      await two
    ).result;
    expect(textsOf(model, 1)).toEqual(["two"]);
    const other = scriptedModel(["z"]);
    await session.run("helper", "three", { model: other, continue: one.id }).result;
    expect(textsOf(other, 0)).toEqual(["three"]);
  });
});

describe("going on with a run", () => {
  test("that is still at work is refused, as is one that the session does not know", async () => {
    const { session } = open();
    const run = session.run("helper", "one");
    expect(await session.run("helper", "two", { continue: run.id }).result).toMatchObject({ error: { code: "busy" } });
    expect(await session.run("helper", "two", { continue: "nosuch" }).result).toMatchObject({
      error: { code: "not_found" },
    });
    await run.result;
    expect(await session.run("helper", "two", { continue: run.id }).result).toMatchObject({ text: "b" });
  });

  test("twice gives two conversations that know nothing of each other", async () => {
    const model = scriptedModel([slow("a"), slow("b")]);
    const { session } = open(model);
    const first = await session.run("helper", "one").result;
    await Promise.all(["left", "right"].map((prompt) => session.run("helper", prompt, { continue: first.run }).result));
    expect(textsOf(model, 1)).toEqual(["one", "a", "left"]);
    expect(textsOf(model, 2)).toEqual(["one", "a", "right"]);
  });
});
