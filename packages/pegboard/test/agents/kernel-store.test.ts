import type { Agent } from "@pegboard/contract";
import { createRuntime, defineTool, type Event, memoryStore, scriptedModel, type Store } from "pegboard";
import { describe, expect, test } from "vitest";

const HELPER: Agent = {
  name: "helper",
  description: "Helps",
  instructions: "You help.",
  tools: ["change", "look"],
  requirements: { all: ["change"] },
};

/** A store that refuses what the function says. */
function refusing(refuses: (event: Event) => boolean): Store {
  const store = memoryStore();
  return {
    ...store,
    append: (events) => (events.some(refuses) ? Promise.reject(new Error("the disk is full")) : store.append(events)),
  };
}

async function tell(refuses: (event: Event) => boolean) {
  const ran: string[] = [];
  const tool = (name: string, capability: "read" | "write") =>
    defineTool({
      name,
      description: name,
      input: { type: "object" },
      capabilities: [capability],
      execute: () => `${name} ${ran.push(name)}`,
    });
  const store = refusing(refuses);
  const model = scriptedModel([
    "Too early.",
    { calls: [{ tool: "look" }, { tool: "change" }] },
    { calls: [{ tool: "change" }] },
    "Done.",
  ]);
  const runtime = createRuntime({
    store,
    model,
    agents: [HELPER],
    tools: [tool("change", "write"), tool("look", "read")],
  });
  const session = runtime.open({ approve: "all" });
  const run = session.run("helper", "Go");
  for await (const _ of run);
  const result = await run.result;
  const events = await store.read({ session: session.id });
  const intents = events.filter(({ type, data }) => type === "execute-start" && data.tool === "change").length;
  await session.close();
  return { result, ran, intents, asked: model.requests.length };
}

const LOST = { code: "unavailable", message: expect.stringContaining("the disk is full") };
const first = (type: Event["type"], also: (event: Event) => boolean = () => true) => {
  let met = false;
  return (event: Event) => event.type === type && also(event) && !met && (met = true);
};

describe("a store that refuses an event", () => {
  test.each([
    ["the start of a run", first("run-start"), 0, 0],
    ["an answer of the model", first("turn-end"), 1, 0],
    ["a reminder", first("transcript-change"), 1, 0],
    [
      "the outcome of what changed something",
      first("call-end", ({ data }) => (data as { tool: string }).tool === "change"),
      2,
      1,
    ],
    ["the outcome of what only read", first("call-end"), 2, 1],
  ])("ends the run: %s", async (_, refuses, asked, changes) => {
    const told = await tell(refuses);
    expect(told.result).toMatchObject({ status: "failed", error: LOST });
    expect(told.asked).toBe(asked);
    const changed = told.ran.filter((name) => name === "change").length;
    expect(changed).toBe(changes);
    // Nothing has happened whose intent is not on record.
    expect(told.intents).toBe(changed);
  });

  test("keeps what would change something from running, which the model is told", async () => {
    const told = await tell(first("execute-start", ({ data }) => (data as { tool: string }).tool === "change"));
    expect(told.result).toMatchObject({ status: "completed", text: "Done." });
    expect(told.ran).toEqual(["look", "change"]);
    expect(told.intents).toBe(1);
  });

  test("does not take the result away when it is the end of the run, which says so", async () => {
    const told = await tell((event) => event.type === "run-end");
    expect(told.result).toMatchObject({ status: "completed", text: "Done." });
    expect(told.result.warnings!.join()).toContain("the disk is full");
  });

  test("may refuse that a turn begins: nothing hangs on it", async () => {
    expect((await tell((event) => event.type === "turn-start")).result).toMatchObject({ status: "completed" });
  });

  test("may refuse everything, and the run still ends", async () => {
    const told = await tell(() => true);
    expect(told.result).toMatchObject({ status: "failed", error: LOST });
    expect(told.ran).toEqual([]);
  });
});
