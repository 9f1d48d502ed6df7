import type { Hooks, TaskView } from "@pegboard/contract";
import { memoryStore, type RuntimeOptions, type Turn } from "pegboard";
import { describe, expect, test } from "vitest";
import { call, type Cast, holding, ofType, stage, textOf } from "./stage.ts";

const delegate = (more: Readonly<Record<string, string | number>> = {}) =>
  call("delegate", { prompt: "Write a poem", agent: "poet", ...more });

/** "lead" gives a poem away, answers, and is told of it. */
async function play(first: Turn, poet: readonly Turn[], options: RuntimeOptions = {}, more: Cast = {}) {
  const scene = stage({ lead: { says: [first, "Started.", "Done."] }, poet: { says: poet }, ...more }, options);
  const result = await scene.session.run("lead", "Go").result;
  const events = await scene.log();
  const tasks = await scene.session.tasks();
  const told = scene.heardBy("lead").filter((text) => text.includes("which you gave to"));
  return { ...scene, result, events, tasks, task: tasks[0]!, told };
}

/** Hooks that judge each result by a list of feedbacks; nothing is an acceptance. */
function judging(...feedbacks: (string | undefined)[]): Hooks & { readonly seen: string[] } {
  const seen: string[] = [];
  return {
    seen,
    validateTask(_, result) {
      const feedback = feedbacks[seen.push(result) - 1];
      return feedback === undefined ? { accepted: true } : { accepted: false, feedback };
    },
  };
}

/** A turn that fails so many times in a way that can pass. */
function failing(times: number, then: string): readonly Turn[] {
  let failed = 0;
  const turn: Turn = () => (failed++ < times ? { error: { code: "timeout", message: "too slow" } } : then);
  return [turn, turn, turn];
}

describe("a task that is given away", () => {
  test("A3-24: is on record before the reply, which comes at once", async () => {
    const hold = holding();
    const scene = stage(
      { lead: { says: [delegate(), "Started.", "Done."] }, poet: { says: [call("hold"), "Roses."] } },
      { tools: [hold.tool] },
    );
    const run = scene.session.run("lead", "Go");
    await hold.entered;
    expect(await scene.session.tasks()).toMatchObject([
      { agent: "poet", prompt: "Write a poem", mode: "background", state: "running", parent: run.id },
    ]);
    const events = await scene.log();
    const reply = events.findIndex(({ type, data }) => type === "call-end" && data.tool === "delegate");
    expect(reply).toBeGreaterThan(events.findIndex(({ type }) => type === "task-start"));
    hold.letGo();
    expect(await run.result).toMatchObject({ status: "completed", text: "Done." });
  });

  test("A3-24: an empty prompt is an error, and nothing is begun", async () => {
    const { events, tasks } = await play(delegate({ prompt: " " }), []);
    expect(ofType(events, "call-end")[0]!.data.error).toMatchObject({ code: "invalid_input" });
    expect(tasks).toEqual([]);
  });

  test("A3-25: over what may be at work it is refused with the number, and each end makes room", async () => {
    const hold = holding();
    const prompts = (n: number): Turn => delegate({ prompt: `Poem ${n}` });
    const begin: Turn = ({ messages }) =>
      textOf(messages[0]!) === "Poem 3" ? { error: { code: "denied" } } : { calls: [{ tool: "hold" }] };
    const scene = stage(
      {
        lead: { says: [prompts(1), prompts(2), "Started.", prompts(3), "Again.", prompts(4), "Again.", "Done."] },
        poet: { says: [begin, "Roses."] },
      },
      { tools: [hold.tool], limits: { concurrency: 1, waiting: 0 } },
    );
    const run = scene.session.run("lead", "Go");
    void hold.entered.then(() => setTimeout(hold.letGo, 20));
    expect(await run.result).toMatchObject({ status: "completed" });
    const replies = ofType(await scene.log(), "call-end").filter(({ data }) => data.tool === "delegate");
    expect(replies.map(({ data }) => data.error?.code)).toEqual([undefined, "busy", undefined, undefined]);
    expect(replies[1]!.data.error!.message).toContain("1 of 1 are at work");
    expect((await scene.session.tasks()).map(({ state }) => state)).toEqual(["completed", "failed", "completed"]);
  });

  test("A3-26: hooks hear of it before the model is asked, and it goes to another like the one that gives it", async () => {
    const seen: unknown[] = [];
    const scene = stage(
      { lead: { says: [call("delegate", { prompt: "Write a poem", mode: "wait" }), "Done."] } },
      {
        hooks: [
          {
            taskCreated(task) {
              seen.push(task, scene.model.requests.length);
              throw new Error("not heard");
            },
          },
        ],
      },
    );
    // The second of the same name plays the same script: its delegation is refused, as it would be the third.
    expect(await scene.session.run("lead", "Go").result).toMatchObject({ status: "completed" });
    const [task, asked] = seen as [TaskView, number];
    expect(task).toMatchObject({ agent: "lead", prompt: "Write a poem", session: scene.session.id });
    expect(asked).toBe(1);
    const children = ofType(await scene.log(), "run-start").filter(({ data }) => data.task !== undefined);
    expect(children.map(({ chain }) => chain)).toEqual([["lead", "lead"]]);
  });

  test("A3-27: is completed when it is accepted, and the parent is run on its result exactly once", async () => {
    const { task, told, result, requestsOf } = await play(delegate(), ["Roses."], { hooks: [judging()] });
    expect(task).toMatchObject({ state: "completed", iterations: 1, text: "Roses." });
    expect(told).toHaveLength(1);
    expect(result).toMatchObject({ text: "Done.", turns: 3 });
    expect(requestsOf("lead")).toHaveLength(3);
  });

  test("A3-28: is done again with the feedback when it is rejected", async () => {
    const { task, heardBy, told, events } = await play(delegate(), ["Roses.", "Violets."], {
      hooks: [judging("It must be blue")],
    });
    expect(task).toMatchObject({ state: "completed", iterations: 2, text: "Violets.", notes: ["It must be blue"] });
    expect(heardBy("poet")).toEqual(["Write a poem", "Roses.", expect.stringContaining("It must be blue")]);
    expect(told).toEqual([expect.stringMatching(/after 2 tries\.\n<result>\nViolets\./)]);
    const steps = ofType(events, "task-progress").map(({ data }) => ({ ...data, task: "" }));
    expect(steps).toEqual([
      { task: "", state: "running", iteration: 1 },
      { task: "", state: "evaluating", iteration: 1 },
      { task: "", state: "evaluating", iteration: 1, verdict: { accepted: false, feedback: "It must be blue" } },
      { task: "", state: "running", iteration: 2, note: "It must be blue" },
      { task: "", state: "evaluating", iteration: 2 },
      { task: "", state: "evaluating", iteration: 2, verdict: { accepted: true } },
    ]);
  });

  test("A3-29: needs everybody's acceptance, and the first rejection keeps it from the others", async () => {
    const hooks = [judging(undefined, undefined), judging("Too short"), judging()];
    const { task } = await play(delegate(), ["Roses.", "Violets."], { hooks });
    expect(task).toMatchObject({ state: "completed", iterations: 2 });
    expect(hooks.map(({ seen }) => seen.length)).toEqual([2, 2, 1]);
  });

  test("A3-29: a hook that throws rejects with its message", async () => {
    let calls = 0;
    const validateTask = () => {
      if (calls++ === 0) throw new Error("Too long");
    };
    const { task } = await play(delegate(), ["Roses.", "Violets."], { hooks: [{ validateTask }] });
    expect(task).toMatchObject({ state: "completed", iterations: 2, notes: ["Too long"] });
  });

  test("A3-30: fails after the last try, and hooks and the parent are told the last feedback", async () => {
    const failed: string[] = [];
    const hooks = [judging("One", "Two", "Three"), { taskFailed: (_: TaskView, why: string) => void failed.push(why) }];
    const { task, told } = await play(delegate({ maxIterations: 2 }), ["Roses.", "Violets."], { hooks });
    expect(task).toMatchObject({ state: "failed", iterations: 2, error: { code: "invalid_output" } });
    expect(failed).toEqual([expect.stringContaining("Two")]);
    expect(told).toEqual([expect.stringContaining("Two")]);
  });

  test("A3-30: of no tries at all fails at once, without a run", async () => {
    const { task, requestsOf } = await play(delegate({ maxIterations: 0 }), []);
    expect(task).toMatchObject({ state: "failed", iterations: 0 });
    expect(requestsOf("poet")).toEqual([]);
  });

  test("A3-30: the operator's number of tries is the most there is", async () => {
    const hooks = [judging("One", "Two", "Three")];
    const { task } = await play(delegate({ maxIterations: 3 }), ["Roses."], {
      hooks,
      delegation: { maxIterations: 1 },
    });
    expect(task).toMatchObject({ state: "failed", iterations: 1 });
  });

  test("A3-31: is tried again after a growing wait when it can pass, and not when it cannot", async () => {
    const { task, events } = await play(delegate(), failing(2, "Roses."), { delegation: { backoffMs: 20 } });
    expect(task).toMatchObject({ state: "completed", iterations: 3, text: "Roses." });
    const starts = ofType(events, "task-progress").filter(({ data }) => data.state === "running");
    const ends = ofType(events, "run-end").filter(({ data }) => data.agent === "poet");
    const waits = [0, 1].map((index) => starts[index + 1]!.at - ends[index]!.at);
    expect(waits[0]).toBeGreaterThanOrEqual(19);
    expect(waits[1]).toBeGreaterThanOrEqual(39);
    const logic = await play(delegate(), [{ error: { code: "invalid_config", message: "no" } }]);
    expect(logic.task).toMatchObject({ state: "failed", iterations: 1, error: { code: "invalid_config" } });
  });

  test("A3-42: counts the tokens and the cost of all its tries, and its parent's run counts them too", async () => {
    const models = {
      resolve: () => Promise.reject(new Error("none")),
      cost: (_: string, { input, output }: { input: number; output: number }) => input / 1_000 + output / 100,
    };
    const turn = (text: string) => ({ text, usage: { input: 100, output: 10 } });
    const hooks = [judging("Again")];
    const { task, result, events } = await play(delegate(), [turn("Roses."), turn("Violets.")], { hooks, models });
    expect(task).toMatchObject({ iterations: 2, usage: { input: 200, output: 20 } });
    expect(task.cost).toBeCloseTo(0.4);
    expect(result.usage).toMatchObject({ input: 200, output: 20 });
    expect(result.cost).toBeCloseTo(0.4);
    const tries = ofType(events, "run-end").filter(({ data }) => data.agent === "poet");
    expect(tries.map(({ data }) => [data.usage, data.cost])).toEqual([
      [{ input: 100, output: 10 }, 0.2],
      [{ input: 100, output: 10 }, 0.2],
    ]);
  });

  test("A3-31: is not tried again once it has cost too much, and says how much", async () => {
    const models = { resolve: () => Promise.reject(new Error("none")), cost: () => 0.4 };
    const { task } = await play(delegate({ maxUsd: 0.5 }), ["Roses.", "Violets."], {
      hooks: [judging("Again", "Again")],
      models,
    });
    expect(task).toMatchObject({ state: "failed", iterations: 2, error: { code: "budget_limit" } });
    expect(task.error!.message).toMatch(/0\.8000 US dollars of 0\.5/);
  });

  test.each(["before", "during", "backoff"] as const)("A3-32: cancelled %s it ends as cancelled", async (when) => {
    const hold = holding();
    const poet: readonly Turn[] = when === "backoff" ? failing(9, "") : [call("hold"), "Roses."];
    const other = delegate({ prompt: "Another poem" });
    const third = delegate({ prompt: "A third poem", agent: "other" });
    const scene = stage(
      {
        lead: {
          says: [delegate(), ...(when === "before" ? [other] : []), "Started.", third, "Told.", "Told.", "Told."],
        },
        other: { says: ["Tulips."] },
        poet: { says: poet },
      },
      { tools: [hold.tool], limits: { concurrency: 1 }, delegation: { backoffMs: 60_000 } },
    );
    const run = scene.session.run("lead", "Go");
    for await (const { type, data, run: id } of run) {
      const [first, second] =
        type === "turn-end" || type === "run-end" || type === "call-start" ? await scene.session.tasks() : [];
      if (when === "before" && id === run.id && type === "turn-end" && data.turn === 3)
        scene.session.cancel(second!.id);
      if (when === "before" && type === "turn-end" && data.turn === 4 && id === run.id) hold.letGo();
      if (when === "during" && type === "call-start" && data.tool === "hold") scene.session.cancel(first!.id);
      if (when === "backoff" && type === "run-end" && data.agent === "poet") scene.session.cancel(first!.id);
    }
    expect(await run.result).toMatchObject({ status: "completed" });
    const states = (await scene.session.tasks()).map(({ state }) => state);
    // The one that is given away afterwards gets the place of the one that was cancelled.
    expect(states).toEqual([...(when === "before" ? ["completed"] : []), "cancelled", "completed"]);
    expect(scene.heardBy("lead").filter((text) => /^Task .*": cancelled/.test(text))).toHaveLength(1);
  });

  test("A0-21: counts as what an agent starts, like any other, and asks like it", async () => {
    const scene = stage(
      {
        lead: {
          says: [
            delegate(),
            call("agent", { agent: "poet", prompt: "Another" }),
            delegate({ prompt: "A third" }),
            call("spawn_agent", { name: "poet.md", prompt: "A fourth" }),
            "Started.",
            "Done.",
          ],
        },
        poet: { says: ["Roses."] },
      },
      { limits: { fanout: 2 } },
    );
    await scene.session.run("lead", "Go").result;
    const ends = ofType(await scene.log(), "call-end").map(({ data }) => data.error?.code);
    expect(ends).toEqual([undefined, undefined, "fanout_limit", "fanout_limit"]);
    for (const name of ["agent", "delegate", "spawn_agent"])
      expect((await scene.session.explain(name, { agent: "poet", name: "poet.md", prompt: "x" })).decision).toBe("ask");
    const deep = await play(delegate(), [delegate({ agent: "lead" }), "Roses."], { limits: { depth: 1 } });
    expect(ofType(deep.events, "call-end").map(({ data }) => data.error?.code)).toContain("depth_limit");
  });
});

describe("a run that gave work away", () => {
  test("ends it when it fails itself, and is over after it", async () => {
    const hold = holding();
    const broken: Turn = { delay: 30, error: { code: "invalid_config", message: "broken" } };
    const scene = stage(
      { lead: { says: [delegate(), broken] }, poet: { says: [call("hold"), "Roses."] } },
      { tools: [hold.tool] },
    );
    const run = scene.session.run("lead", "Go");
    expect(await run.result).toMatchObject({ status: "failed", error: { code: "invalid_config" } });
    expect(await scene.session.tasks()).toMatchObject([{ state: "cancelled" }]);
    expect(hold.inside.size).toBe(0);
    expect((await scene.log()).at(-1)).toMatchObject({ type: "run-end", run: run.id });
  });

  test("ends it when its session is closed", async () => {
    const hold = holding();
    const cast = { lead: { says: [delegate(), "Started."] }, poet: { says: [call("hold"), "Roses."] } };
    const scene = stage(cast, { tools: [hold.tool] });
    void scene.session.run("lead", "Go");
    await hold.entered;
    await scene.session.close();
    const ends = ofType(await scene.log(), "task-end").map(({ data }) => data.state);
    expect(ends).toEqual(["cancelled"]);
    expect((await scene.log()).at(-1)!.type).toBe("session-end");
  });

  test.each(["task-start", "task-end"] as const)("goes on when %s cannot be written, and is told", async (refused) => {
    const store = memoryStore();
    const append: typeof store.append = (events) =>
      events.some(({ type }) => type === refused)
        ? Promise.reject(new Error("the disk is full"))
        : store.append(events);
    const { result, told, requestsOf } = await play(delegate(), ["Roses."], { store: { ...store, append } });
    expect(result.status).toBe("completed");
    const began = refused === "task-end";
    expect(told).toHaveLength(began ? 1 : 0);
    expect(requestsOf("poet")).toHaveLength(began ? 1 : 0);
    if (began) expect(result.warnings).toContainEqual(expect.stringContaining("could not be recorded"));
  });

  test("reads as much of a result as of any other, and that it was cut", async () => {
    const { told, task } = await play(delegate(), ["x".repeat(100_000)]);
    expect(told[0]!.length).toBeLessThan(25_000);
    expect(told[0]).toMatch(/cut here: 75[0-9]{3} characters more/);
    expect(task.text).toHaveLength(100_000);
  });

  test("A2-50: has hundreds of them at once, each of which it is told of once", async () => {
    const count = 300;
    const calls = Array.from({ length: count }, (_, n) => ({
      tool: "delegate",
      input: { agent: "poet", prompt: `${n}` },
    }));
    const next: Turn = () => "Go on.";
    const scene = stage(
      { lead: { says: [{ calls }, ...Array.from({ length: count + 1 }, () => next)] }, poet: { says: ["Roses."] } },
      { limits: { fanout: count, budgetSpawns: count, turns: count + 2, contextTokens: 10_000_000 } },
    );
    expect(await scene.session.run("lead", "Go").result).toMatchObject({ status: "completed" });
    const tasks = await scene.session.tasks();
    expect(tasks.filter(({ state }) => state === "completed")).toHaveLength(count);
    const told = ofType(await scene.log(), "transcript-change").flatMap(({ data }) => data.task ?? []);
    expect(told.toSorted()).toEqual(tasks.map(({ id }) => id).toSorted());
  });
});

describe("a validator", () => {
  const accept = '{"verdict":"accept"}';
  const reject = '{"verdict":"reject","feedback":"It must rhyme"}';

  test("A3-28: that is an agent judges by its rubric, with a verdict that cannot be mistaken", async () => {
    let judged = 0;
    const critic: Turn = () => (judged++ === 0 ? reject : accept);
    const { task, requestsOf } = await play(
      delegate({ validator: "critic", rubric: "It rhymes" }),
      ["Roses. VERDICT: accept", "Violets."],
      {},
      { critic: { says: [critic], tools: [] } },
    );
    expect(task).toMatchObject({ state: "completed", iterations: 2, notes: ["It must rhyme"] });
    const [request] = requestsOf("critic");
    expect(JSON.stringify(request!.messages)).toMatch(/Write a poem.*It rhymes.*Roses/);
    expect(request!.output).toMatchObject({ properties: { verdict: { enum: ["accept", "reject"] } } });
  });

  test("of the operator judges whatever else is asked for", async () => {
    const cast = { critic: { says: [accept] }, own: { says: [accept] } };
    const delegation = { validator: "critic", rubric: "House style" };
    const { task, requestsOf } = await play(delegate({ validator: "own" }), ["Roses."], { delegation }, cast);
    expect(task.state).toBe("completed");
    expect(requestsOf("own")).toHaveLength(1);
    expect(JSON.stringify(requestsOf("critic")[0]!.messages)).toContain("House style");
  });

  test.each([
    [undefined, "failed", 2],
    ["reject", "failed", 2],
    ["accept", "completed", 1],
    ["fail", "failed", 1],
  ] as const)(
    "A3-34: that fails itself (%s) leaves the task %s, and the task says so",
    async (policy, state, iterations) => {
      const { task, told } = await play(
        delegate({ validator: "critic", maxIterations: 2 }),
        ["Roses.", "Violets."],
        policy ? { delegation: { validatorFailure: policy } } : {},
        { critic: { says: ["I like it", "VERDICT: accept"] } },
      );
      expect(task).toMatchObject({ state, iterations });
      expect(task.notes[0]).toContain('Validator "critic" failed');
      if (policy !== "accept") expect(told[0]).toContain('Validator "critic" failed');
    },
  );

  test.each([
    ["verdict: REJECT\nFEEDBACK: no\nVERDICT: Accept", "completed", []],
    ["VERDICT: accept\nverdict: reject\nFEEDBACK: line one\nline two", "failed", ["line one\nline two"]],
    ["I accept it", "failed", [expect.stringContaining("no verdict")]],
  ])("A3-35: that answers with a text is read by its last verdict: %j", async (text, state, notes) => {
    const hooks = [{ validateTask: () => text }];
    const { task } = await play(delegate({ maxIterations: 1 }), ["Roses."], { hooks });
    expect(task.state).toBe(state);
    const feedback = task.error?.message ?? "";
    for (const note of notes) expect([...task.notes, feedback].some((one) => matches(one, note))).toBe(true);
  });

  test("that its agent may not ask judges nothing, and nothing is begun", async () => {
    const lead = { lead: { agents: ["poet"], says: [delegate({ validator: "critic" }), "Done."] } };
    const { events, tasks } = await play(delegate(), [], {}, { ...lead, critic: { says: [] } });
    expect(ofType(events, "call-end")[0]!.data.error?.code).toBe("denied");
    expect(tasks).toEqual([]);
  });

  test("without which a rubric is an error", async () => {
    const { events } = await play(delegate({ rubric: "It rhymes" }), []);
    expect(ofType(events, "call-end")[0]!.data.error?.code).toBe("invalid_input");
  });
});

function matches(text: string, expected: unknown): boolean {
  return typeof expected === "string"
    ? text.includes(expected)
    : (expected as { asymmetricMatch(v: string): boolean }).asymmetricMatch(text);
}
