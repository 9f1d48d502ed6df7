import { setTimeout as pause } from "node:timers/promises";
import {
  type ApprovalRequest,
  createRuntime,
  defineTool,
  type Event,
  type GateAnswer,
  type Hooks,
  type Json,
  type Plugin,
  type RuntimeOptions,
  scriptedModel,
} from "pegboard";
import { describe, expect, test, vi } from "vitest";

const SHORT = { gateHookMs: 20, chainHookMs: 20, observeHookMs: 20 };

/** Makes one call of a tool that returns its input, with these hooks. */
async function callWith(hooks: readonly Hooks[], options: RuntimeOptions = {}, input: Json = { n: 1 }) {
  const execute = vi.fn((given: unknown) => given);
  const echo = defineTool({
    name: "echo",
    description: "Returns its input",
    input: { type: "object", properties: { n: { type: "number" } }, required: ["n"] },
    capabilities: ["read"],
    execute,
  });
  const runtime = createRuntime({ tools: [echo], hooks, ...options });
  const session = runtime.open();
  const result = await session.call("echo", input);
  const events = await runtime.store.read({ session: session.id });
  return { result, execute, failures: failuresIn(events) };
}

function failuresIn(events: readonly Event[]) {
  return events.flatMap(({ type, data }) => (type === "hook-end" ? [data] : []));
}

const gate = (answer: GateAnswer | (() => unknown), priority?: number): Hooks => ({
  ...(priority !== undefined && { priority }),
  beforeCall: (typeof answer === "function" ? answer : () => answer) as NonNullable<Hooks["beforeCall"]>,
});

const DENY: GateAnswer = { action: "deny", reason: "not today" };
const ASK: GateAnswer = { action: "ask", reason: "looks odd" };
const INJECT: GateAnswer = { action: "inject", text: "Mind the gap." };
const MODIFY: GateAnswer = { action: "modify", input: { n: 2 } };
const CONTINUE: GateAnswer = { action: "continue" };

describe("hooks", () => {
  test("A4-33 take part by priority, and then as they were registered", async () => {
    const order: string[] = [];
    const named = (name: string, priority?: number) => gate(() => void order.push(name), priority);
    await callWith([named("late", 5), named("one"), named("early", -5), named("two", 0)]);
    expect(order).toEqual(["early", "one", "two", "late"]);
  });

  test("that are not about calls cost a call nothing: they are not looked at", async () => {
    const { result, failures } = await callWith([{ taskFailed: () => Promise.reject(new Error("never")) }]);
    expect(result.ok).toBe(true);
    expect(failures).toEqual([]);
  });

  test("keep their `this`", async () => {
    class Denying implements Hooks {
      readonly #why = "by itself";
      beforeCall(): GateAnswer {
        return { action: "deny", reason: this.#why };
      }
    }
    expect((await callWith([new Denying()])).result.error?.message).toContain("by itself");
  });
});

describe("hooks of plugins", () => {
  const look = defineTool({
    name: "look",
    description: "Looks",
    input: { type: "object" },
    capabilities: ["read"],
    execute: () => "seen",
  });
  const calling = (name: string, seen: string[]): Plugin => ({
    name,
    version: "1.0.0",
    register: (host) => ({
      async beforeCall({ session }) {
        seen.push(session);
        const { error } = await host.call("look", {});
        return error ? { action: "deny", reason: error.message } : undefined;
      },
    }),
  });

  test("take no part in what their own plugin does by itself", async () => {
    const seen: string[] = [];
    const runtime = createRuntime({ tools: [look] });
    await runtime.plugins.add({ plugin: calling("a", seen) });
    const session = runtime.open();
    expect((await session.call("look")).ok).toBe(true);
    expect(seen).toEqual([session.id]);
  });

  test("that lead each other in a circle come to an end, which denies", async () => {
    const [one, two]: string[][] = [[], []];
    const runtime = createRuntime({ tools: [look], limits: { gateHookMs: 60_000 } });
    await runtime.plugins.add({ plugin: calling("a", one!) }, { plugin: calling("b", two!) });
    const { error } = await runtime.open().call("look");
    expect(error?.code).toBe("denied");
    expect(one!.length + two!.length).toBeLessThan(5_000);
  });

  test("whose tag was not said take no part", async () => {
    const heard: string[] = [];
    const guard: Plugin = {
      name: "guard",
      version: "1.0.0",
      activation: "tagged",
      register: () => ({ beforeCall: ({ tool }) => void heard.push(tool) }),
    };
    const agent = { name: "clerk", description: "Helps", instructions: "You help." };
    const turns = [{ calls: [{ tool: "look" }] }, "Seen."];
    const runtime = createRuntime({ tools: [look], agents: [agent], model: scriptedModel(turns) });
    await runtime.plugins.add({ plugin: guard });
    const session = runtime.open();
    await session.run("clerk", "Look").result;
    expect(heard).toEqual([]);
    await session.run("clerk", "Look +guard").result;
    expect(heard).toEqual(["look"]);
    await runtime.open().run("clerk", "Look").result;
    expect(heard).toEqual(["look"]);
  });
});

describe("a gate", () => {
  const others = { ask: ASK, inject: INJECT, modify: MODIFY, continue: CONTINUE };

  test.each(Object.entries(others))("A4-33 that denies beats %s, wherever it stands, and stops", async (_, other) => {
    const asked: ApprovalRequest[] = [];
    const approver = (request: ApprovalRequest) => (asked.push(request), { decision: "allow" as const });
    const after = vi.fn();
    for (const hooks of [
      [gate(other), gate(DENY), gate(after)],
      [gate(DENY), gate(other), gate(after)],
    ]) {
      const { result, execute } = await callWith(hooks, { approver });
      expect(result.error).toMatchObject({ code: "denied", message: expect.stringContaining("not today") });
      expect(execute).not.toHaveBeenCalled();
    }
    expect(asked).toEqual([]);
    expect(after).not.toHaveBeenCalled();
  });

  test("A4-33 that asks has the input asked about as others left it, and what they add is read", async () => {
    const asked: Json[] = [];
    const approver = ({ input }: ApprovalRequest) => (asked.push(input), { decision: "allow" as const });
    const { result } = await callWith([gate(ASK), gate(INJECT), gate(MODIFY), gate(CONTINUE)], { approver });
    expect(asked).toEqual([{ n: 2 }]);
    expect(result.structured).toEqual({ n: 2 });
    expect(result.content.at(-1)).toEqual({ type: "text", text: "Mind the gap." });
  });

  test("A4-33 that asks is not overruled by one that lets pass", async () => {
    const { result } = await callWith([gate(ASK), gate(CONTINUE), gate(MODIFY), gate(INJECT)]);
    expect(result.error).toMatchObject({ code: "denied", message: expect.stringContaining("looks odd") });
    expect(result.content.at(-1)).toEqual({ type: "text", text: "Mind the gap." });
  });

  test("A4-33 counts together with any two others, in any order", async () => {
    const all = [DENY, ASK, INJECT, MODIFY, CONTINUE];
    const triples = all.flatMap((one) => all.flatMap((two) => all.map((three) => [one, two, three])));
    const approver = vi.fn(() => ({ decision: "allow" as const }));
    for (const answers of triples) {
      approver.mockClear();
      const { result } = await callWith(
        answers.map((answer) => gate(answer)),
        { approver },
      );
      const has = (answer: GateAnswer) => answers.includes(answer);
      const notes = result.content.filter((part) => part.type === "text" && part.text === "Mind the gap.");
      expect(
        [result.error?.code, approver.mock.calls.length, result.structured, notes.length],
        JSON.stringify(answers),
      ).toEqual(
        has(DENY)
          ? ["denied", 0, undefined, 0]
          : [undefined, has(ASK) ? 1 : 0, { n: has(MODIFY) ? 2 : 1 }, answers.filter((one) => one === INJECT).length],
      );
    }
  });

  test("A4-33 that modifies hands its input to the next", async () => {
    const add: Hooks = {
      beforeCall: ({ input }) => ({ action: "modify", input: { n: (input as { n: number }).n + 1 } }),
    };
    expect((await callWith([add, add, add])).result.structured).toEqual({ n: 4 });
  });

  test.each([
    ["throws", () => Promise.reject(new Error("broken")), "broken"],
    ["throws nothing in particular", () => Promise.reject(1), "1"],
    ["hangs", () => new Promise(() => {}), "no answer within 0.02 seconds"],
    ["answers nonsense", () => ({ action: "maybe" }), "an answer that is none"],
    ["answers with a text", () => "yes", "an answer that is none"],
    ["modifies to nothing", () => ({ action: "modify" }), "an answer that is none"],
    ["modifies to what is no JSON", () => ({ action: "modify", input: { n: 1n } }), "failed"],
    ["injects what is no text", () => ({ action: "inject", text: 5 }), "an answer that is none"],
  ])("A4-33, HP15, HP16: that %s denies, and is in the log", async (_, answer, why) => {
    const { result, execute, failures } = await callWith([gate(answer)], { limits: SHORT });
    expect(result.error).toMatchObject({ code: "denied", message: expect.stringContaining(why) });
    expect(execute).not.toHaveBeenCalled();
    expect(failures).toMatchObject([{ hook: "beforeCall" }]);
  });

  test("A4-33 that returns nothing lets pass", async () => {
    for (const nothing of [undefined, null])
      expect((await callWith([gate(() => nothing)])).result.structured).toEqual({ n: 1 });
  });

  test("A2-43 whose input does not fit leaves nobody to be asked, as no call with a wrong input does", async () => {
    const approver = vi.fn(() => ({ decision: "allow" as const }));
    const wrong = { action: "modify", input: { n: "x" } } as const;
    expect((await callWith([gate(ASK), gate(wrong)], { approver })).result.error?.code).toBe("invalid_input");
    const gated = vi.fn(() => ASK);
    expect((await callWith([gate(gated)], { approver }, { n: "x" })).result.error?.code).toBe("invalid_input");
    expect(gated).not.toHaveBeenCalled();
    expect(approver).not.toHaveBeenCalled();
  });

  test("cannot add secrets or without end", async () => {
    const secrets = { get: async () => "hunter2hunter2", known: () => [["key", "hunter2hunter2"] as const] };
    const text = `The key is hunter2hunter2. ${"x".repeat(10_000)}`;
    const { result } = await callWith([gate({ action: "inject", text })], { secrets });
    const added = (result.content.at(-1) as { text: string }).text;
    expect(added.length).toBeLessThan(5_000);
    expect(added).not.toContain("hunter2");
  });
});

describe("a chain", () => {
  const say = (text: string): Hooks => ({
    afterCall: (_, { content, ...rest }) => ({ ...rest, content: [...content, { type: "text", text }] }),
  });

  test("goes on without those that throw, hang or return what is none, and the log names them", async () => {
    const runtime = createRuntime({ limits: SHORT, approve: "all" });
    const broken = (afterCall: () => unknown) => ({ afterCall }) as Hooks;
    const plugins: [string, Hooks][] = [
      ["first", say("first")],
      ["throws", broken(() => Promise.reject(new Error("broken")))],
      ["hangs", broken(() => new Promise(() => {}))],
      ["odd", broken(() => ({ ok: true, content: "none" }))],
      ["last", say("last")],
    ];
    for (const [name, hooks] of plugins)
      await runtime.plugins.add({ plugin: { name, version: "1.0.0", register: () => hooks } });
    runtime.tools.register(
      defineTool({ name: "say", description: "Says", input: { type: "object" }, execute: () => "said" }),
    );
    const session = runtime.open();
    const { content } = await session.call("say");
    const texts = content.map((part) => (part as { text: string }).text);
    expect(texts.slice(0, 2)).toEqual(["said", "first"]);
    expect(texts.at(-1)).toBe("last");
    const failures = failuresIn(await runtime.store.read({ session: session.id }));
    expect(failures.slice(0, 2)).toMatchObject([
      { hook: "afterCall", plugin: "throws", severity: "error", error: { message: "broken" } },
      { hook: "afterCall", plugin: "hangs", severity: "warning", error: { code: "timeout" } },
    ]);
  });

  test("that rejects after its time is silent", async () => {
    const rejections: unknown[] = [];
    const note = (reason: unknown) => void rejections.push(reason);
    process.on("unhandledRejection", note);
    try {
      const late = { afterCall: () => pause(40).then(() => Promise.reject(new Error("late"))) };
      const { result, failures } = await callWith([late], { limits: SHORT });
      expect(result.ok).toBe(true);
      await pause(60);
      expect(failures).toHaveLength(1);
      expect(rejections).toEqual([]);
    } finally {
      process.off("unhandledRejection", note);
    }
  });
});
