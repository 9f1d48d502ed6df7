import type { ThreadHooks } from "@pegboard/contract";
import type { RuntimeOptions } from "pegboard";
import { describe, expect, test, vi } from "vitest";
import { call, type Cast, ofType, stage } from "../agents/stage.ts";

const SHORT = { chainHookMs: 20, observeHookMs: 20, validateHookMs: 20 };
const POET: Cast = { poet: { says: ["Roses."] } };

/** Runs the poet beside plugins that are written for threads, by their names. */
async function play(plugins: Readonly<Record<string, ThreadHooks>>, cast: Cast = POET, options: RuntimeOptions = {}) {
  const staged = stage(cast, { limits: SHORT, ...options });
  for (const [name, hooks] of Object.entries(plugins))
    await staged.runtime.plugins.add({ plugin: { name, version: "1.0.0", register: async () => hooks } });
  const result = await staged.session.run(Object.keys(cast)[0]!, "Write").result;
  const events = await staged.log();
  return { ...staged, result, events, failures: ofType(events, "hook-end").map(({ data }) => data) };
}

const never = () => new Promise<never>(() => {});

test("A3-20 hooks of threads are called in their order, with the session as the thread", async () => {
  const told: unknown[][] = [];
  const note =
    (name: string) =>
    (...args: unknown[]) =>
      void told.push([name, ...args]);
  const { session, result } = await play({
    p: {
      onPipelineComplete: note("complete"),
      onAfterInvoke: note("after"),
      onBeforeInvoke: note("before"),
      onIntentClassify: note("classify"),
      onMessage: note("message"),
      onPipelineStart: note("start"),
    },
  });
  const { id } = session;
  const answer = { output: "Roses.", exitCode: 0, inputTokens: expect.any(Number) as number };
  expect(told).toMatchObject([
    ["start", id, { traceId: result.run }],
    ["message", id, "user", "Write"],
    ["classify", id, "Write"],
    ["before", id, "Write"],
    ["after", id, answer],
    ["complete", id, { invokeResult: answer }],
  ]);
});

test("A3-17, HP15: onBeforeInvoke is a chain, in which one that throws or hangs is skipped", async () => {
  const { heardBy, failures } = await play({
    one: { onBeforeInvoke: async (_, prompt) => `${prompt} one` },
    throws: { onBeforeInvoke: () => Promise.reject(1) },
    hangs: { onBeforeInvoke: never },
    two: { onBeforeInvoke: async (_, prompt) => `${prompt} two` },
  });
  expect(heardBy("poet")[0]).toBe("Write one two");
  expect(failures.map(({ plugin, severity }) => [plugin, severity])).toEqual([
    ["throws", "error"],
    ["hangs", "warning"],
  ]);
});

test("A3-18, HP16: onMessage that hangs ends with its time", async () => {
  const { result, failures } = await play({ p: { onMessage: never } });
  expect(result.text).toBe("Roses.");
  expect(failures).toMatchObject([{ plugin: "p", hook: "message", severity: "warning" }]);
});

describe("A3-19 onIntentClassify", () => {
  test("answers when it has handled the prompt, and nothing is invoked", async () => {
    const onAfterInvoke = vi.fn();
    const handled = { onIntentClassify: async () => ({ handled: true, response: "The light is on." }), onAfterInvoke };
    const { result, model } = await play({ handled });
    expect(result.text).toBe("The light is on.");
    expect(model.requests).toEqual([]);
    expect(onAfterInvoke).not.toHaveBeenCalled();
  });

  test.each([{ handled: false }, { handled: false, response: "no" }, {}, null, "yes"])(
    "does not when it returns %j",
    async (answer) => {
      const { result } = await play({ p: { onIntentClassify: async () => answer as never } });
      expect(result.text).toBe("Roses.");
    },
  );
});

describe("onTaskComplete", () => {
  const cast = (tries: number): Cast => ({
    lead: { says: [call("delegate", { agent: "poet", prompt: "Rhyme" }), "Started.", "Done."] },
    poet: { says: Array.from({ length: tries }, (_, index) => `Rhyme ${index + 1}.`) },
  });
  const judge = async (onTaskComplete: NonNullable<ThreadHooks["onTaskComplete"]>, tries = 3) => {
    const onTaskCreate = vi.fn();
    const onTaskFailed = vi.fn();
    const { session, runtime } = await play({ p: { onTaskComplete, onTaskCreate, onTaskFailed } }, cast(tries), {
      delegation: { maxIterations: tries },
    });
    const [task] = await session.tasks();
    return { task: task!, onTaskCreate, onTaskFailed, session, plugin: runtime.plugins.get("p")! };
  };

  test("rejects with the message of what it throws, and the work is done again", async () => {
    const seen: string[] = [];
    const { task, onTaskCreate, session } = await judge(async (_thread, _task, result) => {
      if (seen.push(result) === 1) throw new Error("It must rhyme");
    });
    expect(task).toMatchObject({ state: "completed", iterations: 2 });
    expect(seen).toEqual(["Rhyme 1.", "Rhyme 2."]);
    expect(onTaskCreate).toHaveBeenCalledExactlyOnceWith(session.id, expect.any(String));
  });

  test.each(["yes", 1, {}, { accepted: "yes" }])(
    "HP18 that returns %j has decided nothing, and people are told",
    async (answer) => {
      const { task, plugin } = await judge(async () => answer as never);
      expect(task).toMatchObject({ state: "completed", iterations: 1 });
      expect(JSON.stringify(plugin)).toContain("returned no verdict");
    },
  );

  test("HP19 that always rejects ends at the last try with a clear failure", async () => {
    const { task, onTaskFailed, session } = await judge(async () => ({ accepted: false, feedback: "no" }), 2);
    expect(task).toMatchObject({ state: "failed", iterations: 2 });
    expect(task.error?.message).toMatch(/not accepted within 2 tries.*no/);
    const [thread, id, error] = onTaskFailed.mock.calls[0]!;
    expect([thread, typeof id]).toEqual([session.id, "string"]);
    expect(error).toBeInstanceOf(Error);
    expect((error as Error).message).toBe(task.error?.message);
  });
});

test("onBroadcast hears what other plugins tell, and onSettingsChange of the plugin's own settings", async () => {
  const { runtime } = stage(POET);
  const onBroadcast = vi.fn();
  const [mine, others] = [vi.fn(), vi.fn()];
  let tell!: () => void;
  await runtime.plugins.add(
    { plugin: { name: "a", version: "1.0.0", register: () => ({ onBroadcast, onSettingsChange: mine }) } },
    {
      plugin: {
        name: "b",
        version: "1.0.0",
        register(host) {
          tell = () => host.broadcast("light", { on: true });
          return { onSettingsChange: others };
        },
      },
    },
  );
  tell();
  await vi.waitFor(() => expect(onBroadcast).toHaveBeenCalledExactlyOnceWith("light", { on: true }));
  await runtime.plugins.configure("a", { limit: 1 });
  expect(mine).toHaveBeenCalledExactlyOnceWith("a");
  expect(others).not.toHaveBeenCalled();
});

test("A3-18 a hook that no session has a part in is told with its plugin when it fails", async () => {
  const { runtime } = stage(POET, { limits: SHORT });
  const heard = vi.fn();
  const broken = () => Promise.reject(new Error("broken"));
  const one = (name: string, hooks: ThreadHooks) => ({ plugin: { name, version: "1.0.0", register: () => hooks } });
  let tell!: () => void;
  await runtime.plugins.add(
    { plugin: { name: "tells", version: "1.0.0", register: (host) => void (tell = () => host.broadcast("x", 1)) } },
    one("throws", { onBroadcast: broken, onSettingsChange: broken }),
    one("hangs", { onBroadcast: never }),
    one("hears", { onBroadcast: heard }),
  );
  tell();
  const noted = (name: string) =>
    runtime.plugins.get(name)!.diagnostics.map(({ severity, message }) => [severity, message]);
  await vi.waitFor(() => expect(noted("hangs")).toEqual([["warning", expect.stringMatching(/"broadcast".*"hangs"/)]]));
  expect(noted("throws")).toEqual([["error", 'Hook "broadcast" of plugin "throws" failed: broken']]);
  await runtime.plugins.configure("throws", { n: 1 });
  expect(noted("throws")).toHaveLength(2);
  expect(heard).toHaveBeenCalledOnce();
  expect(noted("hears")).toEqual([]);
});

test("a hook that is not known is told, and one of ours counts over one of threads", async () => {
  const { runtime, session } = stage(POET);
  const [ours, theirs] = [vi.fn(), vi.fn()];
  const hooks = { onCommand: () => {}, message: ours, onMessage: theirs };
  await runtime.plugins.add({ plugin: { name: "p", version: "1.0.0", register: () => hooks as never } });
  expect(JSON.stringify(runtime.plugins.get("p"))).toContain("onCommand");
  await session.run("poet", "Write").result;
  expect(ours).toHaveBeenCalledOnce();
  expect(theirs).not.toHaveBeenCalled();
});
