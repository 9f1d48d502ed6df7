import { createRuntime, defineTool, memoryStore, type Model, type Store } from "pegboard";
import { expect, test } from "vitest";
import { cutLog, cuts } from "./cut-log.ts";

const HELPER = { name: "helper", description: "Helps", instructions: "You help." };
const big = defineTool({
  name: "big",
  description: "Gives much",
  input: { type: "object" },
  capabilities: ["read"],
  execute: () => "x".repeat(20_000),
});

/** A model that takes little. Its first answers are empty, so many of them, and are paid for all the same. */
function createModel(empty: number): Model {
  return {
    id: "x:small",
    contextTokens: 6_000,
    async *stream({ system, messages }) {
      const end = (input: number) => ({ type: "end" as const, reason: "stop" as const, usage: { input, output: 0 } });
      if (system.includes("summarise")) {
        yield { type: "text", text: "SUMMARY" };
        yield end(1_000);
      } else if (messages.some(({ role }) => role === "tool")) {
        yield { type: "text", text: "Done." };
        yield end(1);
      } else if (empty-- > 0) yield end(100);
      else {
        yield { type: "call", id: "c", tool: "big", input: {} };
        yield end(10);
      }
    },
  };
}

function open(store: Store, process: string, empty: number) {
  return createRuntime({
    store,
    model: createModel(empty),
    models: { resolve: () => Promise.reject(new Error("none")), cost: (_, { input }) => input / 1_000 },
    agents: [HELPER],
    tools: [big],
    process: { identity: process, isAlive: (other) => other === process },
  });
}

test("what summaries and answers that did not count have used counts also after a crash", async () => {
  const first = open(memoryStore(), "first", 1);
  const { usage, cost } = await first.open({ id: "s" }).run("helper", "x".repeat(12_000)).result;
  expect([usage.input, cost]).toEqual([1_111, expect.closeTo(1.111)]);
  const whole = await first.store.read({ session: "s" });
  for (const kept of cuts(whole)) {
    const at = `cut after ${kept}: ${whole[kept - 1]!.type}`;
    const store = await cutLog(whole, kept);
    const again = open(store, "second", 0);
    const wasted = whole.slice(0, kept).some(({ type }) => type === "turn-progress") ? 100 : 0;
    const [left] = await again.sessions.runs();
    const result = await (await again.open({ id: "s" }).resume()).result;
    expect([result.usage.input, result.cost], at).toEqual([1_011 + wasted, expect.closeTo(1.011 + wasted / 1_000)]);
    const onRecord = whole.slice(0, kept).reduce((sum, { data }) => sum + ("cost" in data ? (data.cost ?? 0) : 0), 0);
    expect(left!.cost, at).toBeCloseTo(onRecord);
    await again.close();
  }
});
