import type { Agent } from "@pegboard/contract";
import { createRuntime, type Event, type Run, scriptedModel } from "pegboard";
import { expect, test } from "vitest";

const HELPER: Agent = { name: "helper", description: "Helps", instructions: "You help." };

function start(turns: Parameters<typeof scriptedModel>[0] = ["Hello."]): Run {
  return createRuntime({ model: scriptedModel(turns), agents: [HELPER] })
    .open()
    .run("helper", "Hi");
}

async function typesOf(events: AsyncIterable<Event>): Promise<string[]> {
  const types: string[] = [];
  for await (const { type } of events) types.push(type);
  return types;
}

const ALL = ["run-start", "turn-start", "model-delta", "turn-end", "run-end"];

test("every reader of a run gets all of its events", async () => {
  const run = start();
  const all = await Promise.all([typesOf(run), typesOf(run), typesOf(run)]);
  for (const types of all) expect(types.toSorted()).toEqual(ALL.toSorted());
});

test("a reader that leaves early keeps neither the run nor the others from ending", async () => {
  const run = start();
  const early = (async () => {
    for await (const { type } of run) return type;
    return undefined;
  })();
  expect((await typesOf(run)).at(-1)).toBe("run-end");
  expect(await early).toBe("run-start");
  expect(await run.result).toMatchObject({ status: "completed" });
});

test("a reader that comes after the end ends at once", async () => {
  const run = start();
  await run.result;
  expect(await typesOf(run)).toEqual([]);
});

test("a reader that asks for several events before the first has come gets each of them once", async () => {
  const reader = start()[Symbol.asyncIterator]();
  const asked = Array.from({ length: 8 }, () => reader.next());
  const got = (await Promise.all(asked)).map(({ done, value }) => (done ? "end" : value.type));
  expect(got.toSorted()).toEqual([...ALL, "end", "end", "end"].toSorted());
  expect(await reader.next()).toEqual({ value: undefined, done: true });
});

test("a reader that leaves while it waits is let go", async () => {
  const run = start([{ delay: 60_000, text: "late" }]);
  const reader = run[Symbol.asyncIterator]();
  expect((await reader.next()).value).toMatchObject({ type: "run-start" });
  expect((await reader.next()).value).toMatchObject({ type: "turn-start" });
  const waiting = [reader.next(), reader.next()];
  expect(await reader.return!()).toEqual({ value: undefined, done: true });
  for (const one of await Promise.all(waiting)) expect(one.done).toBe(true);
  run.cancel();
  await run.result;
});

test("a reader of a run hears of the runs that it started", async () => {
  const asking = { tool: "agent", input: { agent: "expert", prompt: "Why?" } };
  const model = scriptedModel({
    scripts: [{ when: { system: "expert" }, turns: ["Because."] }, { turns: [{ calls: [asking] }, "Done."] }],
  });
  const expert: Agent = { name: "expert", description: "Knows", instructions: "You are the expert." };
  const runtime = createRuntime({ model, agents: [HELPER, expert] });
  const heard: string[] = [];
  const run = runtime.open({ approve: "all" }).run("helper", "Go");
  for await (const { type, chain, run: id } of run)
    if (type === "run-start" || type === "run-end") heard.push(`${type} ${chain!.join(">")} ${id === run.id}`);
  expect(heard).toEqual([
    "run-start helper true",
    "run-start helper>expert false",
    "run-end helper>expert false",
    "run-end helper true",
  ]);
});
