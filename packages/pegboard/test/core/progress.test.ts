import { setTimeout as pause } from "node:timers/promises";
import { createRuntime, defineTool, type Event, type ToolContext } from "pegboard";
import { expect, test } from "vitest";

type Reports = Extract<Event, { type: "call-progress" }>["data"][];

/** Opens a session with one tool that reports what it likes, and then does so. */
function start(execute: (context: ToolContext) => unknown) {
  const tool = defineTool({
    name: "work",
    description: "Works",
    input: { type: "object" },
    capabilities: ["read"],
    execute: (_, context) => execute(context),
  });
  const runtime = createRuntime({ tools: [tool] });
  const session = runtime.open();
  const reports = async (): Promise<Reports> =>
    (await runtime.store.read({ session: session.id })).flatMap(({ type, data }) =>
      type === "call-progress" ? [data] : [],
    );
  return { session, reports };
}

const told = (reports: Reports) =>
  reports.flatMap(({ earlier = [], message }) => [...earlier.map((one) => one.message), message]);

test("A3-11 a burst of reports is few events, and every report is recorded in order, also when the call then fails", async () => {
  const all = Array.from({ length: 200 }, (_, index) => `step ${index}`);
  const { session, reports } = start(({ progress }) => {
    for (const [index, message] of all.entries()) progress(message, { current: index, total: all.length });
    throw new Error("broken");
  });
  expect((await session.call("work")).error?.message).toBe("broken");
  const events = await reports();
  expect(told(events)).toEqual(all);
  expect(events.length).toBeLessThan(10);
  expect(events.at(-1)).toMatchObject({ message: "step 199", current: 199, total: 200 });
});

test("A3-11 a report reaches clients while the call runs, also the last of a burst", async () => {
  const { promise: seen, resolve: see } = Promise.withResolvers<void>();
  const { session } = start(async ({ progress }) => {
    for (const message of ["one", "two", "three"]) progress(message);
    await seen;
    return "done";
  });
  const follow = async () => {
    const heard: Reports = [];
    for await (const { type, data } of session.events()) {
      if (type === "call-progress") heard.push(data);
      if (told(heard).includes("three")) return see();
    }
  };
  const [result] = await Promise.all([session.call("work"), follow()]);
  expect(result.ok).toBe(true);
});

test("a flood of reports is counted: what one event holds is bounded, and the newest is kept", async () => {
  const { session, reports } = start(({ progress }) => {
    for (let index = 0; index < 50_000; index++) progress(`step ${index}`);
    return "done";
  });
  await session.call("work");
  const events = await reports();
  for (const event of events) expect(JSON.stringify(event).length).toBeLessThan(256 * 1024);
  const count = events.reduce((sum, { earlier = [], skipped = 0 }) => sum + 1 + earlier.length + skipped, 0);
  expect(count).toBe(50_000);
  expect(told(events).at(-1)).toBe("step 49999");
});

test("nothing is told of a call that has ended", async () => {
  const { session, reports } = start(({ progress }) => {
    progress("one");
    progress("two");
    return "done";
  });
  await session.call("work");
  const before = await reports();
  await pause(150);
  expect(await reports()).toEqual(before);
});
