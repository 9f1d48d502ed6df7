import type { Agent } from "@pegboard/contract";
import { createRuntime, defineTool, type Event, memoryStore, scriptedModel, type Store } from "pegboard";
import { describe, expect, test } from "vitest";
import { foldTranscript } from "../../src/agents/transcript.ts";
import { cutLog, cuts } from "./cut-log.ts";

const AGENTS: readonly Agent[] = [
  {
    name: "chief",
    description: "Leads",
    instructions: "You lead.",
    requirements: { all: ["agent"] },
    promptTools: [
      { name: "shorten", description: "Shortens", prompt: "Shorten {{text}}", input: TEXT(), tools: ["look"] },
    ],
  },
  { name: "middle", description: "Passes on", instructions: "You pass on." },
  { name: "last", description: "Works", instructions: "You work.", output: { type: "object", required: ["n"] } },
];

function TEXT() {
  return { type: "object", properties: { text: { type: "string" } } };
}

const SCRIPT = {
  scripts: [
    {
      when: { system: "You lead." },
      turns: [
        { text: "First I look", calls: [{ tool: "look" }, { tool: "effect", input: { n: 1 } }, { tool: "look" }] },
        "Too early",
        {
          calls: [
            { tool: "shorten", input: { text: "a" } },
            { tool: "agent", input: { agent: "middle", prompt: "Do it" } },
            { tool: "effect", input: { n: 2 } },
          ],
        },
        { text: "All done", usage: { input: 1, output: 1 } },
      ],
    },
    {
      when: { system: "You pass on." },
      turns: [
        { calls: [{ tool: "agent", input: { agent: "last", prompt: "You do it" } }, { tool: "effect" }] },
        { text: "Passed", usage: { input: 10, output: 10 } },
      ],
    },
    {
      when: { system: "You work." },
      turns: [
        { calls: [{ tool: "effect", input: { n: 3 } }] },
        "no json",
        { text: '{"n": 1}', usage: { input: 100, output: 100 } },
      ],
    },
    { when: { system: "shorten" }, turns: [{ calls: [{ tool: "look" }] }, "short"] },
  ],
};

function open(store: Store, effects: string[], process: string) {
  const runtime = createRuntime({
    store,
    model: scriptedModel(SCRIPT),
    agents: AGENTS,
    approve: "all",
    process: { identity: process, isAlive: (other) => other === process },
    tools: [
      defineTool({
        name: "effect",
        description: "Has an effect",
        input: { type: "object" },
        execute: (_, { callId }) => `effect ${effects.push(callId)}`,
      }),
      defineTool({
        name: "look",
        description: "Only reads",
        input: { type: "object" },
        capabilities: ["read"],
        execute: () => "seen",
      }),
    ],
  });
  return { runtime, session: runtime.open({ id: "s" }) };
}

/** The log of the whole run, as one process writes it. */
async function record(): Promise<readonly Event[]> {
  const store = memoryStore();
  const { session } = open(store, [], "first");
  expect((await session.run("chief", "Go").result).text).toBe("All done");
  return store.read();
}

/** What may differ between a run that was cut off and one that was not. */
const count = (events: readonly Event[], type: Event["type"]) => events.filter((event) => event.type === type).length;

describe("a run whose process ends at any moment", () => {
  test("goes on in another process, and no effect happens a second time", async () => {
    const whole = await record();
    let interrupted = 0;
    const { run: id } = whole.find(({ type }) => type === "run-start")!;
    for (const kept of cuts(whole)) {
      const store = await cutLog(whole, kept);
      const effects: string[] = [];
      const { session, runtime } = open(store, effects, "second");
      const run = await session.resume();
      const result = await run.result;
      const events = await store.read({ session: "s" });
      const at = `cut after ${kept}: ${whole[kept - 1]!.type}`;
      expect(result, at).toMatchObject({
        run: id,
        status: "completed",
        text: "All done",
        turns: 4,
        calls: 6,
      });
      expect(result.usage, at).toMatchObject({ input: 111, output: 111 });
      const begun = whole
        .slice(0, kept)
        .flatMap(({ type, call, data }) => (type === "execute-start" && data.tool === "effect" ? [call!] : []));
      expect(
        effects.filter((call) => begun.includes(call)),
        at,
      ).toEqual([]);
      expect(begun.length + effects.length, at).toBe(4);
      const told = JSON.stringify(foldTranscript(events, run.id));
      const cut = events.filter(({ type, data }) => type === "call-end" && data.error?.code === "interrupted");
      interrupted += cut.length;
      for (const { run: caller } of cut)
        expect(JSON.stringify(foldTranscript(events, caller!)), at).toContain("not known");
      expect(told, at).toContain("Passed");
      // One end for each run and each call, whatever was begun twice.
      expect(count(events, "run-end"), at).toBe(4);
      expect(new Set(events.flatMap(({ type, call }) => (type === "call-end" ? [call] : []))).size, at).toBe(
        count(events, "call-end"),
      );
      await runtime.close();
    }
    expect(interrupted).toBe(4);
  });
});
