import type { Agent } from "@pegboard/contract";
import { createRuntime, defineTool, type Message, type Model, PegboardError, scriptedModel, type Turn } from "pegboard";
import { describe, expect, test } from "vitest";
import { countOld, estimateTokens, summaryMessage } from "../../src/agents/compaction.ts";
import { canShorten, shortenResults } from "../../src/agents/shorten-results.ts";

const HELPER: Agent = { name: "helper", description: "Helps", instructions: "You help." };
const user = (text: string): Message => ({ role: "user", content: [{ type: "text", text }] });
const asks = (...ids: string[]): Message => ({
  role: "assistant",
  content: ids.map((id) => ({ type: "call", id, tool: "t", input: {} })),
});
const results = (length: number, ...ids: string[]): Message => ({
  role: "tool",
  results: ids.map((call) => ({ call, tool: "t", ok: true, content: [{ type: "text", text: "x".repeat(length) }] })),
});

describe("the beginning that a summary stands for", () => {
  test.each<[string, Message[], number, number]>([
    ["is nothing of what fits", [user("a"), asks("1"), results(10, "1")], 1_000, 0],
    ["is nothing of one giant message", [user("x".repeat(99_999))], 1_000, 0],
    [
      "does not part a call from its result",
      [user("a"), asks("1"), results(900, "1"), asks("2"), results(4_000, "2")],
      1_000,
      3,
    ],
    ["leaves the last exchange, however big", [user("a"), user("b"), asks("1"), results(99_999, "1")], 1_000, 2],
    ["leaves the last message, however big", [user("a"), user("b"), user("x".repeat(99_999))], 1_000, 2],
    ["may be users' words alone", Array.from({ length: 10 }, () => user("x".repeat(400))), 1_000, 7],
    ["is not one small message", [user("a"), asks("1"), results(99_999, "1")], 1_000, 0],
    ["may be one giant message", [user("x".repeat(99_999)), asks("1"), results(10, "1")], 1_000, 1],
  ])("%s", (_, messages, tokens, count) => {
    expect(countOld(messages, tokens)).toBe(count);
  });

  test("is told by what was asked, when there is no summary", () => {
    const content = [
      { type: "text" as const, text: "<file>" },
      { type: "text" as const, text: "The task" },
    ];
    expect(JSON.stringify(summaryMessage([{ role: "user", content }, user("more")], undefined))).toContain("The task");
  });
});

test("results that were cut are cut only once, and never within a character", () => {
  const messages = [user("a".repeat(500)), results(500, "1"), results(5, "2")];
  const once = shortenResults(messages, 10);
  expect(canShorten(messages, 10)).toBe(true);
  expect(canShorten(once, 10)).toBe(false);
  expect(shortenResults(once, 10)).toEqual(once);
  expect([once[0], once[2]]).toEqual([messages[0], messages[2]]);
  const smiles: Message = {
    role: "tool",
    results: [{ call: "1", tool: "t", ok: true, content: [{ type: "text", text: "😀".repeat(100) }] }],
  };
  expect(JSON.stringify(shortenResults([smiles], 11))).not.toMatch(/\\ud/);
});

describe("a conversation that becomes too long", () => {
  const big = defineTool({
    name: "big",
    description: "Gives much",
    input: { type: "object", properties: { length: { type: "number" } } },
    capabilities: ["read"],
    execute: ({ length = 8_000 }) => "x".repeat(length),
  });
  const steps = (count: number, length?: number): Turn[] => [
    ...Array.from({ length: count }, (_, n) => ({ calls: [{ tool: "big", input: { n, ...(length && { length }) } }] })),
    "Done.",
  ];

  /** A model that takes so many tokens, answers with the steps, and makes summaries as the function says. */
  async function run(turns: readonly Turn[], summarise: () => Turn, contextTokens = 6_000) {
    const asked = scriptedModel([...turns]);
    const sizes: number[] = [];
    let at = 0;
    const model: Model = {
      id: "x:small",
      contextTokens,
      stream(request, signal) {
        if (request.system.includes("summarise")) return scriptedModel([summarise()]).stream(request, signal);
        sizes.push(estimateTokens(request.messages));
        return scriptedModel([turns[at++]!]).stream({ ...request, messages: [] }, signal);
      },
    };
    const runtime = createRuntime({ model, agents: [HELPER], tools: [big] });
    const session = runtime.open();
    const result = await session.run("helper", "The task").result;
    const changes = await runtime.store.read({ session: session.id, type: "transcript-change" });
    return { result, sizes, changes: changes.map(({ data }) => data), asked };
  }

  test("stays within what its model takes", async () => {
    const { result, sizes, changes } = await run(steps(12), () => "SUMMARY");
    expect(result).toMatchObject({ status: "completed", text: "Done." });
    expect(Math.max(...sizes)).toBeLessThanOrEqual(6_000);
    expect(changes.length).toBeGreaterThan(1);
  });

  test.each<[string, Turn]>([
    ["fails", { error: { code: "invalid_input", message: "too long" } }],
    ["is empty", { calls: [{ tool: "big" }] }],
  ])("goes on when the summary %s, with the task", async (_, turn) => {
    const { result, changes } = await run(steps(12), () => turn);
    expect(result).toMatchObject({ status: "completed", text: "Done." });
    expect(JSON.stringify(changes[0])).toMatch(/earlier messages were left out.*The task/);
  });

  test("cuts giant results of the last exchange, once", async () => {
    const { result, sizes, changes } = await run(
      [{ calls: [1, 2, 3].map((n) => ({ tool: "big", input: { n, length: 20_000 } })) }, "Done."],
      () => "SUMMARY",
    );
    expect(result).toMatchObject({ status: "completed" });
    expect(sizes.at(-1)).toBeLessThanOrEqual(6_000);
    expect(changes).toEqual([{ shortened: 4_000 }]);
  });

  test("counts what summaries cost", async () => {
    const { result } = await run(steps(12), () => ({ text: "SUMMARY", usage: { input: 1_000, output: 1 } }));
    expect(result.usage.input).toBeGreaterThanOrEqual(1_000);
  });
});

test("a request that the provider finds too long is made shorter and asked again, once", async () => {
  const lengths: number[] = [];
  let asked = 0;
  const model: Model = {
    id: "small:model",
    async *stream({ messages, system }) {
      const { length } = JSON.stringify(messages);
      lengths.push(length);
      if (length > 20_000 && !system.includes("summarise"))
        throw new PegboardError("invalid_input", "too long", { details: { contextLength: true } });
      if (system.includes("summarise")) yield { type: "text", text: "SUMMARY" };
      else if (asked++ < 4) yield { type: "call", id: `c${asked}`, tool: "big", input: { n: asked } };
      else yield { type: "text", text: "Done." };
      yield { type: "end", reason: "stop", usage: { input: 1, output: 1 } };
    },
  };
  const big = defineTool({
    name: "big",
    description: "Says much",
    input: { type: "object" },
    capabilities: ["read"],
    execute: () => "x".repeat(9_000),
  });
  const session = createRuntime({ model, agents: [HELPER], tools: [big], limits: { turns: 9 } }).open();
  const run = session.run("helper", "Go");
  const events: string[] = [];
  for await (const { type } of run) events.push(type);
  expect(events).toContain("transcript-change");
  expect(Math.max(...lengths)).toBeGreaterThan(20_000);
  const hopeless: Model = {
    ...model,
    // oxlint-disable-next-line require-yield
    async *stream() {
      throw new PegboardError("invalid_input", "too long", { details: { contextLength: true } });
    },
  };
  expect(await session.run("helper", "Go", { model: hopeless }).result).toMatchObject({
    status: "failed",
    error: { code: "invalid_input" },
  });
  expect((await run.result).status).not.toBe("failed");
});
