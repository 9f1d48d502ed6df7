import { type Hooks, type Json, memoryStore, type RuntimeOptions } from "pegboard";
import { describe, expect, test, vi } from "vitest";
import { call, type Cast, holding, ofType, stage } from "./stage.ts";

const SHORT = { gateHookMs: 20, chainHookMs: 20, answerHookMs: 20, observeHookMs: 20 };

/** Runs the poet with hooks, each of a plugin that is called by its key. */
async function play(
  hooks: Readonly<Record<string, Hooks>>,
  cast: Cast = { poet: { says: ["Roses."] } },
  options: RuntimeOptions = {},
  prompt: Json = "Write",
) {
  const staged = stage(cast, { limits: SHORT, ...options });
  for (const [name, hook] of Object.entries(hooks))
    await staged.runtime.plugins.add({ plugin: { name, version: "1.0.0", register: () => hook } });
  const result = await staged.session.run("poet", prompt).result;
  const events = await staged.log();
  return { ...staged, result, events, failures: ofType(events, "hook-end").map(({ data }) => data) };
}

const never = () => new Promise<never>(() => {});
const broken = () => Promise.reject(new Error("broken"));

test("A3-20 the points of a run come in order, it is stored after the last of them, and whoever follows it is told then", async () => {
  const order: string[] = [];
  const note = (what: string) => void order.push(what);
  const store = memoryStore();
  const append = store.append.bind(store);
  store.append = async (events) => {
    await new Promise((resolve) => setTimeout(resolve, 5));
    await append(events);
    for (const { type } of events) if (type === "run-end") note("stored");
  };
  const { session, runtime } = stage({ poet: { says: ["Roses."] } }, { limits: SHORT, store });
  await runtime.plugins.add({
    plugin: {
      name: "watch",
      version: "1.0.0",
      register: () => ({
        runEnded: (_, { status, text }) => note(`end ${status} ${text}`),
        changeAnswer: (_, { text, model, turns }) => note(`answer ${text} ${model !== undefined} ${turns}`),
        beforeTurn: ({ turn, text }) => note(`turn ${turn} ${text}`),
        changePrompt: (_, prompt) => note(`prompt ${prompt}`),
        answerPrompt: () => note("unanswered"),
        message: (_, { role, text }) => note(`${role} ${text}`),
        runStarted: ({ agent, id, parent }) => note(`start ${agent} ${id !== "" && parent === undefined}`),
      }),
    },
  });
  const run = session.run("poet", "Write");
  for await (const { type } of run) if (type === "run-end") note("told");
  expect((await run.result).text).toBe("Roses.");
  expect(order).toEqual([
    "start poet true",
    "user Write",
    "unanswered",
    "prompt Write",
    "turn 1 Write",
    "answer Roses. true 1",
    "end completed Roses.",
    "stored",
    "told",
  ]);
});

test("A3-20 a run that fails tells its hooks and the log how", async () => {
  const ended = vi.fn();
  const { result, events } = await play({ watch: { runEnded: ended } }, { poet: { says: [], maxTurns: 1 } });
  expect(result.status).toBe("failed");
  expect(ended).toHaveBeenCalledOnce();
  expect(ended.mock.calls[0]![1]).toMatchObject({ status: "failed", error: result.error });
  expect(ofType(events, "run-end")[0]!.data).toMatchObject({ status: "failed", error: result.error });
});

describe("A3-17 the prompt", () => {
  test("goes from hook to hook, and what the model read and what was asked are on record", async () => {
    const { heardBy, events } = await play({
      one: { changePrompt: (_, prompt) => `${prompt} one` },
      two: { changePrompt: async (_, prompt) => `${prompt} two` },
    });
    expect(heardBy("poet")[0]).toBe("Write one two");
    expect(ofType(events, "run-start")[0]!.data).toMatchObject({
      prompt: "Write",
      message: { content: [{ text: "Write one two" }] },
    });
  });

  test("keeps earlier changes where a hook throws, hangs or returns no text, and the log names it", async () => {
    const { heardBy, failures, result } = await play({
      one: { changePrompt: (_, prompt) => `${prompt} one` },
      throws: { changePrompt: broken },
      hangs: { changePrompt: never },
      odd: { changePrompt: (() => 5) as never },
      two: { changePrompt: (_, prompt) => `${prompt} two` },
    });
    expect(heardBy("poet")[0]).toBe("Write one two");
    expect(failures).toMatchObject([
      { plugin: "throws", hook: "changePrompt", severity: "error", error: { message: "broken" } },
      { plugin: "hangs", hook: "changePrompt", severity: "warning", error: { code: "timeout" } },
      { plugin: "odd", hook: "changePrompt", severity: "error", error: { code: "invalid_output" } },
    ]);
    expect(result.warnings).toContain('The hook "changePrompt" of plugin "throws" failed: broken');
  });
});

describe("A3-18 a hook that watches", () => {
  test("and throws or hangs keeps nobody from hearing, and is told by plugin and hook", async () => {
    const heard = vi.fn();
    const { result, failures } = await play({
      throws: { message: broken },
      hangs: { message: never },
      hears: { message: heard },
    });
    expect(result).toMatchObject({ status: "completed", text: "Roses." });
    expect(heard).toHaveBeenCalledOnce();
    expect(failures).toMatchObject([
      { plugin: "throws", hook: "message", severity: "error" },
      { plugin: "hangs", hook: "message", severity: "warning", error: { code: "timeout" } },
    ]);
  });

  test("and fails after its time was over fails silently", async () => {
    const unhandled = vi.fn();
    process.on("unhandledRejection", unhandled);
    const late = Promise.withResolvers<never>();
    const { failures, log } = await play({ late: { message: () => late.promise } });
    expect(failures).toMatchObject([{ plugin: "late", hook: "message", severity: "warning" }]);
    late.reject(new Error("too late"));
    await new Promise((resolve) => setTimeout(resolve, 20));
    process.off("unhandledRejection", unhandled);
    expect(unhandled).not.toHaveBeenCalled();
    expect(ofType(await log(), "hook-end")).toHaveLength(1);
  });

  test("HP16 and hangs does not hold up those that hang beside it: their time runs together", async () => {
    const hanging = Object.fromEntries(Array.from({ length: 50 }, (_, index) => [`p${index}`, { message: never }]));
    const { failures, result } = await play(hanging);
    expect(result.status).toBe("completed");
    expect(failures).toHaveLength(50);
  });
});

describe("A3-19 an early answer", () => {
  const answers = (text: string | undefined) => ({ answerPrompt: vi.fn(() => text) });

  test("is that of the first hook that has one, and no model is asked", async () => {
    const [first, second] = [answers("Violets."), answers("Tulips.")];
    const { result, model, events } = await play({
      silent: answers(undefined),
      fails: { answerPrompt: broken },
      first,
      second,
    });
    expect(result).toMatchObject({ status: "completed", text: "Violets.", usage: { input: 0, output: 0 } });
    expect(model.requests).toEqual([]);
    expect(second.answerPrompt).not.toHaveBeenCalled();
    expect(ofType(events, "turn-end")[0]!.data.by).toBe('hook "answerPrompt" of plugin "first"');
  });

  test("that nobody has leaves the run as it is", async () => {
    const { result } = await play({ silent: answers(undefined), odd: { answerPrompt: (() => ({})) as never } });
    expect(result.text).toBe("Roses.");
  });

  test("is part of the conversation that goes on", async () => {
    const { session, heardBy } = stage(
      { poet: { says: ["(its first answer is the hook's)", "Roses."] } },
      { hooks: [{ answerPrompt: (_, prompt) => (prompt === "Hi" ? "Hello." : undefined) }] },
    );
    const chat = session.chat("poet");
    expect(await (await chat.send("Hi")).result).toMatchObject({ text: "Hello." });
    expect(await (await chat.send("Write")).result).toMatchObject({ text: "Roses." });
    expect(heardBy("poet")).toEqual(["Hi", "Hello.", "Write"]);
  });

  test("that does not fit what the agent must answer is none", async () => {
    const output = { type: "object", properties: { n: { type: "number" } }, required: ["n"] };
    const poet = { output, says: ['{"n":1}'] };
    const wrong = await play({ wrong: answers("Violets.") }, { poet });
    expect(wrong.result.structured).toEqual({ n: 1 });
    expect(wrong.failures).toMatchObject([{ plugin: "wrong", error: { code: "invalid_output" } }]);
    const right = await play({ right: answers('{"n":2}') }, { poet });
    expect(right.result.structured).toEqual({ n: 2 });
  });
});

describe("the answer", () => {
  test("goes from hook to hook; the run has what they left, and the log what the model said", async () => {
    const { result, events } = await play({
      one: { changeAnswer: (_, { text }) => `${text} Violets.` },
      broken: { changeAnswer: broken },
      two: { changeAnswer: (_, { text }) => text.toUpperCase() },
    });
    expect(result.text).toBe("ROSES. VIOLETS.");
    expect(ofType(events, "turn-end")[0]!.data.message).toMatchObject({ content: [{ text: "Roses." }] });
  });

  test("still fits the agent's schema", async () => {
    const output = { type: "object", properties: { n: { type: "number" } }, required: ["n"] };
    const { result, failures } = await play(
      { fits: { changeAnswer: () => '{"n":2}' }, breaks: { changeAnswer: () => "none" } },
      { poet: { output, says: ['{"n":1}'] } },
    );
    expect(result).toMatchObject({ text: '{"n":2}', structured: { n: 2 } });
    expect(failures).toMatchObject([{ plugin: "breaks" }]);
  });
});

describe("a gate before a turn", () => {
  test("ends the run when it denies, before the model is asked", async () => {
    const { result, model } = await play({ p: { beforeTurn: () => ({ action: "deny", reason: "not today" }) } });
    expect(result).toMatchObject({ status: "failed", error: { code: "denied" } });
    expect(result.error!.message).toContain('hook "beforeTurn" of plugin "p": not today');
    expect(model.requests).toEqual([]);
  });

  test.each([
    ["throws", broken],
    ["hangs", never],
    ["asks, which nobody can answer", () => ({ action: "ask" })],
  ])("HP15 that %s denies", async (_, beforeTurn) => {
    const { result, model } = await play({ p: { beforeTurn: beforeTurn as never } });
    expect(result).toMatchObject({ status: "failed", error: { code: "denied" } });
    expect(model.requests).toEqual([]);
  });

  test("sees every turn, and what it adds is read and on record", async () => {
    const seen: string[] = [];
    const { heardBy, events } = await play(
      {
        p: {
          beforeTurn({ turn, text, model }) {
            seen.push(`${turn} ${text} ${model !== ""}`);
            return turn === 2 ? { action: "inject", text: "It is late." } : undefined;
          },
        },
      },
      { poet: { says: [call("vfs_list"), "Roses."] } },
    );
    expect(seen[0]).toBe("1 Write true");
    expect(seen).toHaveLength(2);
    expect(heardBy("poet").at(-1)).toBe("It is late.");
    expect(ofType(events, "transcript-change")[0]!.data.added).toMatchObject({ content: [{ text: "It is late." }] });
  });

  test("is not waited for when the run is cancelled", async () => {
    const asked = Promise.withResolvers<void>();
    const hooks = [{ beforeTurn: () => (asked.resolve(), never()) }];
    const { session } = stage({ poet: { says: ["Roses."] } }, { hooks });
    const run = session.run("poet", "Write");
    await asked.promise;
    run.cancel();
    expect((await run.result).status).toBe("cancelled");
  });
});

describe("hooks of sub-agents", () => {
  const cast: Cast = {
    poet: { says: [call("agent", { agent: "helper", prompt: "Help" }), "Roses."] },
    helper: { says: [call("vfs_list"), "Helped."] },
  };

  test("bind like those of the agent that a person asked", async () => {
    const seen: string[] = [];
    const { result } = await play(
      {
        p: {
          beforeCall: ({ tool, agent }) => void seen.push(`call ${tool} ${agent}`),
          beforeTurn: ({ agent, turn }) => void seen.push(`turn ${agent} ${turn}`),
          runStarted: ({ agent, parent }) => void seen.push(`start ${agent} ${parent !== undefined}`),
          runEnded: ({ agent }) => void seen.push(`end ${agent}`),
        },
      },
      cast,
    );
    expect(result.text).toBe("Roses.");
    expect(seen).toEqual([
      "start poet false",
      "turn poet 1",
      "call agent poet",
      "start helper true",
      "turn helper 1",
      "call vfs_list helper",
      "turn helper 2",
      "end helper",
      "turn poet 2",
      "end poet",
    ]);
  });

  test("deny what they deny", async () => {
    const denies: Hooks = {
      beforeCall: ({ tool }) => (tool === "vfs_list" ? { action: "deny", reason: "no" } : undefined),
      beforeTurn: ({ parent, turn }) =>
        parent !== undefined && turn > 1 ? { action: "deny", reason: "no" } : undefined,
    };
    const { events } = await play({ denies }, cast);
    const ends = ofType(events, "call-end").map(({ data }) => [data.tool, data.error?.code]);
    expect(ends).toEqual([
      ["vfs_list", "denied"],
      ["agent", "denied"],
    ]);
  });
});

test("a run that goes on in another process is not begun a second time, and its hooks take part in the rest", async () => {
  const { tool, entered } = holding();
  const store = memoryStore();
  const told: string[] = [];
  const hooks: Hooks[] = [
    {
      runStarted: () => void told.push("start"),
      changePrompt: (_, prompt) => `${prompt} again`,
      beforeTurn: ({ turn }) => void told.push(`turn ${turn}`),
      runEnded: (_, { status }) => void told.push(status),
    },
  ];
  const cast = { poet: { says: [call("hold"), "Roses."] } };
  const before = stage(cast, { tools: [tool], hooks, store }, { id: "one", approve: "all" });
  before.session.run("poet", "Write");
  await entered;
  const free = { ...tool, execute: () => "let go" };
  const after = stage(cast, { tools: [free], hooks, store }, { id: "one", approve: "all" });
  expect(await (await after.session.resume()).result).toMatchObject({ status: "completed", text: "Roses." });
  expect(after.heardBy("poet")[0]).toBe("Write again");
  expect(told).toEqual(["start", "turn 1", "turn 2", "completed"]);
});

describe("A3-21 prompts", () => {
  test("of one conversation run in order, those of others beside them", async () => {
    const { tool, letGo, entered } = holding();
    const order: string[] = [];
    const { session, runtime } = stage(
      { slow: { says: [call("hold"), "Slow.", "Again."] }, quick: { says: ["Quick."] } },
      { tools: [tool], hooks: [{ runStarted: ({ agent }) => void order.push(agent) }] },
    );
    const chat = session.chat("slow");
    const first = await chat.send("one");
    const second = chat.send("two");
    await entered;
    expect((await (await runtime.open().chat("quick").send("now")).result).text).toBe("Quick.");
    expect(order).toEqual(["slow", "quick"]);
    letGo();
    expect((await first.result).text).toBe("Slow.");
    expect((await (await second).result).text).toBe("Again.");
    expect(order).toEqual(["slow", "quick", "slow"]);
  });
});
