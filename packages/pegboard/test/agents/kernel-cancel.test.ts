import type { Agent } from "@pegboard/contract";
import {
  createRuntime,
  defineTool,
  type Event,
  type Model,
  type Run,
  type RuntimeOptions,
  scriptedModel,
} from "pegboard";
import { afterEach, describe, expect, test } from "vitest";

const HELPER: Agent = { name: "helper", description: "Helps", instructions: "You help." };
const EXPERT: Agent = { name: "expert", description: "Knows", instructions: "You are the expert." };
const never = () => new Promise<never>(() => {});

const closing: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

function open(model: Model, options: RuntimeOptions = {}) {
  const runtime = createRuntime({ model, agents: [HELPER, EXPERT], ...options });
  closing.push(() => runtime.close());
  return runtime;
}

/** Waits for an event of a run. */
async function until(run: Run, type: Event["type"], count = 1): Promise<void> {
  let seen = 0;
  for await (const event of run) if (event.type === type && ++seen === count) return;
}

const effect = () => {
  const runs: unknown[] = [];
  const tool = defineTool({
    name: "change",
    description: "Changes something",
    input: { type: "object" },
    capabilities: ["write"],
    execute: (input) => `changed ${runs.push(input)}`,
  });
  return { tool, runs };
};
const CANCELLED = { status: "cancelled", error: { code: "cancelled" } };

describe("a run that is cancelled ends as cancelled", () => {
  test("before it began, and then it leaves no trace", async () => {
    const model = scriptedModel(["late"]);
    const runtime = open(model);
    const session = runtime.open();
    const run = session.run("helper", "Go");
    run.cancel();
    expect(await run.result).toMatchObject({ ...CANCELLED, turns: 0 });
    expect(await session.run("helper", "Go", { signal: AbortSignal.abort() }).result).toMatchObject(CANCELLED);
    expect(model.requests).toEqual([]);
    expect(await runtime.store.read({ session: session.id })).toEqual([]);
  });

  test("while its model is looked for", async () => {
    const models = { resolve: never, cost: () => 0 };
    const run = open(scriptedModel([]), { models, model: "x:y" }).open().run("helper", "Go");
    setTimeout(() => run.cancel(), 5);
    expect(await run.result).toMatchObject(CANCELLED);
  });

  test("while its toolsets are loaded, and what comes late is let go", async () => {
    let disposed = 0;
    const own = {
      register() {},
      async [Symbol.asyncDispose]() {
        disposed++;
      },
    };
    let finish!: () => void;
    const toolsets = () => new Promise<typeof own>((resolve) => (finish = () => resolve(own)));
    const agent = { ...HELPER, toolsets: { mine: {} } };
    const run = open(scriptedModel([]), { agents: [agent], kernel: { toolsets } })
      .open()
      .run("helper", "Go");
    await until(run, "run-start");
    setTimeout(() => run.cancel(), 5);
    expect(await run.result).toMatchObject(CANCELLED);
    finish();
    await expect.poll(() => disposed).toBe(1);
  });

  test("while its model answers, also one that does not listen", async () => {
    const deaf: Model = { id: "x:deaf", stream: () => ({ [Symbol.asyncIterator]: () => ({ next: never }) }) };
    for (const model of [scriptedModel([{ delay: 60_000, text: "late" }]), deaf]) {
      const run = open(model).open().run("helper", "Go");
      await until(run, "turn-start");
      run.cancel();
      expect(await run.result).toMatchObject(CANCELLED);
    }
  });

  test("while it waits before the next try", async () => {
    const model = scriptedModel([{ error: { code: "rate_limited", retryAfter: 50_000 } }, "late"]);
    const run = open(model).open().run("helper", "Go");
    await until(run, "turn-progress");
    run.cancel();
    expect(await run.result).toMatchObject(CANCELLED);
    expect(model.requests).toHaveLength(1);
  });

  test("while somebody is asked, and then nothing runs", async () => {
    const { tool, runs } = effect();
    const calls = [{ tool: "change" }, { tool: "change" }];
    const session = open(scriptedModel([{ calls }, "Done."]), { tools: [tool] }).open({ approve: "wait" });
    const run = session.run("helper", "Go");
    await until(run, "approval-request");
    run.cancel();
    expect(await run.result).toMatchObject(CANCELLED);
    expect(runs).toEqual([]);
    expect(session.pending).toEqual([]);
  });

  test("between two calls of an answer: the second is not made, and nobody is asked for it", async () => {
    const { tool, runs } = effect();
    const asked: string[] = [];
    const stopping = defineTool({ ...tool, name: "stopping", execute: () => run.cancel() });
    const calls = [{ tool: "stopping" }, { tool: "change" }];
    const runtime = open(scriptedModel([{ calls }, "Done."]), { tools: [tool, stopping] });
    const session = runtime.open({ approver: async ({ tool: name }) => (asked.push(name), { decision: "allow" }) });
    const run = session.run("helper", "Go");
    expect(await run.result).toMatchObject({ ...CANCELLED, calls: 1 });
    expect(asked).toEqual(["stopping"]);
    expect(runs).toEqual([]);
    const types = (await runtime.store.read({ session: session.id })).map(({ type }) => type);
    expect(types.filter((type) => type === "approval-request")).toHaveLength(1);
  });

  test("while a run that it started waits for a lane, and that one never begins", async () => {
    const model = scriptedModel({
      scripts: [
        { when: { system: "expert" }, turns: [{ delay: 60_000, text: "late" }] },
        {
          turns: [{ calls: ["a", "b", "c"].map((prompt) => ({ tool: "agent", input: { agent: "expert", prompt } })) }],
        },
      ],
    });
    const runtime = open(model, { limits: { concurrency: 1 } });
    const session = runtime.open({ approve: "all" });
    const run = session.run("helper", "Go");
    await until(run, "run-start", 2);
    run.cancel();
    expect(await run.result).toMatchObject(CANCELLED);
    const types = (await runtime.store.read({ session: session.id })).map(({ type }) => type);
    expect(types.filter((type) => type === "run-start")).toHaveLength(2);
    expect(types.filter((type) => type === "run-end")).toHaveLength(2);
  });

  test("while its beginning becomes a summary", async () => {
    const big = defineTool({ ...effect().tool, name: "big", capabilities: ["read"], execute: () => "x".repeat(9_000) });
    let summaries = 0;
    const model: Model = {
      id: "x:y",
      async *stream({ system, messages }) {
        if (system.includes("summarise")) {
          summaries++;
          run.cancel();
          await never();
        }
        yield { type: "call", id: `c${messages.length}`, tool: "big", input: { n: messages.length } };
        yield { type: "end", reason: "calls", usage: { input: 0, output: 0 } };
      },
    };
    const run = open(model, { tools: [big], limits: { contextTokens: 6_000 } })
      .open()
      .run("helper", "Go");
    expect(await run.result).toMatchObject(CANCELLED);
    expect(summaries).toBe(1);
  });

  test("after the runs that it started have ended", async () => {
    const own = {
      register() {},
      async [Symbol.asyncDispose]() {
        await new Promise((resolve) => setTimeout(resolve, 20));
      },
    };
    const model = scriptedModel({
      scripts: [
        { when: { system: "expert" }, turns: [{ delay: 60_000, text: "late" }] },
        { turns: [{ calls: [{ tool: "agent", input: { agent: "expert", prompt: "?" } }] }] },
      ],
    });
    const agents = [HELPER, { ...EXPERT, toolsets: { mine: {} } }];
    const runtime = open(model, { agents, kernel: { toolsets: async () => own } });
    const session = runtime.open({ approve: "all" });
    const run = session.run("helper", "Go");
    await until(run, "turn-start", 2);
    await session.close();
    expect(await run.result).toMatchObject(CANCELLED);
    const events = await runtime.store.read({ session: session.id });
    const ends = events.filter(({ type }) => type === "run-end" || type === "session-end");
    expect(ends.map(({ type, chain }) => `${type} ${chain?.length}`)).toEqual([
      "run-end 2",
      "run-end 1",
      "session-end undefined",
    ]);
  });

  test("once: a second cancel and one after the end change nothing", async () => {
    const run = open(scriptedModel(["Done."]))
      .open()
      .run("helper", "Go");
    expect(await run.result).toMatchObject({ status: "completed" });
    run.cancel();
    run.cancel();
    expect(await run.result).toMatchObject({ status: "completed" });
  });
});

describe("a session that is closed", () => {
  test("during a run waits for its end, which is on record before its own", async () => {
    const { tool, runs } = effect();
    const waiting = defineTool({
      ...tool,
      name: "wait",
      capabilities: ["read"],
      execute: (_, { signal }) =>
        new Promise((_resolve, reject) => signal.addEventListener("abort", () => reject(new Error("stopped")))),
    });
    const runtime = open(scriptedModel([{ calls: [{ tool: "wait" }, { tool: "change" }] }, "Done."]), {
      tools: [tool, waiting],
    });
    const session = runtime.open({ approve: "all" });
    const run = session.run("helper", "Go");
    await until(run, "execute-start");
    await session.close();
    expect(await run.result).toMatchObject(CANCELLED);
    expect(runs).toEqual([]);
    const types = (await runtime.store.read({ session: session.id })).map(({ type }) => type);
    expect(types.slice(-2)).toEqual(["run-end", "session-end"]);
  });

  test("runs nothing any more, says why, and writes nothing", async () => {
    const model = scriptedModel(["late"]);
    const runtime = open(model);
    const session = runtime.open();
    await session.run("helper", "Go", { model: scriptedModel(["a"]) }).result;
    const closed = session.close();
    const during = session.run("helper", "Go").result;
    await closed;
    const after = session.run("helper", "Go").result;
    for (const result of [await during, await after])
      expect(result).toMatchObject({
        status: "failed",
        turns: 0,
        error: { code: "unavailable", message: expect.stringContaining("is closed") },
      });
    expect(model.requests).toEqual([]);
    expect((await runtime.store.read({ session: session.id })).at(-1)!.type).toBe("session-end");
  });
});

test("a tool that is taken away, replaced or blocked while its turn is asked keeps, for that turn, what was offered", async () => {
  const old = effect();
  const replacing = effect();
  const runtime = open(
    scriptedModel([
      () => {
        runtime.tools.registerOrReplace(replacing.tool);
        return { calls: [{ tool: "change" }] };
      },
      () => {
        runtime.tools.unregister("change");
        return { calls: [{ tool: "change" }] };
      },
      { calls: [{ tool: "change" }] },
      "Done.",
    ]),
    { tools: [old.tool] },
  );
  const session = runtime.open({ approve: "all" });
  expect(await session.run("helper", "Go").result).toMatchObject({ status: "completed", calls: 3 });
  expect([old.runs.length, replacing.runs.length]).toEqual([1, 1]);
  const blocking = effect();
  runtime.tools.register(blocking.tool);
  const model = scriptedModel([
    () => {
      runtime.policy.replace({ rules: [{ tool: "change", approval: "blocked" }] });
      return { calls: [{ tool: "change" }] };
    },
    "Done.",
  ]);
  await session.run("helper", "Go", { model }).result;
  expect(blocking.runs).toEqual([]);
});
