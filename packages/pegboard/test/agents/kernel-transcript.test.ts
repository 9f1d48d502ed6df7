import type { Agent } from "@pegboard/contract";
import {
  createRuntime,
  defineTool,
  type Event,
  type Message,
  type Model,
  type ModelRequest,
  PegboardError,
  type Runtime,
  scriptedModel,
  type Session,
} from "pegboard";
import { describe, expect, test } from "vitest";
import { foldTranscript } from "../../src/agents/transcript.ts";

/** A generator of numbers from 0 to 1 that gives the same for the same seed. */
function random(seed: number): () => number {
  let state = seed * 2_654_435_761 + 1;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

const OUTPUT = { type: "object", properties: { n: { type: "integer" } }, required: ["n"] };

/** A model that goes astray in every way, and keeps what it was sent and what it answered. */
function strayModel(next: () => number) {
  const met: { request: ModelRequest; answer?: Message }[] = [];
  let same = 0;
  let count = 0;
  const model: Model = {
    id: "x:stray",
    contextTokens: 3_000,
    async *stream(request) {
      if (request.system.includes("summarise")) {
        if (next() < 0.3) throw new Error("no summary today");
        yield { type: "text", text: `Summary ${++count}` };
        yield { type: "end", reason: "stop", usage: { input: 0, output: 0 } };
        return;
      }
      const turn: (typeof met)[number] = { request };
      met.push(turn);
      if (next() < 0.05) {
        yield { type: "text", text: "half of" };
        throw new PegboardError("unavailable", "not now", { retryable: true, details: { retryAfterMs: 0 } });
      }
      const content: Extract<Message, { role: "assistant" }>["content"][number][] = [];
      if (next() < 0.3) content.push({ type: "reasoning", text: "Hm", meta: { signature: `s${++count}` } });
      if (same === 0 && next() < 0.08) same = 6;
      const kind = same > 0 ? 0.5 : next();
      if (kind < 0.12) content.push({ type: "text", text: "done" });
      else if (kind < 0.2) content.push({ type: "text", text: `{"n": ${++count}}` });
      else {
        if (next() < 0.5) content.push({ type: "text", text: `Step ${++count}` });
        const calls = same > 0 ? 1 : 1 + Math.floor(next() * 3);
        for (let index = 0; index < calls; index++) {
          const tool =
            same > 0 ? "same" : ["look", "change", "fails", "nosuch", "big", "short"][Math.floor(next() * 6)]!;
          const broken = same === 0 && next() < 0.1;
          content.push({
            type: "call",
            id: `c${++count}`,
            tool,
            ...(broken
              ? { input: "{oops", problem: "The arguments are not JSON" }
              : { input: same > 0 ? {} : { n: count } }),
          });
        }
        if (same > 0) same = next() < 0.2 ? 0 : same - 1;
      }
      turn.answer = { role: "assistant", content };
      for (const part of content) yield part;
      const calls = content.some(({ type }) => type === "call");
      yield { type: "end", reason: calls ? "calls" : "stop", usage: { input: 10, output: 10 } };
    },
  };
  return { model, met };
}

function stage(model: Model): { runtime: Runtime; session: Session } {
  const tool = (name: string, capability: "read" | "write", execute: (n: number) => unknown) =>
    defineTool({
      name,
      description: name,
      input: { type: "object" },
      capabilities: [capability],
      execute: ({ n }) => execute(Number(n)),
    });
  const agent: Agent = {
    name: "stray",
    description: "Strays",
    instructions: "You stray.",
    output: OUTPUT,
    requirements: { all: ["look"], maxReminders: 3 },
    promptTools: [
      { name: "short", description: "Shortens", prompt: "{{n}}", input: { type: "object" }, model: "x:short" },
    ],
  };
  const models = { cost: () => 0, resolve: async () => scriptedModel(["Short."]) };
  const tools = [
    tool("look", "read", (n) => ({ seen: n })),
    tool("change", "write", (n) => `changed ${n}`),
    tool("same", "read", () => "the same"),
    tool("big", "read", (n) => "big ".repeat(50 + (n % 7) * 1_000)),
    tool("fails", "write", () => Promise.reject(new Error("it failed"))),
  ];
  const runtime = createRuntime({ model, models, agents: [agent], tools, limits: { turns: 14, fanout: 3 } });
  let asked = 0;
  const session = runtime.open({ approver: async () => ({ decision: asked++ % 3 === 0 ? "deny" : "allow" }) });
  return { runtime, session };
}

describe("what the log tells of a conversation is what the model was sent and answered last", () => {
  test.each(Array.from({ length: 20 }, (_, n) => n + 1))("seed %i", async (seed) => {
    const next = random(seed);
    const { model, met } = strayModel(next);
    const { runtime, session } = stage(model);
    const chat = session.chat("stray");
    let continues: string | undefined;
    for (let prompt = 0; prompt < 4; prompt++) {
      const before = met.length;
      const run = await chat.send(`Prompt ${prompt}`);
      const { error } = await run.result;
      const events = await runtime.store.read({ session: session.id });
      const answered = met.slice(before).filter(({ answer }) => answer);
      const last = answered.at(-1);
      if (last) {
        const told = foldTranscript(events, run.id)!;
        const sent = [...last.request.messages, last.answer!];
        expect(told.slice(0, sent.length)).toEqual(sent);
        // After the last answer come at most the outcomes of its calls, or what a model that is asked no more was told.
        expect(told.length - sent.length).toBeLessThanOrEqual(error ? 2 : 0);
        continues = run.id;
      }
      if (next() < 0.3) await chat.inject(`By the way ${prompt}`);
      if (next() < 0.1) {
        await chat.clear();
        expect(foldTranscript(await runtime.store.read({ session: session.id }), run.id)).toEqual([]);
      }
    }
    expect(foldTranscript([], continues ?? "none")).toBeUndefined();
    await runtime.close();
  });

  test("the seeds meet everything that changes a conversation", async () => {
    const changes = new Set<string>();
    for (let seed = 1; seed <= 20; seed++) {
      const { model } = strayModel(random(seed));
      const { runtime, session } = stage(model);
      await session.run("stray", "Go").result;
      for (const { type, data } of await runtime.store.read({ session: session.id })) {
        if (type !== "transcript-change") continue;
        for (const key of Object.keys(data)) changes.add(key === "added" ? `added ${data.added!.role}` : key);
      }
      await runtime.close();
    }
    expect([...changes].sort()).toEqual(["added tool", "added user", "replaced", "shortened", "usage", "why"]);
  });
});

describe("the conversation of a run", () => {
  const at = (seq: number, type: Event["type"], data: unknown, more: object = {}): Event =>
    ({ v: 1, seq, at: 0, type, session: "s", run: "r1", data, ...more }) as Event;
  const user = (text: string): Message => ({ role: "user", content: [{ type: "text", text }] });
  const start = (seq: number, text: string, run = "r1", continues?: string) =>
    at(
      seq,
      "run-start",
      { agent: "a", model: "m", message: user(text), depth: 0, ...(continues && { continues }) },
      { run },
    );
  const said = (seq: number, text: string, run = "r1", turn = 1) =>
    at(seq, "turn-end", { turn, message: { role: "assistant", content: [{ type: "text", text }] } }, { run });
  const textsOf = (messages: readonly Message[] | undefined) =>
    messages?.map((message) =>
      message.role === "tool"
        ? message.results.map(({ content }) => (content[0] as { text: string }).text)
        : (message.content[0] as { text: string }).text,
    );

  test("tells calls without an outcome as what is known of them", () => {
    const call = (id: string) => ({ type: "call", id, tool: "t", input: {} });
    const events = [
      start(1, "Go"),
      at(2, "turn-end", {
        turn: 1,
        message: { role: "assistant", content: [{ type: "text", text: "x" }, call("a"), call("b"), call("c")] },
      }),
      at(
        3,
        "call-end",
        { tool: "t", ok: true, result: { content: [{ type: "text", text: "fine" }] } },
        { call: "r1.1.0" },
      ),
      at(4, "execute-start", { tool: "t" }, { call: "r1.1.1" }),
    ];
    expect(textsOf(foldTranscript(events, "r1"))).toEqual([
      "Go",
      "x",
      ["fine", expect.stringContaining("Interrupted"), expect.stringContaining("Not called")],
    ]);
  });

  test("is that of the run before it as it was when it went on from it", () => {
    const events = [
      start(1, "one"),
      said(2, "a"),
      at(3, "transcript-change", { added: user("injected") }),
      start(4, "two", "r2", "r1"),
      said(5, "b", "r2"),
      at(6, "transcript-change", { added: user("later") }),
      at(7, "transcript-change", { cleared: true }),
    ];
    expect(textsOf(foldTranscript(events, "r2"))).toEqual(["one", "a", "injected", "two", "b"]);
    expect(foldTranscript(events, "r1")).toEqual([]);
  });

  test("does not follow a log in a circle", () => {
    expect(textsOf(foldTranscript([start(1, "one", "r1", "r2"), start(2, "two", "r2", "r1")], "r1"))).toEqual(["one"]);
  });

  test("is found after thousands of prompts", () => {
    const events = Array.from({ length: 10_000 }, (_, n) => [
      start(2 * n + 1, `p${n}`, `r${n}`, n === 0 ? undefined : `r${n - 1}`),
      said(2 * n + 2, `a${n}`, `r${n}`),
    ]).flat();
    expect(foldTranscript(events, "r9999")).toHaveLength(20_000);
  });
});
