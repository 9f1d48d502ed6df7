import type { Agent } from "@pegboard/contract";
import { createRuntime, type Model, type RuntimeOptions, scriptedModel, type Turn } from "pegboard";
import { describe, expect, test } from "vitest";
import { call, stage } from "./stage.ts";

const HELPER: Agent = { name: "helper", description: "Helps", instructions: "You help.", model: "lab:one" };

/** A runtime whose models are made anew each time, and which of them were. */
function lab(options: RuntimeOptions = {}, says: readonly Turn[] = ["Done."]) {
  const made: string[] = [];
  const models = {
    resolve: async (name: string): Promise<Model> => {
      made.push(name);
      return scriptedModel(says, { id: name });
    },
    cost: () => 0,
  };
  const runtime = createRuntime({ models, ...options });
  return { runtime, made, session: runtime.open({ approve: "all" }) };
}

describe("an agent that is asked again", () => {
  test("A3-37: is warm in the same session, and made anew for another model, prompt or set of tools", async () => {
    const { runtime, made, session } = lab();
    const run = (agent: Agent, model?: string) => session.run(agent, "Go", model === undefined ? {} : { model }).result;
    await run(HELPER);
    await run({ ...HELPER });
    expect(made).toEqual(["lab:one"]);
    expect(runtime.pool.stats.instances[0]).toMatchObject({ key: "agent-helper", uses: 2, busy: false });
    await run(HELPER, "lab:two");
    await run({ ...HELPER, tools: ["vfs_*"] });
    await run({ ...HELPER, instructions: "You help well." });
    expect(made).toEqual(["lab:one", "lab:two", "lab:one", "lab:one"]);
    await runtime.open().run(HELPER, "Go").result;
    expect(made).toHaveLength(5);
    await run(HELPER);
    expect(made).toHaveLength(5);
    expect(runtime.pool.stats.total).toBe(5);
  });

  test("A3-37: is another one than the one at work", async () => {
    const { promise: opened, resolve: open } = Promise.withResolvers<void>();
    const slow: Turn = { delay: 60_000, text: "Late." };
    const { runtime, made, session } = lab({}, [
      ({ messages }) => (JSON.stringify(messages).includes("slow") ? slow : "Done."),
    ]);
    const first = session.run(HELPER, "slow");
    void (async () => {
      for await (const { type } of first) if (type === "turn-start") open();
    })();
    await opened;
    expect(runtime.pool.stats).toMatchObject({ total: 1, inUse: 1 });
    await expect(runtime.pool.remove(runtime.pool.stats.instances[0]!.id)).rejects.toMatchObject({ code: "busy" });
    await runtime.pool.clear();
    await session.run(HELPER, "Go").result;
    expect(made).toHaveLength(2);
    first.cancel();
    await first.result;
    expect(runtime.pool.stats).toMatchObject({ total: 1, inUse: 0, available: 1 });
    expect(await runtime.pool.remove(runtime.pool.stats.instances[0]!.id)).toBe(true);
  });

  test("A3-37: is made anew when the one that was warm failed", async () => {
    const broken: Turn = { error: { code: "invalid_config", message: "The key is revoked" } };
    const { runtime, made, session } = lab({}, [
      ({ messages }) => (JSON.stringify(messages).includes("fail") ? broken : "Done."),
    ]);
    expect(await session.run(HELPER, "Go").result).toMatchObject({ status: "completed" });
    expect(await session.run(HELPER, "fail").result).toMatchObject({ status: "failed" });
    expect(made).toHaveLength(1);
    expect(runtime.pool.stats.total).toBe(0);
    expect(await session.run(HELPER, "Go").result).toMatchObject({ status: "completed" });
    expect(made).toHaveLength(2);
  });

  test("A2-29: is lent to children by whatever tool they are asked, with nothing of what was said before", async () => {
    const ask = (prompt: string) => call("agent", { agent: "child", prompt });
    const { runtime, session, requestsOf } = stage({
      parent: {
        says: [ask("one"), ask("two"), call("delegate", { agent: "child", prompt: "three", mode: "wait" }), "Done."],
      },
      child: { says: ["Yes."] },
    });
    expect((await session.run("parent", "Go").result).status).toBe("completed");
    expect(requestsOf("child").map(({ messages }) => messages.length)).toEqual([1, 1, 1]);
    expect(runtime.pool.stats.instances.map(({ key, uses }) => [key, uses])).toEqual([
      ["agent-parent", 1],
      ["agent-child", 3],
    ]);
  });

  test("A2-27: is never shared between two plugins, or with an agent of no plugin", async () => {
    const { runtime, made, session } = lab();
    for (const plugin of ["a-b", "a"])
      runtime.agents.register({ ...HELPER, name: plugin === "a" ? "b-c" : "c" }, { layer: "plugin", plugin });
    for (const name of ["a-b/c", "a/b-c"]) expect((await session.run(name, "Go").result).error).toBeUndefined();
    await session.run({ ...HELPER, name: "c" }, "Go").result;
    expect(made).toHaveLength(3);
    expect(runtime.pool.stats.instances.map(({ key }) => key)).toEqual(["plugin-a-b-c", "plugin-a-b-c", "agent-c"]);
  });
});

describe("the agents that are kept warm", () => {
  test("A2-30: are so many; when all are at work the run that needs one more is warned, and none is stopped", async () => {
    const { runtime, session } = lab({ limits: { poolSize: 2 } }, [{ delay: 50, text: "Done." }]);
    const runs = ["a", "b", "c"].map((name) => session.run({ ...HELPER, name }, "Go").result);
    const results = await Promise.all(runs);
    expect(results.map(({ status }) => status)).toEqual(["completed", "completed", "completed"]);
    expect(results.flatMap(({ warnings = [] }) => warnings)).toEqual([
      "All 2 instances of agents are at work: one more is made for agent-c",
    ]);
    expect(runtime.pool.stats).toMatchObject({ total: 2, max: 2, available: 2 });
  });

  test("A2-31, A2-32: are one for each of twenty runs at once, told as in use, and then as available", async () => {
    const { runtime, made, session } = lab({ limits: { poolSize: 20, runs: 20 } }, [{ delay: 300, text: "Done." }]);
    const runs = Array.from({ length: 20 }, () => session.run(HELPER, "Go"));
    await expect.poll(() => runtime.pool.stats.inUse).toBe(20);
    const { total, available, max, instances } = runtime.pool.stats;
    expect({ total, available, max }).toEqual({ total: 20, available: 0, max: 20 });
    expect(new Set(instances.map(({ id }) => id)).size).toBe(20);
    await expect(runtime.pool.remove(instances[0]!.id)).rejects.toMatchObject({ code: "busy" });
    for (const { result } of runs) expect(await result).toMatchObject({ status: "completed" });
    expect(made).toHaveLength(20);
    expect(runtime.pool.stats).toMatchObject({ total: 20, inUse: 0, available: 20 });
    for (const { ageMs, idleMs, uses } of runtime.pool.stats.instances) {
      expect(uses).toBe(1);
      expect(ageMs).toBeGreaterThanOrEqual(idleMs);
    }
  });

  test("A2-33: go when nobody asks for them, and at once with their session", async () => {
    const { runtime, session } = lab({ limits: { poolIdleMs: 30 } });
    await session.run(HELPER, "Go").result;
    expect(runtime.pool.stats.available).toBe(1);
    await expect.poll(() => runtime.pool.stats.total).toBe(0);
    const kept = lab();
    await kept.session.run(HELPER, "Go").result;
    const other = kept.runtime.open();
    await other.run(HELPER, "Go").result;
    await kept.session.close();
    expect(kept.runtime.pool.stats.instances.map(({ session: id }) => id)).toEqual([other.id]);
    await kept.runtime.close();
    expect(kept.runtime.pool.stats.total).toBe(0);
  });

  test("are given back by a run that is cancelled before it has its model", async () => {
    const { promise: opened, resolve: open } = Promise.withResolvers<void>();
    const models = { resolve: () => opened.then(() => scriptedModel(["Done."])), cost: () => 0 };
    const runtime = createRuntime({ models });
    const run = runtime.open().run(HELPER, "Go");
    await new Promise((resolve) => setTimeout(resolve, 10));
    run.cancel();
    expect((await run.result).status).toBe("cancelled");
    open();
    await new Promise((resolve) => setTimeout(resolve, 10));
    expect(runtime.pool.stats.inUse).toBe(0);
  });
});
