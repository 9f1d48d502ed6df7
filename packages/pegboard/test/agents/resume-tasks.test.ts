import type { Agent } from "@pegboard/contract";
import {
  createRuntime,
  defineTool,
  type Event,
  memoryStore,
  type ModelRequest,
  scriptedModel,
  type Store,
} from "pegboard";
import { expect, test } from "vitest";
import { cutLog, cuts } from "./cut-log.ts";
import { ofType } from "./stage.ts";

const AGENTS: readonly Agent[] = [
  { name: "lead", description: "Leads", instructions: "You lead." },
  { name: "worker", description: "Works", instructions: "You work.", tools: ["effect"] },
  { name: "writer", description: "Writes", instructions: "You write.", tools: [] },
  { name: "judge", description: "Judges", instructions: "You judge.", tools: [] },
];

const CHARGED = { usage: { input: 1, output: 1 } };
const ACCEPTED = { text: '{"verdict": "accept"}', ...CHARGED };
const REJECTED = { text: '{"verdict": "reject", "feedback": "Longer"}', ...CHARGED };

/** The worker may be done before the lead is asked again. */
function waitForWork({ messages }: ModelRequest) {
  return { text: JSON.stringify(messages).includes("Worked") ? "All done" : "I wait", ...CHARGED };
}

const SCRIPT = {
  scripts: [
    {
      when: { system: "You lead." },
      turns: [
        {
          calls: [
            { tool: "delegate", input: { agent: "worker", prompt: "Work", mode: "background" } },
            { tool: "delegate", input: { agent: "writer", prompt: "Write", mode: "wait", validator: "judge" } },
          ],
          ...CHARGED,
        },
        waitForWork,
        waitForWork,
      ],
    },
    {
      when: { system: "You work." },
      turns: [
        { calls: [{ tool: "effect" }], ...CHARGED },
        { text: "Worked", ...CHARGED },
      ],
    },
    {
      when: { system: "You write." },
      turns: [
        { text: "Short", ...CHARGED },
        { text: "Longer text", ...CHARGED },
      ],
    },
    { when: { system: "You judge.", prompt: "Longer text" }, turns: [ACCEPTED] },
    { when: { system: "You judge." }, turns: [REJECTED] },
  ],
};

function open(store: Store, effects: string[], process: string, agents = AGENTS) {
  const runtime = createRuntime({
    store,
    model: scriptedModel(SCRIPT),
    agents,
    approve: "all",
    process: { identity: process, isAlive: (other) => other === process },
    tools: [
      defineTool({
        name: "effect",
        description: "Has an effect",
        input: { type: "object" },
        execute: (_, { callId }) => `effect ${effects.push(callId)}`,
      }),
    ],
  });
  return { runtime, session: runtime.open({ id: "s" }) };
}

async function record(): Promise<readonly Event[]> {
  const store = memoryStore();
  const { session, runtime } = open(store, [], "first");
  const result = await session.run("lead", "Go").result;
  expect(result).toMatchObject({ status: "completed" });
  const events = await store.read();
  await runtime.close();
  return events;
}

test("A3-36: a task goes on after a crash at any moment, and the run that gave it away is told exactly once", async () => {
  const whole = await record();
  for (const kept of cuts(whole)) {
    const store = await cutLog(whole, kept);
    const effects: string[] = [];
    const { session, runtime } = open(store, effects, "second");
    const result = await (await session.resume()).result;
    const at = `cut after ${kept}: ${whole[kept - 1]!.type}`;
    const events = await store.read({ session: "s" });
    const usage = { input: ofType(events, "turn-end").length };
    expect(result, at).toMatchObject({ status: "completed", text: "All done", calls: 2, usage });
    const begun = ofType(whole.slice(0, kept), "execute-start").flatMap(({ call, data }) =>
      data.tool === "effect" ? [call] : [],
    );
    expect(
      effects.filter((call) => begun.includes(call)),
      at,
    ).toEqual([]);
    expect(ofType(events, "task-start"), at).toHaveLength(2);
    const ends = ofType(events, "task-end");
    expect(
      ends.map(({ data }) => data.state),
      at,
    ).toEqual(["completed", "completed"]);
    expect(new Set(ends.map(({ data }) => data.iterations)), at).toEqual(new Set([1, 2]));
    const background = ofType(events, "task-start").find(({ data }) => data.mode === "background")!.data.task;
    const told = ofType(events, "transcript-change").filter(({ data }) => data.task === background);
    expect(told, at).toHaveLength(1);
    expect(ofType(events, "run-end"), at).toHaveLength(ofType(events, "run-start").length);
    expect(await store.unfinished(), at).toEqual([]);
    await runtime.close();
  }
});

test("A3-36: a task whose agent is gone ends as failed with the reason, and the run is told exactly once", async () => {
  const whole = await record();
  const begun = whole.findIndex(({ type, data }) => type === "run-start" && data.agent === "worker");
  const store = await cutLog(whole, begun + 1);
  const { session, runtime } = open(
    store,
    [],
    "second",
    AGENTS.filter(({ name }) => name !== "worker"),
  );
  const result = await (await session.resume()).result;
  const events = await store.read({ session: "s" });
  const failed = ofType(events, "task-end").filter(({ data }) => data.state === "failed");
  expect(failed).toMatchObject([
    { data: { error: { code: "not_found", message: expect.stringContaining("worker") } } },
  ]);
  const told = ofType(events, "transcript-change").filter(({ data }) => data.task === failed[0]!.data.task);
  expect(JSON.stringify(told)).toContain(": failed after");
  expect(told).toHaveLength(1);
  expect(result.status).toBe("completed");
  await runtime.close();
});
