import { afterEach, describe, expect, test, vi } from "vitest";
import { z } from "zod";
import {
  type AnyTool,
  createRuntime,
  defineTool,
  type Event,
  fail,
  type Hooks,
  type Json,
  type Runtime,
  type RuntimeOptions,
  type Session,
} from "../../src/index.ts";

const open: Runtime[] = [];
afterEach(async () => {
  for (const runtime of open.splice(0)) await runtime.close();
});

const any = { type: "object" } as const;

function hang(execute: (input: any, context: any) => unknown, more: object = {}): AnyTool {
  return defineTool({ name: "t", description: "d", input: any, approval: "preApproved", execute, ...more });
}

function start(tools: AnyTool[], options: RuntimeOptions = {}): { runtime: Runtime; session: Session } {
  const runtime = createRuntime({ tools, ...options });
  open.push(runtime);
  return { runtime, session: runtime.open() };
}

async function history(session: Session): Promise<Event[]> {
  const events: Event[] = [];
  await session.close();
  for await (const event of session.events()) events.push(event);
  return events;
}

describe("a call", () => {
  test("A0-05 to an unknown tool is an error result that names it, near names and what this caller can use; the session goes on", async () => {
    const { session } = start([
      hang(() => 1, { name: "greet" }),
      hang(() => 1, { name: "secret", requiredAgent: "boss" }),
    ]);
    const result = await session.call("gret");
    expect(result.error).toMatchObject({ code: "not_found", retryable: false });
    expect(result.error?.message).toMatch(
      /"gret".*Did you mean "greet"\? Available: agent, checkin, delegate, greet, read_result/,
    );
    expect(result.error?.message).not.toContain("secret");
    expect((await session.call("greet")).ok).toBe(true);
  });

  test.each(["", "Error: this is what the file says", "error"])(
    "A0-39 a tool that returns %j has succeeded",
    async (text) => {
      const result = await start([hang(() => text)]).session.call("t");
      expect(result).toEqual({ ok: true, content: [{ type: "text", text }], meta: {} });
    },
  );

  test("A4-05 input that does not match is refused with all its places, and the tool does not run", async () => {
    const execute = vi.fn();
    const input = {
      type: "object",
      properties: {
        sql: { type: "string" },
        limit: { type: "integer" },
        where: { type: "object", properties: { a: { type: "number" } } },
      },
      required: ["sql"],
      additionalProperties: false,
    };
    const { session } = start([hang(execute, { input })]);
    const result = await session.call("t", { limit: "many", where: { a: "x" }, extra: 1 });
    expect(result.error?.code).toBe("invalid_input");
    const places = ((result.error?.details ?? []) as { path: string; message: string }[]).map(({ path }) => path);
    expect(places).toEqual(expect.arrayContaining(["", "/limit", "/where/a"]));
    expect(result.error?.message).toMatch(/missing "sql"/);
    expect(result.error?.message).toMatch(/unknown key "extra"/);
    expect(execute).not.toHaveBeenCalled();
  });

  test("A4-05 unknown keys are refused or passed on as the schema says", async () => {
    const input = { type: "object", properties: { a: { type: "number", default: 7 } } };
    expect((await start([hang((given) => given, { input })]).session.call("t", { b: 1 })).structured).toEqual({
      a: 7,
      b: 1,
    });
  });

  test.each([
    ["with defaults", { type: "object", properties: { list: { type: "array" }, a: { type: "number", default: 7 } } }],
    ["without", { type: "object" }],
    ["of a library", z.looseObject({ list: z.array(z.number()) })],
  ])("the log keeps what was asked, whatever the tool does to its input: a schema %s", async (_, input) => {
    const spoil = (given: { list: number[]; b?: number }) => {
      given.list.push(2);
      given.b = 1;
      return "done";
    };
    const { session } = start([hang(spoil, { input })]);
    const asked = { list: [1] };
    expect((await session.call("t", asked)).ok).toBe(true);
    await session.close();
    const events = await Array.fromAsync(session.events());
    const started = events.find(({ type }) => type === "call-start");
    expect(started?.data).toEqual({ tool: "t", input: { list: [1] }, caller: "model" });
    expect(asked).toEqual({ list: [1] });
  });

  test.each<[string, () => unknown, object]>([
    ["a text", () => "hi", { content: [{ type: "text", text: "hi" }] }],
    [
      "an object, later",
      async () => ({ a: 1 }),
      { structured: { a: 1 }, content: [{ type: "text", text: '{"a":1}' }] },
    ],
    [
      "content blocks",
      () => ({ content: [{ type: "image", data: "aGk=", mimeType: "image/png" }] }),
      { content: [{ type: "image", data: "aGk=", mimeType: "image/png" }] },
    ],
    [
      "a whole result",
      () => ({ ok: true, content: [{ type: "text", text: "x" }], structured: [1], meta: { kind: "diff" } }),
      { structured: [1], meta: { kind: "diff" } },
    ],
    [
      "a result of MCP",
      () => ({ content: [], structuredContent: { n: 1 } }),
      { structured: { n: 1 }, content: [{ type: "text", text: '{"n":1}' }] },
    ],
    ["a number", () => 5, { structured: 5, content: [{ type: "text", text: "5" }] }],
    [
      "data with blocks of its own",
      () => ({ content: [{ type: "paragraph" }] }),
      { structured: { content: [{ type: "paragraph" }] } },
    ],
    ["data with a field named content", () => ({ content: ["a", "b"] }), { structured: { content: ["a", "b"] } }],
  ])("A4-06 %s that a tool returns is a result", async (_, execute, expected) => {
    expect(await start([hang(execute)]).session.call("t")).toMatchObject({ ok: true, ...expected });
  });

  test("A4-07 a throw is a failed result whose text the model reads, and the session lives on", async () => {
    const { session } = start([hang(({ bad }) => (bad ? Promise.reject(new Error("no such table: users")) : "fine"))]);
    const result = await session.call("t", { bad: true });
    expect(result).toMatchObject({ ok: false, error: { code: "tool_error", message: "no such table: users" } });
    expect(result.content).toEqual([{ type: "text", text: "no such table: users" }]);
    expect((await session.call("t", {})).ok).toBe(true);
  });

  test("A4-07 a failure that a tool declares keeps its code and details", async () => {
    const result = await start([
      hang(() => fail("unavailable", "the database is down", { retryable: true, details: { host: "db" } })),
    ]).session.call("t");
    expect(result.error).toEqual({
      code: "unavailable",
      message: "the database is down",
      retryable: true,
      details: { host: "db" },
    });
  });

  test("A4-08 a tool that takes too long is answered for, its signal fires, and its late value is dropped and logged", async () => {
    let aborted = false;
    let finish!: (value: string) => void;
    const { session } = start([
      hang(
        (_, { signal }) => {
          signal.addEventListener("abort", () => (aborted = true));
          return new Promise((resolve) => (finish = resolve));
        },
        { timeoutMs: 30 },
      ),
    ]);
    const result = await session.call("t");
    expect(result.error).toMatchObject({ code: "timeout", message: expect.stringContaining("0.03 seconds") });
    expect(aborted).toBe(true);
    finish("late");
    await new Promise((resolve) => setTimeout(resolve, 5));
    const events = await history(session);
    expect(events.map(({ type }) => type)).toEqual([
      "session-start",
      "call-start",
      "execute-start",
      "call-end",
      "execute-end",
      "session-end",
    ]);
    expect(events.at(-2)?.data).toMatchObject({ late: true, ok: true });
  });

  test("A4-10 two sessions that call one tool at once each get their own id, folder, environment and metadata", async () => {
    const { runtime } = start([
      hang(async (_, { session }) => (await new Promise((resolve) => setTimeout(resolve, 5)), session)),
    ]);
    const first = runtime.open({ id: "one", cwd: "/a", env: { K: "1" }, metadata: { user: "ann" } });
    const second = runtime.open({ id: "two", cwd: "/b", env: { K: "2" }, metadata: { user: "bob" } });
    const [a, b] = await Promise.all([first.call("t"), second.call("t")]);
    expect(a.structured).toEqual({ id: "one", cwd: "/a", env: { K: "1" }, metadata: { user: "ann" } });
    expect(b.structured).toEqual({ id: "two", cwd: "/b", env: { K: "2" }, metadata: { user: "bob" } });
  });

  test("A4-42 a tool calls another under the same policy and log, with its own call as parent", async () => {
    const outer = hang(
      async (_, context) => [
        (await context.call("inner", { n: 1 })).structured,
        (await context.call("forbidden", {})).error?.code,
      ],
      { name: "outer" },
    );
    const { session } = start(
      [outer, hang(({ n }) => n + 1, { name: "inner" }), hang(() => "ran", { name: "forbidden" })],
      { policy: { rules: [{ tool: "forbidden", approval: "blocked" }] } },
    );
    expect((await session.call("outer")).structured).toEqual([2, "blocked"]);
    const events = await history(session);
    const [outerStart, innerStart] = events.filter(({ type }) => type === "call-start");
    expect(innerStart?.parent).toBe(outerStart?.call);
    expect(innerStart?.data).toMatchObject({ tool: "inner", caller: "tool" });
  });

  test("A4-42 calls that nest too deep end with the depth and the limit", async () => {
    const { session } = start([hang((_, context) => context.call("t", {}))], { limits: { depth: 2 } });
    expect((await session.call("t")).error).toMatchObject({
      code: "depth_limit",
      message: expect.stringContaining("nested 3 deep; the limit is 2"),
    });
  });

  test("a session that runs too many calls at once answers busy and takes calls again later", async () => {
    const finish: (() => void)[] = [];
    const { session } = start([hang(() => new Promise<void>((resolve) => finish.push(resolve)))], {
      limits: { calls: 2 },
    });
    const running = [session.call("t"), session.call("t")];
    await vi.waitFor(() => expect(finish).toHaveLength(2));
    expect((await session.call("t")).error).toMatchObject({ code: "busy", retryable: true });
    for (const done of finish) done();
    await Promise.all(running);
    const again = session.call("t");
    await vi.waitFor(() => expect(finish).toHaveLength(3));
    finish[2]!();
    expect((await again).ok).toBe(true);
  });

  test("a call is cancelled by its signal, by its id, and with the session, and the tool sees it", async () => {
    const seen: string[] = [];
    const { session } = start([
      hang((_, { signal, callId }) => new Promise(() => signal.addEventListener("abort", () => seen.push(callId)))),
    ]);
    const controller = new AbortController();
    const calls = [
      session.call("t", {}, { id: "a", signal: controller.signal }),
      session.call("t", {}, { id: "b" }),
      session.call("t", {}, { id: "c" }),
    ];
    await new Promise((resolve) => setTimeout(resolve, 5));
    controller.abort();
    expect(session.cancel("b")).toBe(1);
    expect(session.cancel("nosuch")).toBe(0);
    await session.close();
    for (const call of calls) expect((await call).error?.code).toBe("cancelled");
    expect(seen.sort()).toEqual(["a", "b", "c"]);
    expect((await session.call("t")).error).toMatchObject({ code: "unavailable" });
  });

  test("a result that does not match the output schema is invalid_output", async () => {
    const output = { type: "object", properties: { n: { type: "number" } }, required: ["n"] };
    expect((await start([hang(() => ({ n: "x" }), { output })]).session.call("t")).error).toMatchObject({
      code: "invalid_output",
      message: expect.stringContaining("/n"),
    });
    expect((await start([hang(() => ({ n: 1 }), { output })]).session.call("t")).structured).toEqual({ n: 1 });
  });

  test.each<[string, () => unknown, unknown]>([
    ["nothing", () => undefined, undefined],
    [
      "a cycle",
      () => {
        const o: Record<string, unknown> = { a: 1 };
        o["self"] = o;
        return o;
      },
      { a: 1, self: "[circular]" },
    ],
    ["a big integer", () => ({ n: 10n ** 20n }), { n: "100000000000000000000" }],
    ["a date", () => ({ at: new Date(0) }), { at: "1970-01-01T00:00:00.000Z" }],
    ["bytes inside", () => ({ data: Buffer.from([1, 2]) }), { data: "data:application/octet-stream;base64,AQI=" }],
    ["a map and a set", () => ({ m: new Map([["k", 1]]), s: new Set([1, 2]) }), { m: { k: 1 }, s: [1, 2] }],
    ["numbers that JSON has not", () => [NaN, Infinity], [null, null]],
  ])("A1-33 %s reaches caller and log in one stable form", async (_, execute, structured) => {
    const { session } = start([hang(execute)]);
    const result = await session.call("t");
    expect(result.ok).toBe(true);
    expect(result.structured).toEqual(structured);
    expect((await history(session)).find(({ type }) => type === "call-end")?.data).toMatchObject({
      ok: true,
      result: JSON.parse(JSON.stringify(result)) as Json,
    });
  });

  test("A1-33 bytes are a typed block, never text", async () => {
    const { content } = await start([hang(() => Buffer.from([0, 255, 254]))]).session.call("t");
    expect(content).toEqual([
      { type: "resource", resource: { uri: "data:", mimeType: "application/octet-stream", blob: "AP/+" } },
    ]);
  });

  test.each(["text", "json", "diff", "file_content", "file_list", "acme.chart"])(
    "A1-40 a result of the kind %s keeps it",
    async (kind) => {
      const result = await start([
        hang(() => ({ content: [{ type: "text", text: "x" }], structured: { rows: [1] }, meta: { kind } })),
      ]).session.call("t");
      expect(result).toMatchObject({ meta: { kind }, structured: { rows: [1] } });
    },
  );
});

describe("hooks", () => {
  const run = async (hooks: Hooks[], input: Json = { n: 1 }, more: object = {}) => {
    const { session } = start(
      [
        hang((given) => given, {
          input: { type: "object", properties: { n: { type: "number" } }, required: ["n"] },
          ...more,
        }),
      ],
      { hooks },
    );
    return { result: await session.call("t", input), session };
  };

  test("a gate can deny, and the reason reaches the model", async () => {
    const { result } = await run([{ beforeCall: () => ({ action: "deny", reason: "not today" }) }]);
    expect(result.error).toMatchObject({ code: "denied", message: expect.stringContaining("not today") });
  });

  test("a gate that throws, or answers nonsense, denies; one that says nothing lets pass", async () => {
    expect(
      (
        await run([
          {
            beforeCall: () => {
              throw new Error("broken");
            },
          },
        ])
      ).result.error,
    ).toMatchObject({ code: "denied", message: expect.stringContaining("broken") });
    expect((await run([{ beforeCall: () => ({ action: "maybe" }) as never }])).result.error?.code).toBe("denied");
    expect((await run([{ beforeCall: () => {} }])).result.structured).toEqual({ n: 1 });
  });

  test("an input that a gate rewrites is checked again and is what the log shows as run", async () => {
    expect((await run([{ beforeCall: () => ({ action: "modify", input: { n: "x" } }) }])).result.error?.code).toBe(
      "invalid_input",
    );
    const { result, session } = await run([
      { beforeCall: () => ({ action: "modify", input: { n: 2 } }) },
      { beforeCall: ({ input }) => ({ action: "modify", input: { n: (input as { n: number }).n * 10 } }) },
    ]);
    expect(result.structured).toEqual({ n: 20 });
    expect((await history(session)).find(({ type }) => type === "execute-start")?.data).toMatchObject({
      input: { n: 20 },
    });
  });

  test("a gate can have a call asked that would not be", async () => {
    expect((await run([{ beforeCall: () => ({ action: "ask", reason: "looks odd" }) }])).result.error).toMatchObject({
      code: "denied",
      message: expect.stringContaining("looks odd"),
    });
  });

  test("a chain hook sees and replaces the result; one that fails changes nothing", async () => {
    const { result } = await run([
      { afterCall: (_, before) => ({ ...before, content: [{ type: "text", text: "first" }] }) },
      {
        afterCall: () => {
          throw new Error("broken");
        },
      },
      { afterCall: (_, before) => ({ ...before, content: [...before.content, { type: "text", text: "second" }] }) },
    ]);
    expect(result.content).toEqual([
      { type: "text", text: "first" },
      { type: "text", text: "second" },
    ]);
  });
});
