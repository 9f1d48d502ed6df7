import type { LanguageModelV2, LanguageModelV3StreamPart, LanguageModelV4StreamPart } from "@ai-sdk/provider";
import { convertArrayToReadableStream, MockLanguageModelV3, MockLanguageModelV4 } from "ai/test";
import { expect, test } from "vitest";
import { PegboardError } from "../../src/core/error.ts";
import type { Message } from "../../src/core/model.ts";
import { fromAiSdkModel } from "../../src/models/ai-sdk/model.ts";
import { ask, collect, failureOf } from "./collect.ts";

const signal = new AbortController().signal;
const nested = {
  inputTokens: { total: 10, noCache: 4, cacheRead: 5, cacheWrite: 1 },
  outputTokens: { total: 7, text: 4, reasoning: 3 },
};
const FINISH: LanguageModelV4StreamPart = {
  type: "finish",
  finishReason: { unified: "stop", raw: "stop" },
  usage: nested,
};
const ADD = { name: "add", description: "Adds", input: { type: "object" } };

function mock(parts: readonly LanguageModelV4StreamPart[]) {
  return new MockLanguageModelV4({
    provider: "mock.chat",
    modelId: "one",
    doStream: async () => ({ stream: convertArrayToReadableStream([...parts]) }),
  });
}

function text(...deltas: string[]): LanguageModelV4StreamPart[] {
  return [
    { type: "text-start", id: "1" },
    ...deltas.map((delta) => ({ type: "text-delta", id: "1", delta }) as const),
    { type: "text-end", id: "1" },
  ];
}

test("a model of version 4 answers piece by piece, and its id is that of provider and model", async () => {
  const model = fromAiSdkModel(mock([{ type: "stream-start", warnings: [] }, ...text("Good ", "morning"), FINISH]));
  expect(model).toMatchObject({ id: "mock:one", structured: true });
  const parts = await Array.fromAsync(model.stream(ask(), signal));
  expect(parts).toEqual([
    { type: "text", text: "Good " },
    { type: "text", text: "morning" },
    {
      type: "end",
      reason: "stop",
      usage: { input: 10, output: 7, cached: 5, written: 1, reasoning: 3 },
    },
  ]);
});

test("what the provider signs comes with the last piece of its part", async () => {
  const signed = (value: string) => ({ mock: { signature: value } });
  const parts = await Array.fromAsync(
    fromAiSdkModel(
      mock([
        { type: "reasoning-start", id: "r", providerMetadata: signed("start") },
        { type: "reasoning-delta", id: "r", delta: "Hm" },
        { type: "reasoning-delta", id: "r", delta: "", providerMetadata: signed("delta") },
        { type: "reasoning-end", id: "r" },
        { type: "reasoning-start", id: "s" },
        { type: "reasoning-end", id: "s", providerMetadata: signed("end") },
        { type: "tool-call", toolCallId: "c", toolName: "add", input: "", providerMetadata: signed("call") },
        FINISH,
      ]),
    ).stream(ask(), signal),
  );
  expect(parts.slice(0, -1)).toEqual([
    { type: "reasoning", text: "Hm" },
    { type: "reasoning", text: "", meta: signed("delta") },
    { type: "reasoning", text: "", meta: signed("end") },
    { type: "call", id: "c", tool: "add", input: {}, meta: signed("call") },
  ]);
});

test("what a provider runs itself, its sources and its files are not ours", async () => {
  const parts = await collect(
    fromAiSdkModel(
      mock([
        { type: "tool-call", toolCallId: "c", toolName: "web_search", input: "{}", providerExecuted: true },
        { type: "tool-result", toolCallId: "c", toolName: "web_search", result: "found" },
        { type: "source", sourceType: "url", id: "1", url: "https://example.com" },
        { type: "raw", rawValue: {} },
        FINISH,
      ]),
    ),
  );
  expect(parts.map(({ type }) => type)).toEqual(["end"]);
});

test("a stream that ends without an end, or only says that it was interrupted, was cut off", async () => {
  const finish = (unified: "interrupted" | "other", raw?: string): LanguageModelV4StreamPart => ({
    ...FINISH,
    finishReason: { unified, raw },
  });
  for (const parts of [text("Good"), [...text("Good"), finish("interrupted")], [...text("Good"), finish("other")]])
    expect(await failureOf(collect(fromAiSdkModel(mock(parts))))).toEqual({
      code: "unavailable",
      retryable: true,
      message: "The answer of mock:one was cut off",
    });
  expect((await collect(fromAiSdkModel(mock([finish("other", "paused")])))).at(-1)).toMatchObject({ reason: "other" });
});

test("an error in the stream is thrown, and one that is ours stays as it is", async () => {
  const failing = (error: unknown) => failureOf(collect(fromAiSdkModel(mock([{ type: "error", error }, FINISH]))));
  expect(await failing("overloaded")).toMatchObject({ code: "unavailable", retryable: true });
  expect(await failing({ message: "no", statusCode: 400 })).toMatchObject({ code: "invalid_input" });
  expect(await failing(new PegboardError("budget_limit", "spent"))).toMatchObject({ code: "budget_limit" });
});

test("what the package refuses to send is the fault of the request, and of a key that of the settings", async () => {
  const refusing = (name: string) =>
    failureOf(
      collect(
        fromAiSdkModel(
          new MockLanguageModelV4({ doStream: () => Promise.reject(Object.assign(new Error("no"), { name })) }),
        ),
      ),
    );
  expect(await refusing("AI_UnsupportedFunctionalityError")).toMatchObject({ code: "invalid_input", retryable: false });
  expect(await refusing("AI_LoadAPIKeyError")).toMatchObject({ code: "invalid_config", retryable: false });
});

test("a model that does not heed the signal is not waited for", async () => {
  const model = fromAiSdkModel(new MockLanguageModelV4({ doStream: async () => ({ stream: new ReadableStream() }) }));
  const stop = new AbortController();
  setTimeout(() => stop.abort(), 10);
  expect(await failureOf(collect(model, ask(), stop.signal))).toMatchObject({ code: "cancelled" });
  expect(await failureOf(collect(model, ask(), AbortSignal.abort()))).toMatchObject({ code: "cancelled" });
  const reason = new PegboardError("timeout", "too late", { retryable: true });
  expect(await failureOf(collect(model, ask(), AbortSignal.abort(reason)))).toMatchObject({ code: "timeout" });
});

test("a turn that nobody reads to its end lets go of the stream", async () => {
  let cancelled = false;
  const stream = new ReadableStream<LanguageModelV4StreamPart>({
    start: (controller) => text("Good ", "morning").forEach((part) => controller.enqueue(part)),
    cancel: () => void (cancelled = true),
  });
  const model = fromAiSdkModel(new MockLanguageModelV4({ doStream: async () => ({ stream }) }));
  for await (const _ of model.stream(ask(), signal)) break;
  expect(cancelled).toBe(true);
});

test("tools and messages are written once, however often they are sent", async () => {
  const sent = mock([FINISH]);
  const model = fromAiSdkModel(sent);
  const request = ask({ tools: [ADD], temperature: 0.3, reasoningEffort: "high", output: { type: "object" } });
  const more: Message = { role: "assistant", content: [{ type: "text", text: "Hi" }] };
  await collect(model, request);
  await collect(model, { ...request, messages: [...request.messages, more] });
  const [first, second] = sent.doStreamCalls;
  expect(first).toMatchObject({
    prompt: [
      { role: "system", content: "You are brief." },
      { role: "user", content: [{ type: "text", text: "Hello" }] },
    ],
    tools: [{ type: "function", name: "add", description: "Adds", inputSchema: ADD.input }],
    toolChoice: { type: "auto" },
    temperature: 0.3,
    reasoning: "high",
    responseFormat: { type: "json", schema: { type: "object" } },
  });
  expect(second!.tools).toBe(first!.tools);
  expect(second!.prompt[1]).toBe(first!.prompt[1]);
  expect(second!.prompt).toHaveLength(3);
});

test("a request of nothing but a prompt says nothing else", async () => {
  const sent = mock([FINISH]);
  await collect(fromAiSdkModel(sent, { structured: false }), ask({ system: "", output: { type: "object" } }));
  expect(Object.keys(sent.doStreamCalls[0]!).sort()).toEqual(["abortSignal", "prompt"]);
  expect(sent.doStreamCalls[0]!.prompt).toHaveLength(1);
});

const FILES: Message[] = [
  { role: "user", content: [{ type: "file", mimeType: "application/pdf", data: "JVBERg==", name: "a.pdf" }] },
  {
    role: "assistant",
    content: [
      { type: "text", text: "\n\n" },
      { type: "call", id: "c", tool: "draw", input: null },
    ],
  },
  {
    role: "tool",
    results: [
      {
        call: "c",
        tool: "draw",
        ok: true,
        content: [
          { type: "resource_link", uri: "file:///a.png", name: "a.png" },
          { type: "image", data: "iVBORw==", mimeType: "image/png" },
          { type: "resource", resource: { uri: "b", blob: "JVBERg==", mimeType: "application/pdf" } },
          { type: "resource", resource: { uri: "c", text: "words" } },
        ],
      },
    ],
  },
];

test("files are written as each version of the specification has them", async () => {
  const newer = mock([FINISH]);
  await collect(fromAiSdkModel(newer), ask({ messages: FILES, system: "" }));
  const words = { type: "text", text: "words" };
  const link = { type: "text", text: "a.png: file:///a.png" };
  const data = (value: string) => ({ type: "data", data: value });
  expect(newer.doStreamCalls[0]!.prompt).toEqual([
    {
      role: "user",
      content: [{ type: "file", mediaType: "application/pdf", data: data("JVBERg=="), filename: "a.pdf" }],
    },
    {
      role: "assistant",
      content: [{ type: "tool-call", toolCallId: "c", toolName: "draw", input: { unreadable_arguments: null } }],
    },
    {
      role: "tool",
      content: [
        {
          type: "tool-result",
          toolCallId: "c",
          toolName: "draw",
          output: {
            type: "content",
            value: [
              link,
              { type: "file", mediaType: "image/png", data: data("iVBORw==") },
              { type: "file", mediaType: "application/pdf", data: data("JVBERg==") },
              words,
            ],
          },
        },
      ],
    },
  ]);

  const older = new MockLanguageModelV3({
    doStream: async () => ({ stream: convertArrayToReadableStream([FINISH as LanguageModelV3StreamPart]) }),
  });
  expect((await collect(fromAiSdkModel(older), ask({ messages: FILES }))).at(-1)).toMatchObject({
    reason: "stop",
    usage: { input: 10, output: 7 },
  });
  const [, user, , tool] = older.doStreamCalls[0]!.prompt as any[];
  expect(user.content[0]).toMatchObject({ data: "JVBERg==" });
  expect(tool.content[0].output.value).toEqual([
    link,
    { type: "image-data", mediaType: "image/png", data: "iVBORw==" },
    { type: "file-data", mediaType: "application/pdf", data: "JVBERg==" },
    words,
  ]);
});

test("a model of version 2 works, with its flat counts and its one word for the end", async () => {
  const calls: any[] = [];
  const oldest = {
    specificationVersion: "v2",
    provider: "old",
    modelId: "two",
    supportedUrls: {},
    doGenerate: () => Promise.reject(new Error("not used")),
    async doStream(options: unknown) {
      calls.push(options);
      return {
        stream: convertArrayToReadableStream([
          { type: "tool-call", toolCallId: "c", toolName: "add", input: '{"a":1}' },
          {
            type: "finish",
            finishReason: "tool-calls",
            usage: { inputTokens: 3, outputTokens: 2, totalTokens: 5, cachedInputTokens: 1 },
          },
        ]),
      };
    },
  } as LanguageModelV2;
  const parts = await collect(fromAiSdkModel(oldest), ask({ messages: FILES, reasoningEffort: "low" }));
  expect(parts).toEqual([
    { type: "call", id: "c", tool: "add", input: { a: 1 } },
    { type: "end", reason: "calls", usage: { input: 3, output: 2, cached: 1 } },
  ]);
  expect(calls[0].prompt[3].content[0].output.value[1]).toMatchObject({ type: "media", data: "iVBORw==" });
  expect(calls[0]).not.toHaveProperty("reasoning");
});

test("anything else is refused, with what would be right", () => {
  for (const wrong of ["gpt-5", undefined, {}, { specificationVersion: "v1", doStream() {} }])
    expect(() => fromAiSdkModel(wrong as never)).toThrow(/no language model of the AI SDK/);
});
