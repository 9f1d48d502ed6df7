import type { Agent } from "@pegboard/contract";
import { createRuntime, defineTool, type RunOptions, scriptedModel } from "pegboard";
import { describe, expect, test } from "vitest";
import { cancelled, Control } from "../../src/core/control.ts";
import { Spending } from "../../src/agents/budget.ts";
import { Lanes } from "../../src/agents/lanes.ts";

const HELPER: Agent = { name: "helper", description: "Helps", instructions: "You help." };

async function run(options: unknown, agent: unknown = HELPER, { prompt }: { prompt: unknown } = { prompt: "Go" }) {
  const model = scriptedModel(["Done."]);
  const session = createRuntime({ model }).open();
  const { status, error } = await session.run(agent as Agent, prompt as string, options as RunOptions).result;
  return { status, code: error?.code, message: error?.message, asked: model.requests.length };
}

describe("options of a run that make no sense are refused before anything is asked", () => {
  test.each<[unknown, string]>([
    ...["tokens", "usd", "timeMs", "spawns"].flatMap((name) =>
      [NaN, -1, Infinity, "5", null].map(
        (value) => [{ budget: { [name]: value } }, `budget.${name}`] as [unknown, string],
      ),
    ),
    [{ budget: null }, "budget"],
    [{ budget: 5 }, "budget"],
    ...[0, -1, 1.5, NaN, Infinity, "3", null].map((value) => [{ maxTurns: value }, "maxTurns"] as [unknown, string]),
    [{ signal: {} }, "signal"],
    [{ signal: "stop" }, "signal"],
    [{ attachments: {} }, "attachments"],
    [{ attachments: [null] }, "attachments"],
    [{ attachments: [{ name: "a.txt" }] }, "attachments"],
    [{ attachments: [{ name: "a.txt", data: 5 }] }, "attachments"],
    [{ continue: 5 }, "continue"],
    [{ model: 5 }, "model"],
    [{ tools: "look" }, "tools"],
    [{ tools: [5] }, "tools"],
  ])("%j", async (options, named) => {
    const refused = await run(options);
    expect(refused).toMatchObject({ status: "failed", code: "invalid_input", asked: 0 });
    expect(refused.message).toContain(named);
  });

  test.each<[unknown, string]>([
    [{ ...HELPER, maxTurns: NaN }, "maxTurns"],
    [{ ...HELPER, maxTurns: 0 }, "maxTurns"],
    [{ ...HELPER, name: "" }, "name"],
    [{ ...HELPER, name: "a__b" }, "name"],
    [{ name: "x", description: "x" }, "instructions"],
    [null, "agent"],
    [5, "agent"],
  ])("an agent that is none: %j", async (agent, named) => {
    const refused = await run({}, agent);
    const code = typeof agent === "object" && agent ? "invalid_definition" : "invalid_input";
    expect(refused).toMatchObject({ status: "failed", code, asked: 0 });
    expect(refused.message).toContain(named);
  });

  test.each([{ prompt: undefined }, { prompt: 5n }, { prompt: () => {} }, { prompt: NaN }])(
    "no JSON: $prompt",
    async (given) => {
      expect(await run({}, HELPER, given)).toMatchObject({ status: "failed", code: "invalid_input", asked: 0 });
    },
  );

  test("null in the place of all options", async () => {
    expect(await run(null)).toMatchObject({ status: "failed", code: "invalid_input" });
  });

  test("nothing left of a budget ends a run before its first turn", async () => {
    for (const budget of [{ tokens: 0 }, { usd: 0 }, { timeMs: 0 }])
      expect(await run({ budget }), JSON.stringify(budget)).toMatchObject({ code: "budget_limit", asked: 0 });
    expect(await run({ budget: { spawns: 0 } })).toMatchObject({ status: "completed" });
  });
});

describe("spending", () => {
  const usage = { input: 100, output: 10, cached: 50, written: 20, reasoning: 5 };

  test("is summed up, also what went into a cache, here and above", () => {
    const root = new Spending({ tokens: 300 });
    const child = new Spending({ tokens: 10_000 }, root);
    child.charge(usage, 0.5);
    child.charge(usage, 0.25);
    root.charge({ input: 1, output: 1 }, 0);
    expect(child.usage).toEqual({ input: 200, output: 20, cached: 100, written: 40, reasoning: 10 });
    expect(root.usage).toEqual({ input: 201, output: 21, cached: 100, written: 40, reasoning: 10 });
    expect([child.cost, root.cost]).toEqual([0.75, 0.75]);
    child.throwIfSpent();
    child.charge(usage, 0);
    expect(() => child.throwIfSpent()).toThrow("332 tokens were used; the budget is 300");
  });

  test("does not believe numbers that are none", () => {
    const spending = new Spending({ tokens: 100 });
    spending.charge({ input: NaN, output: -50 }, NaN);
    spending.charge({ input: 60, output: 40, cached: NaN }, -1);
    expect([spending.usage, spending.cost]).toEqual([{ input: 60, output: 40 }, 0]);
    expect(() => spending.throwIfSpent()).toThrow("100 tokens");
  });

  test("counts runs for all above, and none when one of them may start no more", () => {
    const root = new Spending({ spawns: 2 });
    const child = new Spending({ spawns: 1 }, root);
    child.spawn();
    expect(() => child.spawn()).toThrow("1 runs");
    root.spawn();
    expect(() => root.spawn()).toThrow("2 runs");
  });

  test("what a child may use is what is left of its parent", async () => {
    const turn = { usage: { input: 400, output: 100 } };
    const model = scriptedModel({
      scripts: [
        {
          when: { system: "expert" },
          turns: Array.from({ length: 9 }, (_, n) => ({ ...turn, calls: [{ tool: "look", input: { n } }] })),
        },
        { turns: [{ ...turn, calls: [{ tool: "agent", input: { agent: "expert", prompt: "?" } }] }, "Done."] },
      ],
    });
    const look = defineTool({
      name: "look",
      description: "Looks",
      input: { type: "object" },
      capabilities: ["read"],
      execute: () => "seen",
    });
    const expert: Agent = { name: "expert", description: "Knows", instructions: "You are the expert." };
    const session = createRuntime({ model, agents: [HELPER, expert], tools: [look] }).open({ approve: "all" });
    const result = await session.run("helper", "Go", { budget: { tokens: 2_000 } }).result;
    expect(result).toMatchObject({
      status: "failed",
      turns: 1,
      error: { code: "budget_limit" },
      usage: { input: 1_600, output: 400 },
    });
  });

  test("an answer that does not count was paid for all the same", async () => {
    const usage = { input: 100, output: 10 };
    const model = scriptedModel([{ text: " ", usage }]);
    const session = createRuntime({ model, agents: [HELPER] }).open();
    const result = await session.run("helper", "Go", { budget: { timeMs: 300 } }).result;
    expect(result.status).toBe("failed");
    expect(result.usage.input).toBeGreaterThanOrEqual(100);
  });
});

describe("lanes", () => {
  const order = async (count: number, tasks: number, gone: readonly number[] = []) => {
    const lanes = new Lanes(count);
    const done: string[] = [];
    let at = 0;
    let most = 0;
    const controls = Array.from({ length: tasks }, () => new Control());
    const running = controls.map(async (control, n) => {
      try {
        const leave = await lanes.enter(control);
        most = Math.max(most, ++at);
        await new Promise((resolve) => setTimeout(resolve, 1));
        at--;
        done.push(String(n));
        leave();
        leave();
      } catch {
        done.push(`-${n}`);
      }
    });
    for (const n of gone) controls[n]!.cancel(cancelled("no"));
    await Promise.all(running);
    return { done, most };
  };

  test("let so many in at once, in the order they came", async () => {
    expect(await order(1, 5)).toEqual({ done: ["0", "1", "2", "3", "4"], most: 1 });
    expect((await order(3, 10)).most).toBe(3);
  });

  test("pass over those that do not wait any more", async () => {
    expect(await order(1, 5, [1, 3])).toEqual({ done: ["-1", "-3", "0", "2", "4"], most: 1 });
    expect(await order(1, 3, [2, 1])).toEqual({ done: ["-2", "-1", "0"], most: 1 });
  });
});
