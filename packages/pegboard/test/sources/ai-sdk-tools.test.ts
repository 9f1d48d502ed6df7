import { generateText, isStepCount, type ModelMessage, simulateReadableStream, streamText } from "ai";
import { MockLanguageModelV4 } from "ai/test";
import {
  createRuntime,
  defineTool,
  type PolicyOptions,
  type Result,
  type Session,
  type SessionOptions,
} from "pegboard";
import { toAiSdkTools } from "pegboard/ai-sdk";
import { describe, expect, it } from "vitest";

type Prompt = MockLanguageModelV4["doGenerateCalls"][number]["prompt"];

const ORDER = {
  type: "object",
  properties: { order: { type: "string", minLength: 1 }, express: { type: "boolean", default: false } },
  required: ["order"],
} as const;
const PIXEL = "iVBORw0KGgo=";

const USAGE = {
  inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 },
  outputTokens: { total: 1, text: 1, reasoning: 0 },
};
const LAST = {
  content: [{ type: "text", text: "done" }],
  finishReason: { unified: "stop", raw: undefined },
  usage: USAGE,
  warnings: [],
} satisfies Awaited<ReturnType<MockLanguageModelV4["doGenerate"]>>;

describe("the tools of a session in the AI SDK", () => {
  it("are listed with their own schemas, called by the model, and read by it", async () => {
    const { session } = open({ rules: [{ tool: "ship", approval: "preApproved" }] });
    const model = scripted({ ship: { order: "A7" } });
    const { text, toolResults } = await generate(model, session);
    const shown = model.doGenerateCalls[0]!.tools!.filter((tool) => tool.type === "function");
    expect(shown.find(({ name }) => name === "ship")).toMatchObject({
      description: "Ships an order",
      inputSchema: ORDER,
    });
    expect(toolResults).toMatchObject([{ output: { ok: true, structured: { shipped: "A7" } } }]);
    expect(text).toBe("done");
    expect(outputOf(model)).toEqual({ type: "text", value: '{"shipped":"A7","express":false}' });
    expect(await callsOf(session)).toEqual([["execute-start", "rule"]]);
  });

  it("are not there when policy blocks them as a whole", async () => {
    const { session } = open({ rules: [{ tool: "ship", approval: "blocked" }] });
    const { tools, toolApproval } = toAiSdkTools(session);
    expect([Object.keys(tools), Object.keys(toolApproval)]).toEqual([["draw"], ["draw"]]);
  });

  it("ask the user where policy asks, with what would happen and why, and run once under the answer", async () => {
    const { session, shipped } = open();
    const asking = scripted({ ship: { order: "A7" } });
    const first = await generate(asking, session);
    const request = first.content.find((part) => part.type === "tool-approval-request")!;
    expect(request).toMatchObject({ reason: expect.stringContaining("Ship order A7 (") });
    expect(shipped).toEqual([]);

    const answer = { type: "tool-approval-response", approvalId: request.approvalId, approved: true } as const;
    const messages: ModelMessage[] = [
      { role: "user", content: "go" },
      ...first.response.messages,
      { role: "tool", content: [answer] },
    ];
    const model = scripted();
    expect((await generate(model, session, messages)).text).toBe("done");
    expect(shipped).toEqual(["A7"]);
    expect(outputOf(model)).toMatchObject({ type: "text" });
    expect(await callsOf(session)).toEqual([["execute-start", "the user, asked by the AI SDK"]]);
  });

  it("run under the answer in a stream too", async () => {
    const { session, shipped } = open();
    const first = await generate(scripted({ ship: { order: "A7" } }), session);
    const { approvalId } = first.content.find((part) => part.type === "tool-approval-request")!;
    const messages: ModelMessage[] = [
      { role: "user", content: "go" },
      ...first.response.messages,
      { role: "tool", content: [{ type: "tool-approval-response", approvalId, approved: true }] },
    ];
    const { content, finishReason, usage } = LAST;
    const { text } = content[0]!;
    const model = new MockLanguageModelV4({
      doStream: {
        stream: simulateReadableStream({
          chunks: [
            { type: "stream-start", warnings: [] },
            { type: "text-start", id: "t" },
            { type: "text-delta", id: "t", delta: text },
            { type: "text-end", id: "t" },
            { type: "finish", finishReason, usage },
          ],
        }),
      },
    });
    expect(await streamText({ model, messages, ...toAiSdkTools(session) }).text).toBe(text);
    expect(shipped).toEqual(["A7"]);
  });

  it("do not run when the user says no, and the model is told", async () => {
    const { session, shipped } = open();
    const first = await generate(scripted({ ship: { order: "A7" } }), session);
    const { approvalId } = first.content.find((part) => part.type === "tool-approval-request")!;
    const answer = { type: "tool-approval-response", approvalId, approved: false, reason: "not today" } as const;
    const model = scripted();
    await generate(model, session, [
      { role: "user", content: "go" },
      ...first.response.messages,
      { role: "tool", content: [answer] },
    ]);
    expect(shipped).toEqual([]);
    expect(outputOf(model)).toEqual({ type: "execution-denied", reason: "not today" });
  });

  it("are refused by the session where the host runs them unasked", async () => {
    const { session, shipped } = open();
    const model = scripted({ ship: { order: "A7" } });
    const { tools } = toAiSdkTools(session);
    await generateText({ model, tools, toolApproval: { ship: "approved" }, prompt: "go", stopWhen: isStepCount(2) });
    expect(shipped).toEqual([]);
    expect(outputOf(model)).toMatchObject({ type: "error-text", value: expect.stringContaining("needs approval") });
  });

  it("do not take an answer to one call for an answer to another with the same id", async () => {
    const { session, shipped } = open();
    const { tools } = toAiSdkTools(session);
    const allowed = (order: string, toolName = "ship"): ModelMessage[] => [
      { role: "user", content: "go" },
      {
        role: "assistant",
        content: [
          { type: "tool-call", toolCallId: "1", toolName, input: { order } },
          { type: "tool-approval-request", approvalId: "a", toolCallId: "1" },
        ],
      },
      { role: "tool", content: [{ type: "tool-approval-response", approvalId: "a", approved: true }] },
    ];
    const later: ModelMessage[] = [...allowed("A7"), { role: "user", content: "again" }];
    for (const messages of [allowed("B8"), allowed("A7", "draw"), later, []]) {
      const { error } = (await tools["ship"]!.execute!(
        { order: "A7" },
        { toolCallId: "1", messages, context: {} },
      )) as Result;
      expect(error?.code).toBe("denied");
    }
    expect(shipped).toEqual([]);
    const options = { toolCallId: "1", messages: allowed("A7"), context: {} };
    expect(await tools["ship"]!.execute!({ order: "A7" }, options)).toMatchObject({ ok: true });
    expect(shipped).toEqual(["A7"]);
  });

  it("ask nobody about what an earlier answer covers, the mode allows, or the session refuses anyway", async () => {
    const remembering = open({}, { approver: () => ({ decision: "allow", remember: "input" }) });
    const statusOf = async (session: Session, input: object) =>
      (await toAiSdkTools(session).toolApproval["ship"]!(input as never)).type;
    expect(await statusOf(remembering.session, { order: "A7" })).toBe("user-approval");
    await remembering.session.call("ship", { order: "A7" });
    expect(await statusOf(remembering.session, { order: "A7" })).toBe("not-applicable");
    expect(await statusOf(remembering.session, { order: "B8" })).toBe("user-approval");
    expect(await statusOf(open({}, { approve: "all" }).session, { order: "A7" })).toBe("not-applicable");
    expect(await statusOf(open().session, { order: "" })).toBe("not-applicable");
    const blocking: PolicyOptions = { rules: [{ tool: "ship", input: { "/order": "A7" }, approval: "blocked" }] };
    expect(await statusOf(open(blocking).session, { order: "A7" })).toBe("not-applicable");
  });

  it("give the model pictures as files and failures as errors", async () => {
    const { session } = open();
    const picture = scripted({ draw: {} });
    await generate(picture, session);
    expect(outputOf(picture)).toEqual({
      type: "content",
      value: [
        { type: "text", text: "a dot" },
        { type: "file", mediaType: "image/png", data: { type: "data", data: PIXEL } },
      ],
    });
    const wrong = scripted({ ship: {} });
    await generate(wrong, session);
    expect(outputOf(wrong)).toMatchObject({ type: "error-text", value: expect.stringContaining(`missing "order"`) });
  });

  it("are cancelled when the host aborts", async () => {
    const started = Promise.withResolvers<AbortSignal>();
    const runtime = createRuntime({
      builtins: false,
      tools: [
        defineTool({
          name: "wait",
          description: "Waits",
          input: { type: "object" },
          approval: "preApproved",
          async execute(_, { signal }) {
            started.resolve(signal);
            await new Promise((resolve) => signal.addEventListener("abort", resolve));
          },
        }),
      ],
    });
    const host = new AbortController();
    const { tools } = toAiSdkTools(runtime.open());
    const { signal: abortSignal } = host;
    const result = tools["wait"]!.execute!(
      {},
      { toolCallId: "1", messages: [], context: {}, abortSignal },
    ) as Promise<Result>;
    const seen = await started.promise;
    host.abort();
    expect((await result).error?.code).toBe("cancelled");
    expect(seen.aborted).toBe(true);
  });

  it("are those of the moment: one that comes later is in the next list, one that went is not found", async () => {
    const { session } = open();
    const { tools } = toAiSdkTools(session);
    const late = session.tools.register({
      name: "late",
      description: "Late",
      input: { type: "object" },
      execute: () => "",
    });
    expect(Object.keys(tools)).not.toContain("late");
    const next = toAiSdkTools(session).tools;
    expect(Object.keys(next)).toContain("late");
    late[Symbol.dispose]();
    const { error } = (await next["late"]!.execute!({}, { toolCallId: "1", messages: [], context: {} })) as Result;
    expect(error?.code).toBe("not_found");
  });
});

function open(policy: PolicyOptions = {}, options: SessionOptions = {}) {
  const shipped: string[] = [];
  const ship = defineTool({
    name: "ship",
    description: "Ships an order",
    input: ORDER,
    approval: "ask",
    summary: ({ order }) => `Ship order ${order}`,
    execute({ order, express }) {
      shipped.push(order);
      return { shipped: order, express };
    },
  });
  const draw = defineTool({
    name: "draw",
    description: "Draws a dot",
    input: { type: "object" },
    approval: "preApproved",
    execute: () => ({
      content: [
        { type: "text", text: "a dot" },
        { type: "image", data: PIXEL, mimeType: "image/png" },
      ],
    }),
  });
  const rules: PolicyOptions["rules"] = [{ tool: "draw", approval: "preApproved" }, ...(policy.rules ?? [])];
  return { session: createRuntime({ builtins: false, tools: [ship, draw], policy: { rules } }).open(options), shipped };
}

function generate(
  model: MockLanguageModelV4,
  session: Session,
  messages: ModelMessage[] = [{ role: "user", content: "go" }],
) {
  return generateText({ model, messages, stopWhen: isStepCount(3), ...toAiSdkTools(session) });
}

/** A model that makes the calls, one a step, and then is done. */
function scripted(calls: Record<string, object> = {}): MockLanguageModelV4 {
  const steps = Object.entries(calls).map(([toolName, input], index) => ({
    content: [{ type: "tool-call" as const, toolCallId: String(index), toolName, input: JSON.stringify(input) }],
    finishReason: { unified: "tool-calls" as const, raw: undefined },
    usage: USAGE,
    warnings: [],
  }));
  return new MockLanguageModelV4({ doGenerate: async () => steps.shift() ?? LAST });
}

/** What the model was given last as the result of a call. */
function outputOf({ doGenerateCalls }: MockLanguageModelV4): unknown {
  const results = (doGenerateCalls.at(-1)!.prompt as Prompt).flatMap((message) =>
    message.role === "tool" ? message.content.flatMap((part) => (part.type === "tool-result" ? part.output : [])) : [],
  );
  return results.at(-1);
}

/** What the log says of calls that ran, and through whom. */
async function callsOf(session: Session): Promise<unknown[]> {
  await session.close();
  const found: unknown[] = [];
  for await (const event of session.events())
    if (event.type === "execute-start") found.push([event.type, event.data.by]);
  return found;
}
