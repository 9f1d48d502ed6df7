import { expect, test } from "vitest";
import type { Message, ModelRequest } from "../../src/core/model.ts";
import { scriptedModel } from "../../src/models/scripted.ts";
import type { Script, Turn } from "../../src/models/script.ts";
import { ask, collect, failureOf } from "./collect.ts";

const user = (text: string): Message => ({ role: "user", content: [{ type: "text", text }] });
const said = (text: string): Message => ({ role: "assistant", content: [{ type: "text", text }] });
const result = (text: string): Message => ({
  role: "tool",
  results: [{ call: "c", tool: "add", ok: true, content: [{ type: "text", text }] }],
});
const NOTHING = { input: 0, output: 0 };

async function play(turns: readonly Turn[], request: Partial<ModelRequest> = {}) {
  return collect(scriptedModel(turns), ask(request));
}

test("a turn is a text, or thoughts, words and calls, and its end", async () => {
  expect(await play(["Hi"])).toEqual([
    { type: "text", text: "Hi" },
    { type: "end", reason: "stop", usage: NOTHING },
  ]);
  const usage = { input: 5, output: 2, cached: 1 };
  const calls = [
    { tool: "add", input: { a: 1 } },
    { tool: "now", id: "mine" },
  ];
  expect(await play([{ reasoning: "Hm", text: "Let me see", calls, usage }])).toEqual([
    { type: "reasoning", text: "Hm" },
    { type: "text", text: "Let me see" },
    { type: "call", id: "call_1_1", tool: "add", input: { a: 1 } },
    { type: "call", id: "mine", tool: "now", input: {} },
    { type: "end", reason: "calls", usage },
  ]);
  expect(await play([{ text: "", reason: "length" }])).toEqual([{ type: "end", reason: "length", usage: NOTHING }]);
});

test("arguments that are no JSON come as a model's would", async () => {
  const [call] = await play([{ calls: [{ tool: "add", raw: '{"a":' }] }]);
  expect(call).toMatchObject({ type: "call", input: '{"a":', problem: expect.stringContaining("not JSON") });
});

test("which turn is due is told by the answers in the request, so conversations do not disturb each other", async () => {
  const model = scriptedModel(["one", "two"]);
  const second = ask({ messages: [user("x"), said("one"), user("y")] });
  expect((await collect(model, second))[0]).toMatchObject({ text: "two" });
  expect((await collect(model))[0]).toMatchObject({ text: "one" });
  expect((await collect(model, second))[0]).toMatchObject({ text: "two" });
  expect(model.requests).toHaveLength(3);
  expect(model.requests[1]).toMatchObject({ system: "You are brief." });
});

test("a failure happens once, and the turn after it answers the same question", async () => {
  const script: Turn[] = [
    { error: { status: 429, retryAfter: "2s" } },
    { error: { code: "unavailable", message: "down" } },
    { text: "Good mor", cut: true },
    "Good morning",
    { error: { status: 400, message: "no" } },
  ];
  const model = scriptedModel(script, { id: "scripted:faults" });
  const request = ask();
  expect(await failureOf(collect(model, request))).toEqual({
    code: "rate_limited",
    retryable: true,
    message: "scripted:faults takes no more requests for now (429)",
    details: { status: 429, retryAfterMs: 2_000 },
  });
  expect(await failureOf(collect(model, request))).toEqual({ code: "unavailable", retryable: true, message: "down" });
  expect(await collect(model, request)).toEqual([{ type: "text", text: "Good mor" }]);
  expect((await collect(model, request))[0]).toMatchObject({ text: "Good morning" });
  // Another conversation meets its own failures.
  expect(await failureOf(collect(model, ask({ messages: [user("Other")] })))).toMatchObject({ code: "rate_limited" });
  const next = ask({ messages: [...request.messages, said("Good morning"), user("And?")] });
  expect(await failureOf(collect(model, next))).toMatchObject({ code: "invalid_input", retryable: false });
});

test("a function makes its turn from the request", async () => {
  const turn: Turn = ({ tools }) => `I have ${tools.length} tools`;
  expect((await play([turn], { tools: [{ name: "a", description: "", input: {} }] }))[0]).toMatchObject({
    text: "I have 1 tools",
  });
});

test("what a turn expects must be in the last message", async () => {
  const turns: Turn[] = [{ calls: [{ tool: "add" }] }, { text: "It is 3", expect: "3" }];
  const messages = (sum: string) => [user("Add"), said(""), result(`the sum is ${sum}`)];
  expect((await play(turns, { messages: messages("3") }))[0]).toMatchObject({ text: "It is 3" });
  expect(await failureOf(play(turns, { messages: messages("4") }))).toEqual({
    code: "invalid_config",
    retryable: false,
    message: 'Turn 2 of scripted:model expects "3" in the last message, which says: "the sum is 4"',
  });
});

test("a script that is over says what was asked for", async () => {
  const messages = [user("Add"), said("3"), result("7")];
  expect((await failureOf(play(["3"], { messages }))).message).toBe(
    'scripted:model has 1 turns and is asked for another after 1 answers; the last message (tool) says: "7"',
  );
});

test("the first script that fits a conversation is played", async () => {
  const script: Script = {
    scripts: [
      { when: { system: "critic" }, turns: ["Bad"] },
      { when: { prompt: "summary" }, turns: ["Short"] },
      { when: { system: "brief" }, turns: ["Hi"] },
    ],
  };
  const model = scriptedModel(script);
  const first = async (request: Partial<ModelRequest>) => (await collect(model, ask(request)))[0];
  expect(await first({})).toMatchObject({ text: "Hi" });
  expect(await first({ system: "You are a critic." })).toMatchObject({ text: "Bad" });
  expect(await first({ messages: [user("Write a summary")] })).toMatchObject({ text: "Short" });
  expect((await failureOf(first({ system: "Else" }))).message).toBe(
    'No script of scripted:model is for this conversation: its system prompt is "Else", its first message "Hello"',
  );
});

test("a delay ends with the signal", async () => {
  const model = scriptedModel([{ text: "late", delay: "1h" }, "now"]);
  const stop = new AbortController();
  setTimeout(() => stop.abort(), 10);
  expect(await failureOf(collect(model, ask(), stop.signal))).toMatchObject({ code: "cancelled" });
  expect((await play([{ text: "soon", delay: 5 }]))[0]).toMatchObject({ text: "soon" });
});
