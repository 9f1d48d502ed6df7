import type { Hooks } from "@pegboard/contract";
import { memoryStore, type ModelRequest, type RuntimeOptions, type Store, type Turn } from "pegboard";
import { expect, test } from "vitest";
import { cutLog, cuts } from "./cut-log.ts";
import { call, type Cast, ofType, stage, textOf } from "./stage.ts";

const TASK = { agent: "poet", prompt: "Write a poem", validator: "critic", maxUsd: 1 };

const CAST: Cast = {
  lead: { says: [call("delegate", TASK), "Started.", "Done."] },
  poet: { tools: [], says: [poem, poem, poem, poem] },
  critic: { tools: [], says: [verdict] },
};

/** What the poet says depends on nothing but what it reads, in whatever process. */
function poem({ messages }: ModelRequest): ReturnType<Extract<Turn, (request: ModelRequest) => unknown>> {
  const asked = textOf(messages.at(-1)!);
  if (asked.includes("blue")) return { error: { code: "timeout", message: "too slow" } };
  if (asked.includes("interrupted")) return "Violets.";
  return asked.includes("Lilies") ? "Lilies." : "Roses.";
}

function verdict({ messages }: ModelRequest): string {
  const isGood = textOf(messages[0]!).includes("Lilies.");
  return isGood ? '{"verdict": "accept"}' : '{"verdict": "reject", "feedback": "Lilies, please"}';
}

function open(store: Store, process: string, more: RuntimeOptions = {}) {
  const seen: string[] = [];
  const hook: Hooks = {
    validateTask(_, result) {
      seen.push(result);
      return result === "Roses." ? { accepted: false, feedback: "It must be blue" } : { accepted: true };
    },
  };
  const scene = stage(
    CAST,
    {
      store,
      hooks: [hook],
      delegation: { backoffMs: 1 },
      process: { identity: process, isAlive: (other) => other === process },
      ...more,
    },
    { id: "s", approve: "all" },
  );
  return { ...scene, seen };
}

async function record(more: RuntimeOptions = {}) {
  const store = memoryStore();
  const { session, runtime, seen } = open(store, "first", more);
  const result = await session.run("lead", "Go").result;
  const [task] = await session.tasks();
  const whole = await store.read({ session: "s" });
  await runtime.close();
  return { result, task: task!, whole, seen };
}

test("a task says of each try what was wrong with it, also when a failure comes after a rejection", async () => {
  const { task, seen } = await record();
  expect(task).toMatchObject({ state: "completed", iterations: 4, text: "Lilies." });
  expect(task.notes).toEqual(["It must be blue", "too slow", "Lilies, please"]);
  expect(seen).toEqual(["Roses.", "Violets.", "Lilies."]);
});

test("A3-36: a result that was judged before a crash is not judged again, and nothing is noted twice", async () => {
  const { whole, task } = await record();
  const told = (events: typeof whole) => ofType(events, "task-progress").map(({ data }) => ({ ...data, task: "" }));
  for (const kept of cuts(whole)) {
    const at = `cut after ${kept}: ${whole[kept - 1]!.type}`;
    const before = told(whole.slice(0, kept)).filter(({ verdict }) => verdict).length;
    const { session, runtime, seen } = open(await cutLog(whole, kept), "second");
    expect(await (await session.resume()).result, at).toMatchObject({ status: "completed", text: "Done." });
    expect(seen, at).toEqual(["Roses.", "Violets.", "Lilies."].slice(before));
    const [again] = await session.tasks();
    expect(again, at).toMatchObject({ state: "completed", iterations: 4, text: "Lilies.", notes: task.notes });
    const events = await runtime.store.read({ session: "s" });
    expect(told(events), at).toEqual(told(whole));
    expect(ofType(events, "run-end"), at).toHaveLength(ofType(events, "run-start").length);
    await runtime.close();
  }
});

test("a try that was begun within what a task may cost goes on after a crash, whatever it has cost since", async () => {
  const models = { resolve: () => Promise.reject(new Error("none")), cost: () => 0.4 };
  const { whole, task } = await record({ models });
  const cost = ofType(whole, "task-end")[0]!.data.cost;
  expect(task).toMatchObject({ state: "failed", iterations: 3, error: { code: "budget_limit" } });
  for (const kept of cuts(whole)) {
    const at = `cut after ${kept}: ${whole[kept - 1]!.type}`;
    const { session, runtime } = open(await cutLog(whole, kept), "second", { models });
    await (
      await session.resume()
    ).result;
    expect((await session.tasks())[0], at).toMatchObject({ state: "failed", iterations: task.iterations, cost });
    const events = await runtime.store.read({ session: "s" });
    expect(ofType(events, "run-end"), at).toHaveLength(ofType(events, "run-start").length);
    await runtime.close();
  }
});
