import { expect, test } from "vitest";
import type { AssistantPart, Message } from "../../src/core/model.ts";
import { ask, collect } from "./collect.ts";
import { type Answer, fakeProvider, type Format } from "./fake-provider.ts";

const SIGNATURE = "c2lnbmVk";
const THOUGHT = "Adding is what is asked";
const ANSWER: Answer = {
  reasoning: THOUGHT,
  signature: SIGNATURE,
  text: "Let me see",
  calls: [
    { id: "c1", tool: "add", arguments: '{"a":1}' },
    { id: "c2", tool: "add", arguments: '{"a":' },
  ],
};
const RESULTS: Message = {
  role: "tool",
  results: [
    { call: "c1", tool: "add", ok: true, content: [{ type: "text", text: "the sum is 3" }] },
    { call: "c2", tool: "add", ok: false, content: [{ type: "text", text: "that is no JSON" }] },
  ],
};
const UNREADABLE = { unreadable_arguments: '{"a":' };

const chatCall = (id: string, args: object) => ({
  id,
  type: "function",
  function: { name: "add", arguments: JSON.stringify(args) },
});
const chatCalls = [chatCall("c1", { a: 1 }), chatCall("c2", UNREADABLE)];

/** What follows the user's words in the second request. Gemini's format cannot hold arguments that are no JSON. */
const EXPECTED: Record<Format, { of(body: any): unknown; is: unknown }> = {
  google: {
    of: (body) => body.contents.slice(1),
    is: [
      {
        role: "model",
        parts: [
          { text: THOUGHT, thought: true },
          { text: "Let me see" },
          { functionCall: { id: "c1", name: "add", args: { a: 1 } }, thoughtSignature: SIGNATURE },
        ],
      },
      {
        role: "user",
        parts: [
          { functionResponse: { id: "c1", name: "add", response: { name: "add", content: "the sum is 3" } } },
          { functionResponse: { id: "c2", name: "add", response: { name: "add", error: "that is no JSON" } } },
        ],
      },
    ],
  },
  anthropic: {
    of: (body) => body.messages.slice(1),
    is: [
      {
        role: "assistant",
        content: [
          { type: "thinking", thinking: THOUGHT, signature: SIGNATURE },
          { type: "text", text: "Let me see" },
          { type: "tool_use", id: "c1", name: "add", input: { a: 1 } },
          { type: "tool_use", id: "c2", name: "add", input: UNREADABLE },
        ],
      },
      {
        role: "user",
        content: [
          { type: "tool_result", tool_use_id: "c1", content: "the sum is 3" },
          { type: "tool_result", tool_use_id: "c2", content: "that is no JSON", is_error: true },
        ],
      },
    ],
  },
  openai: {
    of: (body) => body.input.slice(2),
    is: [
      {
        type: "reasoning",
        id: "rs_1",
        encrypted_content: SIGNATURE,
        summary: [{ type: "summary_text", text: THOUGHT }],
      },
      { role: "assistant", content: "Let me see" },
      { type: "function_call", call_id: "c1", name: "add", arguments: '{"a":1}' },
      { type: "function_call", call_id: "c2", name: "add", arguments: JSON.stringify(UNREADABLE) },
      { type: "function_call_output", call_id: "c1", output: "the sum is 3" },
      { type: "function_call_output", call_id: "c2", output: '{"error":"that is no JSON"}' },
    ],
  },
  "openai-chat": {
    of: (body) => body.messages.slice(2),
    is: [
      { role: "assistant", content: "Let me see", tool_calls: chatCalls },
      { role: "tool", tool_call_id: "c1", content: "the sum is 3" },
      { role: "tool", tool_call_id: "c2", content: '{"error":"that is no JSON"}' },
    ],
  },
  ollama: {
    of: (body) => body.messages.slice(2),
    is: [
      { role: "assistant", content: "Let me see", reasoning_content: THOUGHT, tool_calls: chatCalls },
      { role: "tool", tool_call_id: "c1", content: "the sum is 3" },
      { role: "tool", tool_call_id: "c2", content: "that is no JSON" },
    ],
  },
};

test.each(Object.keys(EXPECTED) as Format[])(
  "%s gets back what it said and signed as it came, with results and failures after it",
  async (format) => {
    const calls = format === "google" ? ANSWER.calls!.slice(0, 1) : ANSWER.calls!;
    const provider = await fakeProvider(format, [{ ...ANSWER, calls }, { text: "3" }]);
    const model = await provider.models.resolve(provider.model);
    const said = (await collect(model)).filter((part) => part.type !== "end") as AssistantPart[];
    const messages: Message[] = [...ask().messages, { role: "assistant", content: said }, RESULTS];
    await collect(model, ask({ messages }));
    const { of, is } = EXPECTED[format];
    expect(of(provider.requests[1]!.body)).toEqual(is);
  },
);

test("arguments that are no JSON come as their text, with what is wrong", async () => {
  for (const format of ["anthropic", "openai", "openai-chat", "ollama"] as const) {
    const provider = await fakeProvider(format, [ANSWER]);
    const parts = await collect(await provider.models.resolve(provider.model));
    expect(parts.filter(({ type }) => type === "call")[1]).toMatchObject({
      id: "c2",
      tool: "add",
      input: '{"a":',
      problem: expect.stringMatching(/^The arguments are not JSON: ./),
    });
  }
});
