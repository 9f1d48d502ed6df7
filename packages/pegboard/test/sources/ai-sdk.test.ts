import type { JsonSchema, Tool, ToolContext } from "@pegboard/contract";
import { dynamicTool, jsonSchema, tool } from "ai";
import { type } from "arktype";
import { describe, expect, expectTypeOf, it } from "vitest";
import { z } from "zod";
import { z as z3 } from "zod/v3";
import { toResult } from "../../src/core/result.ts";
import { compileSchema } from "../../src/core/schema.ts";
import { type AiSdkTool, fromAiSdk, fromAiSdkTool, isAiSdkTool } from "../../src/sources/ai-sdk.ts";

const add = tool({
  description: "Adds two numbers",
  inputSchema: z.object({ a: z.number(), b: z.number() }),
  execute: ({ a, b }) => a + b,
});

const anything = jsonSchema({ type: "object" });

describe("a toolset becomes tools", () => {
  it("named by its keys, in order, with the same description, schema and result", async () => {
    const shout = dynamicTool({
      description: "Shouts",
      inputSchema: jsonSchema({ type: "object", properties: { text: { type: "string" } }, required: ["text"] }),
      execute: async (input) => (input as { text: string }).text.toUpperCase(),
    });
    const { tools, skipped } = await fromAiSdk({ add, shout });
    expect(skipped).toEqual([]);
    expect(tools.map(({ name, description }) => [name, description])).toEqual([
      ["add", "Adds two numbers"],
      ["shout", "Shouts"],
    ]);
    expect(tools[1]?.input).toEqual({ type: "object", properties: { text: { type: "string" } }, required: ["text"] });
    expect(await run(tools[0]!, { a: 2, b: 3 })).toBe(5);
    expect(await run(tools[1]!, { text: "hey" })).toBe("HEY");
  });

  it("carries the JSON Schema unchanged, also one that comes late", async () => {
    const schema = { type: "object", properties: { x: { $ref: "#/$defs/x" } }, $defs: { x: { "x-own": 1 } } } as const;
    const plain = await fromAiSdkTool("plain", { inputSchema: jsonSchema(schema), execute: () => 1 });
    const late = await fromAiSdkTool("late", { inputSchema: jsonSchema(async () => schema), execute: () => 1 });
    const lazy = await fromAiSdkTool("lazy", { inputSchema: () => jsonSchema(schema), execute: () => 1 });
    const bare = await fromAiSdkTool("bare", { parameters: schema, execute: () => 1 });
    expect(plain.input).toBe(schema);
    expect(bare.input).toBe(schema);
    expect(late.input).toBe(schema);
    expect(lazy.input).toBe(schema);
  });

  it("accepts the tool types of the installed AI SDK", () => {
    expectTypeOf(add).toExtend<AiSdkTool>();
    expectTypeOf(dynamicTool).returns.toExtend<AiSdkTool>();
  });

  it("takes the title for a missing description, else the name in words", async () => {
    const execute = () => 1;
    const describe = async (name: string, more: object) =>
      (await fromAiSdkTool(name, { inputSchema: anything, execute, ...more })).description;
    expect(await describe("x", { title: "Find things", description: " " })).toBe("Find things");
    expect(await describe("getWeather", {})).toBe("get weather");
    expect(await describe("web_search-now", {})).toBe("web search now");
    expect(await describe("x", { description: () => "Made on demand" })).toBe("Made on demand");
  });
});

describe("what cannot be run here is skipped", () => {
  it("with a reason, and the others stay", async () => {
    const throwing = {
      get inputSchema(): unknown {
        throw new Error("no network");
      },
    };
    const { tools, skipped } = await fromAiSdk({
      search: { type: "provider", id: "google.search", args: {}, inputSchema: anything },
      oldSearch: { type: "provider-defined", id: "openai.search", args: {}, execute: () => 1 },
      client: tool({ inputSchema: anything, outputSchema: anything }),
      bare: { execute: () => 1 },
      notSchema: { inputSchema: { text: "string" }, execute: () => 1 },
      unrepresentable: tool({ inputSchema: z.object({ at: z.date() }), execute: () => 1 }),
      contextual: tool({ inputSchema: anything, contextSchema: z.object({ key: z.string() }), execute: () => 1 }),
      nothing: null,
      throwing,
      "two words": add,
      a__b: add,
      ["x".repeat(65)]: add,
      add,
    });
    expect(tools.map(({ name }) => name)).toEqual(["add"]);
    const reasons = Object.fromEntries(skipped.map(({ name, reason }) => [name, reason]));
    expect(reasons["search"]).toContain("provider");
    expect(reasons["oldSearch"]).toContain("provider");
    expect(reasons["client"]).toContain("no execute");
    expect(reasons["bare"]).toContain("inputSchema");
    expect(reasons["notSchema"]).toContain("Zod, a Standard Schema or JSON Schema");
    expect(reasons["unrepresentable"]).toContain("Date");
    expect(reasons["contextual"]).toContain("contextSchema");
    expect(reasons["nothing"]).toContain("not an AI SDK tool");
    expect(reasons["throwing"]).toContain("no network");
    expect(reasons["two words"]).toContain("[A-Za-z][A-Za-z0-9_-]*");
    expect(reasons["a__b"]).toContain("__");
    expect(reasons["x".repeat(65)]).toContain("64");
  });

  it("tells a tool from what is none", () => {
    expect(isAiSdkTool(add)).toBe(true);
    expect(isAiSdkTool({ parameters: z3.object({}), execute: () => 1 })).toBe(true);
    expect([null, undefined, "add", () => 1, {}, { add }, { input: {} }].map(isAiSdkTool)).not.toContain(true);
  });
});

describe("the tool's own schema", () => {
  const days = (text: string) => Number(text) <= 9;
  const zod4 = z.object({
    days: z.string().refine(days, "at most 9").transform(Number),
    unit: z.string().default("C"),
  });
  const zod3 = () =>
    z3.object({ days: z3.string().refine(days, "at most 9").transform(Number), unit: z3.string().default("C") });
  const schemas: [string, unknown][] = [
    ["zod 4", zod4],
    ["zod 3", zod3()],
    ["zod before 3.24", withoutStandard(zod3())],
  ];

  it.each(schemas)("of %s parses: the tool gets transformed values and defaults", async (_, inputSchema) => {
    const forecast = await fromAiSdkTool("forecast", { inputSchema, execute: (input: unknown) => input });
    expect(jsonOf(forecast)).toMatchObject({ type: "object", properties: { days: { type: "string" } } });
    expect(await run(forecast, { days: "7" })).toEqual({ days: 7, unit: "C" });
  });

  it.each(schemas)(
    "of %s refuses with invalid_input and the fields, and the tool does not run",
    async (_, inputSchema) => {
      let runs = 0;
      const forecast = await fromAiSdkTool("forecast", { inputSchema, execute: () => ++runs });
      const result = toResult(await run(forecast, { days: "70" }));
      expect(result).toMatchObject({ ok: false, error: { code: "invalid_input", details: [{ path: "/days" }] } });
      expect(result.error?.message).toMatch(/^The input of "forecast" is not valid:\n\/days: at most 9$/);
      expect(runs).toBe(0);
    },
  );

  it("of another library that implements Standard Schema works the same", async () => {
    const inputSchema = type({ days: "number <= 9" });
    const forecast = await fromAiSdkTool("forecast", { inputSchema, execute: (input: unknown) => input });
    expect(jsonOf(forecast)).toMatchObject({ type: "object", required: ["days"] });
    expect(await run(forecast, { days: 3 })).toEqual({ days: 3 });
    expect(toResult(await run(forecast, { days: 70 }))).toMatchObject({
      error: { code: "invalid_input", details: [{ path: "/days" }] },
    });
  });

  it("as plain JSON Schema adds nothing, with a validate function it decides", async () => {
    const validate = () => ({ success: false as const, error: new Error("not on Sundays") });
    const free = await fromAiSdkTool("free", { inputSchema: anything, execute: (input: unknown) => input });
    const strict = await fromAiSdkTool("strict", {
      inputSchema: jsonSchema({ type: "object" }, { validate }),
      execute: () => 1,
    });
    expect(await run(free, { x: 1 })).toEqual({ x: 1 });
    expect(toResult(await run(strict, {})).error).toMatchObject({
      code: "invalid_input",
      message: expect.stringContaining("not on Sundays"),
    });
  });
});

describe("a call", () => {
  it("runs the function once, as a method of its tool, with the options of every version", async () => {
    const seen: unknown[] = [];
    const counter = {
      parameters: z3.object({}),
      step: 2,
      execute(this: { step: number }, input: unknown, options: unknown) {
        seen.push([input, options]);
        return this.step;
      },
    };
    const context = makeContext();
    expect(await (await fromAiSdkTool("count", counter)).execute({}, context)).toBe(2);
    const view = { session: context.session };
    expect(seen).toEqual([
      [
        {},
        { toolCallId: "call-1", messages: [], abortSignal: context.signal, context: view, experimental_context: view },
      ],
    ]);
  });

  it("gives a tool with a context schema the defaults of that schema", async () => {
    const contextual = tool({
      inputSchema: anything,
      contextSchema: z.object({ region: z.string().default("eu") }),
      execute: (_, { context }) => context,
    });
    expect(await run(await fromAiSdkTool("where", contextual), {})).toEqual({ region: "eu" });
  });

  it("passes on what the function throws", async () => {
    const broken = await fromAiSdkTool("broken", {
      inputSchema: anything,
      execute: () => Promise.reject(new Error("disk full")),
    });
    await expect(run(broken, {})).rejects.toThrow("disk full");
  });
});

describe("a streaming tool", () => {
  it("tells every value but the last as progress and results in the last", async () => {
    const context = makeContext();
    const stream = await fromAiSdkTool("stream", {
      inputSchema: anything,
      async *execute() {
        yield "looking";
        yield { found: 3 };
        yield "x".repeat(300);
        yield { big: 1n };
        yield { answer: 42 };
      },
    });
    expect(await stream.execute({}, context)).toEqual({ answer: 42 });
    expect(context.told).toEqual(["looking", '{"found":3}', `${"x".repeat(199)}…`, "…"]);
  });

  it("tells progress while it still works", async () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    const context = makeContext({ progress: () => resolve() });
    const stream = await fromAiSdkTool("stream", {
      inputSchema: anything,
      async *execute() {
        yield "waiting for somebody to notice";
        await promise;
        yield "noticed";
      },
    });
    expect(await stream.execute({}, context)).toBe("noticed");
  });

  it("is stopped at its next value when the call is cancelled, and cleans up", async () => {
    const controller = new AbortController();
    let cleaned = false;
    const stream = await fromAiSdkTool("stream", {
      inputSchema: anything,
      async *execute() {
        try {
          for (let turn = 0; ; turn++) yield turn;
        } finally {
          cleaned = true;
        }
      },
    });
    const context = makeContext({ signal: controller.signal, progress: () => controller.abort(new Error("enough")) });
    await expect(stream.execute({}, context)).rejects.toThrow("enough");
    expect(cleaned).toBe(true);
  });

  it("that yields nothing results in nothing, and one that fails fails", async () => {
    const none = await fromAiSdkTool("none", { inputSchema: anything, async *execute() {} });
    const fails = await fromAiSdkTool("fails", {
      inputSchema: anything,
      async *execute() {
        yield 1;
        throw new Error("line cut");
      },
    });
    expect(await run(none, {})).toBeUndefined();
    await expect(run(fails, {})).rejects.toThrow("line cut");
  });
});

describe("needsApproval", () => {
  const approvalOf = async (needsApproval: unknown, inputSchema: unknown = anything) =>
    (await fromAiSdkTool("x", { inputSchema, execute: () => 1, needsApproval } as AiSdkTool)).approval;

  it("that is true asks; that is false or absent says nothing", async () => {
    expect(await approvalOf(true)).toBe("ask");
    expect(await approvalOf("sometimes")).toBe("ask");
    const { tools } = await fromAiSdk({ no: { ...add, needsApproval: false }, add });
    expect(tools.map((each) => "approval" in each)).toEqual([false, false]);
  });

  it("that is a function gets the parsed input and decides for each call", async () => {
    const schema = z.object({ path: z.string().transform((path) => path.toLowerCase()) });
    const approval = await approvalOf((input: { path: string }) => input.path.startsWith("/etc"), schema);
    expect(await decide(approval, { path: "/ETC/passwd" })).toBe(true);
    expect(await decide(approval, { path: "/tmp" })).toBe(false);
    expect(await decide(approval, { path: 7 })).toBe("ask");
  });

  it("that is a function gets the options of version 6 and 7", async () => {
    const approval = await approvalOf(
      (_: unknown, options: { messages: unknown[]; context: object; experimental_context: object }) => {
        return options.messages.length === 0 && "context" in options && "experimental_context" in options;
      },
    );
    expect(await decide(approval, {})).toBe(true);
  });

  it("that answers with anything but a boolean asks, and that throws throws", async () => {
    expect(await decide(await approvalOf(() => undefined), {})).toBe("ask");
    expect(await decide(await approvalOf(() => "preApproved"), {})).toBe("ask");
    expect(await decide(await approvalOf(() => "blocked"), {})).toBe("ask");
    await expect(decide(await approvalOf(() => Promise.reject(new Error("no"))), {})).rejects.toThrow("no");
  });
});

describe("a conversion for the model", () => {
  const raw = { rows: [1, 2], secretNote: "for programs" };
  const resultOf = async (conversion: Partial<AiSdkTool>, output: unknown = raw) =>
    toResult(
      await run(await fromAiSdkTool("x", { inputSchema: anything, execute: () => output, ...conversion }), { q: 1 }),
    );
  const texts = ({ content }: { content: readonly object[] }) =>
    content.map((block) => ("text" in block ? block.text : block));

  it("decides what the model reads while programs get the raw output", async () => {
    const text = await resultOf({
      toModelOutput: ({ output }) => ({ type: "text", value: `${output.rows.length} rows` }),
    });
    expect(text).toEqual({ ok: true, content: [{ type: "text", text: "2 rows" }], structured: raw, meta: {} });
    const json = await resultOf({
      toModelOutput: async ({ input, toolCallId }) => ({ type: "json", value: { input, toolCallId } }),
    });
    expect(texts(json)).toEqual(['{"input":{"q":1},"toolCallId":"call-1"}']);
    expect(json.structured).toEqual(raw);
  });

  it("written for version 5 gets the output itself", async () => {
    const variants: ((output: any) => unknown)[] = [
      (output) => ({ type: "json", value: output }),
      (output) => ({ type: "json", value: { ...output } }),
      (output) => ({ type: "text", value: JSON.stringify(output) }),
      ({ rows, secretNote }) => ({ type: "json", value: { rows, secretNote } }),
      (output) => ("rows" in output ? { type: "json", value: output } : { type: "text", value: "no rows" }),
    ];
    for (const toModelOutput of variants)
      expect(texts(await resultOf({ toModelOutput }))).toEqual([JSON.stringify(raw)]);
    const ofText = (output: unknown) => ({
      type: "text",
      value: typeof output === "string" ? output : `not a text: ${String(output)}`,
    });
    expect(texts(await resultOf({ toModelOutput: ofText }, "hello"))).toEqual(["hello"]);
    const own = (result: { output: string }) => ({ type: "text", value: result.output });
    expect(texts(await resultOf({ toModelOutput: own }, { output: "of a command" }))).toEqual(["of a command"]);
  });

  it("written for version 6 may also read all of its options", async () => {
    const toModelOutput = ({ output, ...rest }: any) => ({
      type: "json",
      value: output && { rows: output.rows, ...rest },
    });
    expect(texts(await resultOf({ toModelOutput }))).toEqual(['{"rows":[1,2],"toolCallId":"call-1","input":{"q":1}}']);
  });

  it("can declare a failure or a denial", async () => {
    const failed = await resultOf({ toModelOutput: () => ({ type: "error-text", value: "quota used up" }) });
    expect(failed).toMatchObject({
      ok: false,
      error: { code: "tool_error", message: "quota used up" },
      structured: raw,
    });
    const json = await resultOf({ toModelOutput: () => ({ type: "error-json", value: { why: "quota" } }) });
    expect(json).toMatchObject({ ok: false, error: { code: "tool_error", message: '{"why":"quota"}' } });
    const denied = await resultOf({ toModelOutput: () => ({ type: "execution-denied", reason: "after hours" }) });
    expect(denied).toMatchObject({ ok: false, error: { code: "denied", message: "after hours" } });
    expect(await resultOf({ toModelOutput: () => ({ type: "execution-denied" }) })).toMatchObject({
      error: { code: "denied" },
    });
  });

  it("can make content of many parts, in the words of every version", async () => {
    const value = [
      { type: "text", text: "look" },
      { type: "media", data: "aGk=", mediaType: "image/png" },
      { type: "image-data", data: "aGk=", mediaType: "image/jpeg" },
      { type: "file-data", data: "aGk=", mediaType: "application/pdf", filename: "a b.pdf" },
      { type: "file-data", data: "aGk=", mediaType: "audio/wav" },
      { type: "image-url", url: "https://x.test/i.png" },
      { type: "file", mediaType: "image/png", data: { type: "data", data: new Uint8Array([104, 105]) } },
      {
        type: "file",
        mediaType: "text/csv",
        filename: "t.csv",
        data: { type: "url", url: new URL("https://x.test/t.csv") },
      },
      { type: "file", mediaType: "text/plain", data: { type: "text", text: "inline" } },
      { type: "file-id", fileId: "f1" },
    ];
    const { content, structured } = await resultOf({ toModelOutput: () => ({ type: "content", value }) });
    expect(structured).toEqual(raw);
    expect(content).toEqual([
      { type: "text", text: "look" },
      { type: "image", data: "aGk=", mimeType: "image/png" },
      { type: "image", data: "aGk=", mimeType: "image/jpeg" },
      { type: "resource", resource: { uri: "attachment:a%20b.pdf", mimeType: "application/pdf", blob: "aGk=" } },
      { type: "audio", data: "aGk=", mimeType: "audio/wav" },
      { type: "resource_link", uri: "https://x.test/i.png", name: "https://x.test/i.png" },
      { type: "image", data: "aGk=", mimeType: "image/png" },
      { type: "resource_link", uri: "https://x.test/t.csv", name: "t.csv", mimeType: "text/csv" },
      { type: "resource", resource: { uri: "data:", text: "inline", mimeType: "text/plain" } },
      { type: "text", text: '{"type":"file-id","fileId":"f1"}' },
    ]);
  });

  it("of version 4 makes text and images", async () => {
    const experimental_toToolResultContent = ({ rows }: typeof raw) => [
      { type: "text", text: `${rows.length} rows` },
      { type: "image", data: "aGk=", mimeType: "image/gif" },
      { type: "image", data: "aGk=" },
    ];
    expect((await resultOf({ experimental_toToolResultContent })).content).toEqual([
      { type: "text", text: "2 rows" },
      { type: "image", data: "aGk=", mimeType: "image/gif" },
      { type: "image", data: "aGk=", mimeType: "image/png" },
    ]);
  });

  it("that throws or makes no sense leaves the plain value", async () => {
    const useless: ((options: any) => unknown)[] = [
      () => Promise.reject(new Error("no view")),
      () => undefined,
      () => "text",
      () => ({ type: "text", value: 7 }),
      () => ({ type: "content", value: "none" }),
      () => ({ type: "hologram", value: 1 }),
      () => ({ type: "json", value: 1n }),
    ];
    for (const toModelOutput of useless) {
      expect(await resultOf({ toModelOutput })).toMatchObject({
        ok: true,
        structured: raw,
        content: [{ text: JSON.stringify(raw) }],
      });
    }
    const experimental_toToolResultContent = () => "none";
    expect(await resultOf({ experimental_toToolResultContent })).toMatchObject({ ok: true, structured: raw });
  });
});

interface TestContext extends ToolContext {
  readonly told: string[];
}

function makeContext(more: Partial<ToolContext> = {}): TestContext {
  const told: string[] = [];
  return {
    callId: "call-1",
    session: { id: "s", cwd: "/", env: {}, metadata: {} },
    signal: new AbortController().signal,
    progress: (message) => void told.push(message),
    call: () => Promise.reject(new Error("calls nothing")),
    told,
    ...more,
  };
}

async function run(each: Tool, input: unknown): Promise<unknown> {
  return each.execute(input, makeContext());
}

function jsonOf({ input }: Tool): JsonSchema {
  return compileSchema(input, { root: "object" }).json;
}

async function decide(approval: Tool["approval"], input: unknown): Promise<unknown> {
  return typeof approval === "function" ? approval(input) : approval;
}

/** A Zod 3 schema as versions before 3.24 made them, which had no `~standard` field. */
function withoutStandard(schema: z3.ZodTypeAny): unknown {
  delete (schema as { "~standard"?: unknown })["~standard"];
  return schema;
}
