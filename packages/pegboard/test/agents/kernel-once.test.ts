import type { Agent } from "@pegboard/contract";
import {
  type ApproveMode,
  type Approver,
  createRuntime,
  defineTool,
  type OpenOptions,
  type Rule,
  scriptedModel,
} from "pegboard";
import { describe, expect, test } from "vitest";

const HELPER: Agent = { name: "helper", description: "Helps", instructions: "You help." };
const CALL = { tool: "change", input: { n: 1 } };

/** A tool that counts how often it ran. */
function counted() {
  const runs: unknown[] = [];
  const tool = defineTool({
    name: "change",
    description: "Changes something",
    input: { type: "object", properties: { n: { type: "number" } } },
    capabilities: ["write"],
    execute: async (input) => {
      runs.push(input);
      await new Promise((resolve) => setTimeout(resolve, 1));
      return `changed ${runs.length}`;
    },
  });
  return { tool, runs };
}

interface Case {
  readonly open?: OpenOptions;
  readonly rules?: readonly Rule[];
  readonly runs: number;
}

const answering =
  (decision: "allow" | "deny", remember?: "input" | "tool"): Approver =>
  async () => ({ decision, ...(remember && { remember }) });
const rule = (approval: Rule["approval"]): Rule => ({ tool: "change", approval });

describe("A1-02: one call of the model runs the tool's function exactly once, in every approval mode", () => {
  const cases: Record<string, Case> = {
    "asked and allowed": { open: { approver: answering("allow") }, runs: 1 },
    "asked and denied": { open: { approver: answering("deny") }, runs: 0 },
    "asked somebody who fails": { open: { approver: () => Promise.reject(new Error("gone")) }, runs: 0 },
    "allowed for this input from now on": { open: { approver: answering("allow", "input") }, runs: 1 },
    "allowed as a whole from now on": { open: { approver: answering("allow", "tool") }, runs: 1 },
    "allowed by a rule": { rules: [rule("preApproved")], runs: 1 },
    "allowed by a rule, with somebody to ask": {
      rules: [rule("preApproved")],
      open: { approver: answering("deny") },
      runs: 1,
    },
    "blocked by a rule": { rules: [rule("blocked")], open: { approver: answering("allow") }, runs: 0 },
    "blocked by a rule, everything allowed": { rules: [rule("blocked")], open: { approve: "all" }, runs: 0 },
    "everything allowed": { open: { approve: "all" }, runs: 1 },
    "nothing allowed": { open: { approve: "none" }, runs: 0 },
  };

  test.each(Object.entries(cases))("%s", async (_, { open, rules = [], runs }) => {
    const change = counted();
    const model = scriptedModel([{ calls: [CALL] }, { text: "Done." }]);
    const runtime = createRuntime({ model, agents: [HELPER], tools: [change.tool], policy: { rules } });
    const session = runtime.open(open);
    expect(await session.run("helper", "Go").result).toMatchObject({ status: "completed", calls: 1 });
    expect(change.runs).toHaveLength(runs);
    expect(model.requests[1]!.messages.at(-1)).toMatchObject({ results: [{ ok: runs === 1 }] });
    await runtime.close();
    expect(change.runs).toHaveLength(runs);
  });

  test.each(["input", "tool"] as const)(
    "remembered for the %s, twice in one turn and again in the next",
    async (remember) => {
      const change = counted();
      let asked = 0;
      const approver: Approver = async () => {
        asked++;
        return { decision: "allow", remember };
      };
      const model = scriptedModel([{ calls: [CALL, CALL] }, { calls: [CALL] }, { text: "Done." }]);
      const runtime = createRuntime({ model, agents: [HELPER], tools: [change.tool] });
      const session = runtime.open({ approver });
      expect(await session.run("helper", "Go").result).toMatchObject({ calls: 3 });
      expect([change.runs.length, asked]).toEqual([3, 1]);
      await session.run("helper", "Go").result;
      expect([change.runs.length, asked]).toEqual([6, 1]);
    },
  );

  test.each(["allow", "deny"] as const)("left waiting, then answered with %s, twice", async (decision) => {
    const change = counted();
    const model = scriptedModel([{ calls: [CALL] }, { text: "Done." }]);
    const session = createRuntime({ model, agents: [HELPER], tools: [change.tool] }).open({ approve: "wait" });
    const run = session.run("helper", "Go");
    for await (const { type } of run) if (type === "approval-request") break;
    await expect.poll(() => session.pending).toHaveLength(1);
    expect(change.runs).toEqual([]);
    const { id } = session.pending[0]!;
    session.answer(id, { decision });
    try {
      session.answer(id, { decision: "allow" });
    } catch {
      // The first answer counts.
    }
    expect(await run.result).toMatchObject({ status: "completed", calls: 1 });
    expect(change.runs).toHaveLength(decision === "allow" ? 1 : 0);
  });

  test.each(["all", "ask"] as const)("with answers that break off before, in mode %s", async (approve: ApproveMode) => {
    const change = counted();
    const model = scriptedModel([
      { calls: [CALL], cut: true },
      { error: { code: "unavailable", retryAfter: 0 } },
      { calls: [CALL] },
      { calls: [{ ...CALL, input: { n: 2 } }], cut: true },
      { text: "Done." },
    ]);
    const runtime = createRuntime({ model, agents: [HELPER], tools: [change.tool] });
    const session = runtime.open({ approve, approver: answering("allow") });
    expect(await session.run("helper", "Go").result).toMatchObject({ status: "completed", calls: 1, turns: 2 });
    expect(change.runs).toEqual([{ n: 1 }]);
  });

  test("of two calls with one id", async () => {
    const change = counted();
    const calls = [
      { ...CALL, id: "same" },
      { tool: "change", input: { n: 2 }, id: "same" },
    ];
    const model = scriptedModel([{ calls }, { text: "Done." }]);
    const session = createRuntime({ model, agents: [HELPER], tools: [change.tool] }).open({ approve: "all" });
    await session.run("helper", "Go").result;
    expect(change.runs).toEqual([{ n: 1 }, { n: 2 }]);
  });
});

test.each(["state", "write", "process"] as const)(
  "calls that change something (%s) run one after another, and what reads after them sees it",
  async (capability) => {
    let kept = 0;
    const keep = defineTool({
      name: "keep",
      description: "Keeps a number, after a while",
      input: { type: "object", properties: { n: { type: "number" } }, required: ["n"] },
      capabilities: [capability],
      async execute({ n }) {
        await new Promise((resolve) => setTimeout(resolve, 6 - n));
        return `was ${kept}, is ${(kept = n)}`;
      },
    });
    const look = defineTool({
      name: "look",
      description: "Looks",
      input: { type: "object" },
      capabilities: ["read"],
      execute: () => `sees ${kept}`,
    });
    const steps = [1, 2, 3].flatMap((n) => [{ tool: "keep", input: { n } }, { tool: "look" }]);
    const model = scriptedModel([{ calls: steps }, { text: "Done." }]);
    const session = createRuntime({ model, agents: [HELPER], tools: [keep, look] }).open({ approve: "all" });
    await session.run("helper", "Go").result;
    const outcomes = model.requests[1]!.messages.flatMap((message) => (message.role === "tool" ? message.results : []));
    expect(outcomes.map(({ content }) => (content[0] as { text: string }).text)).toEqual([
      "was 0, is 1",
      "sees 1",
      "was 1, is 2",
      "sees 2",
      "was 2, is 3",
      "sees 3",
    ]);
  },
);
