import { readFileSync } from "node:fs";
import type { Agent, Json } from "@pegboard/contract";
import { type Budget, createRuntime, scriptedModel, type ScriptedTurn, type Turn } from "pegboard";
import { describe, expect, test } from "vitest";
import { delegation } from "../../src/plugins/bundled/delegation.ts";
import { validation } from "../../src/plugins/bundled/validation.ts";
import { call, ofType, textOf } from "../agents/stage.ts";

interface Scene {
  /** What the one says that has work to give away. */
  readonly lead: readonly Turn[];
  /** What the one says that is given a poem to write. */
  readonly poet?: readonly Turn[];
  /** What the reviewer says. */
  readonly reviewer?: readonly Turn[];
  /** Of the plugin `validation`, which is there when it has any. */
  readonly settings?: Json;
  readonly agent?: Partial<Agent>;
  readonly budget?: Budget;
}

/** Plays a scene with both plugins on a runtime of its own. */
async function play({ lead, poet = [], reviewer = [], settings, agent, budget = {} }: Scene) {
  const model = scriptedModel({
    scripts: [
      { when: { system: "You review" }, turns: reviewer },
      { when: { prompt: "Write a poem" }, turns: poet },
      { turns: lead },
    ],
  });
  const author = { name: "author", description: "writes", instructions: "You write.", ...agent };
  const runtime = createRuntime({ model, agents: [author], approve: "all", delegation: { backoffMs: 1 } });
  await runtime.plugins.add({ plugin: delegation });
  if (settings !== undefined) await runtime.plugins.add({ plugin: validation, settings });
  const session = runtime.open();
  const result = await session.run("author", "Go", { budget }).result;
  const events = await runtime.store.read({ session: session.id });
  const calls = ofType(events, "call-end").map(({ data }) => data);
  return { runtime, model, result, calls, events, tasks: await session.tasks() };
}

const delegate = (more: Readonly<Record<string, Json>> = {}) =>
  call("delegation__delegate", { prompt: "Write a poem", ...more });

test.each(["delegation", "validation"])("the plugin %s needs nothing but the contract", (name) => {
  const text = readFileSync(new URL(`../../src/plugins/bundled/${name}.ts`, import.meta.url), "utf8");
  expect([...text.matchAll(/from "([^"]+)"/g)].map(([, from]) => from)).toEqual(["@pegboard/contract"]);
});

describe("the plugin delegation", () => {
  test("replies at once, and the result of the task comes as a message", async () => {
    const { result, calls, tasks, model } = await play({ lead: [delegate(), "Started.", "Done."], poet: ["Roses."] });
    expect(result).toMatchObject({ status: "completed", text: "Done." });
    expect(calls.map(({ tool, ok }) => [tool, ok])).toEqual([
      ["delegate", true],
      ["delegation__delegate", true],
    ]);
    expect(tasks).toMatchObject([{ prompt: "Write a poem", mode: "background", state: "completed" }]);
    const heard = model.requests.at(-1)!.messages.map(textOf);
    expect(heard.find((text) => text.includes("Task delegated"))).toBeDefined();
    expect(heard.at(-1)).toContain("Roses.");
  });

  test("passes on how far a task is", async () => {
    const checkin = call("delegation__checkin", { message: "Half of it rhymes" });
    const { model, calls } = await play({ lead: [delegate(), "Started.", "Done."], poet: [checkin, "Roses."] });
    expect(calls.filter(({ tool }) => tool === "delegation__checkin")).toMatchObject([{ ok: true }]);
    expect(model.requests.at(-1)!.messages.map(textOf).join("\n")).toContain("Half of it rhymes");
  });

  test("says why a task is refused, and nothing is begun then", async () => {
    const { calls, tasks } = await play({ lead: [delegate({ prompt: " " }), "Sorry."] });
    const [inner, outer] = calls;
    expect(outer).toMatchObject({ tool: "delegation__delegate", ok: false, error: { code: "invalid_input" } });
    expect(outer!.error!.message).toBe(inner!.error!.message);
    expect(tasks).toEqual([]);
  });

  test("gives an agent no work away that it could not give away itself", async () => {
    const agent = { tools: ["delegation__delegate"] };
    const { calls, tasks } = await play({ lead: [delegate(), "Sorry."], agent });
    expect(calls.at(-1)).toMatchObject({ tool: "delegation__delegate", ok: false, error: { code: "denied" } });
    expect(tasks).toEqual([]);
  });
});

describe("the plugin validation", () => {
  const lead = [delegate(), "Started.", "Done."];

  test("has a result reviewed by the rubric until it is accepted, and what is wrong goes back", async () => {
    const { tasks, model } = await play({
      lead,
      poet: ["Roses.", "Roses are red."],
      reviewer: [
        ({ messages }) =>
          textOf(messages[0]!).includes("are red")
            ? '```json\n{"accepted": true}\n```'
            : '{"accepted": false, "feedback": "It has one word"}',
      ],
      settings: { rubric: "At least three words" },
    });
    expect(tasks).toMatchObject([{ state: "completed", iterations: 2, text: "Roses are red." }]);
    const [first] = model.requests.filter(({ system }) => system.includes("You review"));
    expect(first!.tools).toEqual([]);
    for (const part of ["At least three words", "Write a poem", "Roses."])
      expect(textOf(first!.messages[0]!)).toContain(part);
    expect(model.requests.flatMap(({ messages }) => messages.map(textOf)).join("\n")).toContain("It has one word");
  });

  test.each([
    ["accept", { state: "completed", iterations: 1 }],
    ["reject", { state: "failed", iterations: 2 }],
  ])("%ss a result that could not be reviewed when its settings say so, and is degraded", async (onFailure, task) => {
    const { tasks, runtime } = await play({
      lead: [delegate({ maxIterations: 2 }), "Started.", "Done."],
      poet: ["Roses.", "Roses again."],
      reviewer: [{ error: { code: "denied", message: "no key" } }],
      settings: { on_failure: onFailure },
    });
    expect(tasks).toMatchObject([task]);
    expect(runtime.plugins.get("validation")).toMatchObject({
      status: "degraded",
      reason: expect.stringContaining("no key"),
    });
  });

  test("reviews below the run that gave the work away, and at its expense", async () => {
    const review = { text: '{"accepted": true}', usage: { input: 700, output: 70 } };
    const { result, events, runtime } = await play({
      lead: lead.map((turn) => (typeof turn === "string" ? { text: turn, usage: { input: 1, output: 0 } } : turn)),
      poet: [{ text: "Roses.", usage: { input: 20, output: 2 } }],
      reviewer: [review],
      settings: {},
    });
    expect(result.usage.output).toBeGreaterThanOrEqual(72);
    expect(result.usage.input).toBeGreaterThanOrEqual(720);
    const starts = ofType(events, "run-start");
    expect(starts.map(({ chain }) => chain)).toEqual([
      ["author"],
      ["author", "author"],
      ["author", "validation/reviewer"],
    ]);
    const own = await runtime.store.read({ type: "run-start" });
    expect(own).toHaveLength(starts.length);
  });

  test("leaves nothing to try again with when it uses up the budget of the run", async () => {
    const { tasks, result } = await play({
      lead,
      poet: ["Roses.", "Roses are red."],
      reviewer: [{ text: '{"accepted": false, "feedback": "One word"}', usage: { input: 50_000, output: 10 } }],
      settings: {},
      budget: { tokens: 20_000 },
    });
    expect(tasks).toMatchObject([{ state: "failed", iterations: 2, error: { code: "budget_limit" } }]);
    expect(result).toMatchObject({ status: "failed", error: { code: "budget_limit" } });
  });

  test("reviews what an agent gave away that was itself asked by one", async () => {
    const ask = call("agent", { agent: "author", prompt: "Have a poem written" });
    const give = call("delegate", { prompt: "Write a poem", mode: "wait", agent: "assistant" });
    const { tasks } = await play({
      lead: [({ messages }) => (textOf(messages[0]!).includes("Have a poem") ? give : ask) as ScriptedTurn, "Done."],
      poet: ["Roses."],
      reviewer: ['{"accepted": true}'],
      settings: {},
    });
    expect(tasks).toMatchObject([{ agent: "assistant", state: "completed", iterations: 1 }]);
  });

  test("is not there with settings that are wrong, and says which", async () => {
    const { runtime } = await play({ lead: ["Done."], settings: { on_failure: "shrug" } });
    expect(runtime.plugins.get("validation")).toMatchObject({
      status: "failed",
      reason: expect.stringContaining("on_failure"),
    });
  });
});
