import { defineTool, type Json } from "@pegboard/contract";
import { describe, expect, onTestFinished, test } from "vitest";
import type { Judge, Judgement } from "../../src/core/judge.ts";
import { type ApprovalRequest, createRuntime, type PolicyOptions, type RuntimeOptions } from "../../src/index.ts";

const say = defineTool({
  name: "say",
  description: "Says it",
  input: { type: "object" },
  capabilities: ["process"],
  execute: () => "done",
});

/** Judges by the word that the input holds: as if a rule said it, or as if no rule did when it ends in "?". */
function byWord(more: Partial<Judge> = {}): Judge {
  const judge = (input: Json): Judgement => {
    const { word = "ask" } = input as { word?: string };
    const approval = word.replace("?", "") as Judgement["approval"];
    return {
      approval,
      reason: `the word is ${word}`,
      ruled: !word.endsWith("?"),
      suggestions: ["some"],
      ...(!word.endsWith("?") && { rule: "words", file: "words.yaml", line: 7 }),
    };
  };
  return { outlook: "ask", unsafe: [], judge, ...more };
}

function open(policy: PolicyOptions = {}, options: RuntimeOptions = {}, judge = byWord()) {
  const runtime = createRuntime({ policy, ...options });
  onTestFinished(() => runtime.close());
  runtime.tools.register(say, { judge });
  const session = runtime.open();
  const decide = async (word: string) => (await session.explain("say", { word })).decision;
  return { session, decide };
}

describe("a judge", () => {
  test("decides like a rule of the operator, and names the rule, its file and its line", async () => {
    const { session, decide } = open();
    expect(await session.explain("say", { word: "preApproved" })).toMatchObject({
      decision: "preApproved",
      by: "rule",
      rule: "words",
      file: "words.yaml",
      line: 7,
    });
    expect(await decide("ask")).toBe("ask");
    expect(await decide("blocked")).toBe("blocked");
    expect(await session.explain("say", { word: "ask?" })).toMatchObject({ decision: "ask", by: "default" });
  });

  test("gives way to any rule that blocks, and to one that asks for certain inputs", async () => {
    const blocked = open({ rules: [{ tool: "say", input: { "/word": "pre*" }, approval: "blocked" }] });
    expect(await blocked.decide("preApproved")).toBe("blocked");
    const asked = open({ rules: [{ tool: "say", input: { "/word": "pre*" }, approval: "ask" }] });
    expect(await asked.decide("preApproved")).toBe("ask");
    expect(await asked.decide("blocked?")).toBe("blocked");
  });

  test("is closer to the input than a rule for the tool that asks", async () => {
    expect(
      await open({
        rules: [
          { tool: "say", approval: "ask" },
          { capability: "process", approval: "ask" },
        ],
      }).decide("preApproved"),
    ).toBe("preApproved");
  });

  test("is not overruled by a rule that allows the tool, unless that is unsafe", async () => {
    const rules = [
      { tool: "*", approval: "preApproved" },
      { capability: "process", approval: "preApproved" },
      { tool: "say", approval: "preApproved" },
    ] as const;
    const { decide } = open({ rules });
    expect(await decide("ask?")).toBe("ask");
    expect(await decide("ask")).toBe("ask");
    const unsafe = open({ rules: [{ tool: "say", approval: "preApproved", unsafe: true }] });
    expect(await unsafe.decide("ask?")).toBe("preApproved");
    expect(await unsafe.decide("ask")).toBe("ask");
    expect(await unsafe.decide("blocked?")).toBe("blocked");
  });

  test("is not overruled by comparing texts, not even unsafely: such a rule asks", async () => {
    for (const unsafe of [true, false]) {
      const { decide } = open({ rules: [{ tool: "say", input: { "/word": "*" }, approval: "preApproved", unsafe }] });
      expect(await decide("ask?")).toBe("ask");
      expect(await decide("preApproved")).toBe("ask");
    }
  });

  test("that lets nothing through hides the tool", async () => {
    const { session } = open({}, {}, byWord({ outlook: "blocked" }));
    expect(session.list().map(({ name }) => name)).not.toContain("say");
    expect(await session.call("say", { word: "preApproved" })).toMatchObject({ ok: false, error: { code: "blocked" } });
  });

  test("makes a list say that the tool asks", () => {
    const outlook = (policy: PolicyOptions) =>
      open(policy)
        .session.list()
        .find(({ name }) => name === "say")?.approval;
    expect(outlook({})).toBe("ask");
    expect(outlook({ rules: [{ tool: "say", approval: "preApproved" }] })).toBe("ask");
    expect(outlook({ rules: [{ tool: "say", approval: "preApproved", unsafe: true }] })).toBe("preApproved");
  });
});

describe("whoever is asked about a judged input", () => {
  test("may remember the input or take the suggestion, never the tool as a whole", async () => {
    const asked: ApprovalRequest[] = [];
    const saved: unknown[] = [];
    const { session } = open(
      {},
      {
        approver: (request) => (asked.push(request), { decision: "allow", remember: "rule" }),
        saveRule: async ({ suggestions }, decision) => void saved.push([suggestions, decision]),
      },
    );
    expect((await session.call("say", { word: "ask?" })).ok).toBe(true);
    expect(asked[0]).toMatchObject({
      options: ["once", "input", "scope", "rule"],
      suggestions: ["some"],
      scope: ["some"],
      reason: "the word is ask?",
    });
    expect(saved).toEqual([[["some"], "allow"]]);
    expect((await session.call("say", { word: "ask?" })).ok).toBe(true);
    expect(asked).toHaveLength(1);
    await session.call("say", { word: "ask?", more: true });
    expect(asked).toHaveLength(2);
  });

  test("may answer for all that the same patterns would allow, in this session", async () => {
    const asked: ApprovalRequest[] = [];
    const byMore = byWord();
    const { session } = open(
      {},
      { approver: (request) => (asked.push(request), { decision: "allow", remember: "scope" }) },
      {
        ...byMore,
        judge: (input, caller) => {
          const { more } = input as { more?: boolean };
          return { ...byMore.judge(input, caller), suggestions: more ? ["some", "more"] : ["some"] };
        },
      },
    );
    await session.call("say", { word: "ask" });
    await session.call("say", { word: "ask?" });
    expect(asked).toHaveLength(1);
    await session.call("say", { word: "ask", more: true });
    expect(asked).toHaveLength(2);
  });

  test("is not offered a rule where there is none to suggest", async () => {
    const none = byWord();
    const asked: ApprovalRequest[] = [];
    const { session } = open(
      {},
      { approver: (request) => (asked.push(request), { decision: "deny" }), saveRule: async () => {} },
      { ...none, judge: (input, caller) => ({ ...none.judge(input, caller), suggestions: [] }) },
    );
    await session.call("say", { word: "ask" });
    expect(asked[0]!.options).toEqual(["once", "input"]);
  });

  test("is asked again by a session that goes on with the log", async () => {
    const options = {
      approver: () => ({ decision: "allow" as const, remember: "rule" as const }),
      saveRule: async () => {},
    };
    const runtime = createRuntime(options);
    onTestFinished(() => runtime.close());
    runtime.tools.register(say, { judge: byWord() });
    const first = runtime.open({ id: "one" });
    await first.call("say", { word: "ask?" });
    await first.close();
    const second = runtime.open({ id: "one", approve: "none" });
    expect((await second.call("say", { word: "ask?" })).ok).toBe(true);
    expect(await second.call("say", { word: "ask?", more: 1 })).toMatchObject({ ok: false, error: { code: "denied" } });
  });
});
