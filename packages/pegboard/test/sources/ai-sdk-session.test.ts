import { generateText, jsonSchema, tool } from "ai";
import { MockLanguageModelV4 } from "ai/test";
import { type ApprovalRequest, createRuntime, type Json, type PolicyOptions, type Session } from "pegboard";
import { fromAiSdk } from "pegboard/ai-sdk";
import { describe, expect, it } from "vitest";
import { z } from "zod";

const preApproved: PolicyOptions = { rules: [{ tool: "*", approval: "preApproved" }] };

describe("an AI SDK toolset on the board", () => {
  it("A1-01 a plain AI SDK toolset becomes tools named by its keys, same description, schema and result", async () => {
    const schema = { type: "object", properties: { text: { type: "string" } }, required: ["text"] } as const;
    const { session } = await open(
      {
        shout: tool({
          description: "Shouts",
          inputSchema: jsonSchema<{ text: string }>(schema),
          execute: ({ text }) => text.toUpperCase(),
        }),
        add: tool({
          description: "Adds",
          inputSchema: z.object({ a: z.number(), b: z.number() }),
          execute: ({ a, b }) => ({ sum: a + b }),
        }),
      },
      preApproved,
    );
    const listed = session.list().map(({ name, description, inputSchema }) => ({ name, description, inputSchema }));
    expect(listed).toEqual([
      {
        name: "add",
        description: "Adds",
        inputSchema: expect.objectContaining({ type: "object", required: ["a", "b"] }),
      },
      { name: "shout", description: "Shouts", inputSchema: schema },
    ]);
    expect((await session.call("shout", { text: "hey" })).content).toEqual([{ type: "text", text: "HEY" }]);
    expect(await session.call("add", { a: 2, b: 3 })).toMatchObject({ ok: true, structured: { sum: 5 } });
  });

  it("A1-02 one model tool call runs the tool's function exactly once, pre-approved or approved", async () => {
    for (const policy of [preApproved, {}]) {
      let runs = 0;
      const { session, asked } = await open({ count: { inputSchema: z.object({}), execute: () => ++runs } }, policy);
      const results = await runTurn(session, "count", {});
      expect(results).toMatchObject([{ ok: true, structured: 1 }]);
      expect(runs).toBe(1);
      expect(asked).toHaveLength(policy === preApproved ? 0 : 1);
    }
  });

  it("A1-07 a needsApproval function gets validated args and decides per call", async () => {
    const seen: unknown[] = [];
    const { session, asked } = await open({
      read: tool({
        inputSchema: z.object({ path: z.string(), lines: z.number().default(10) }),
        needsApproval: (input) => {
          seen.push(input);
          return input.path.startsWith("/etc");
        },
        execute: ({ path }) => path,
      }),
    });
    expect((await session.call("read", { path: 7 })).error?.code).toBe("invalid_input");
    expect(seen).toEqual([]);
    expect((await session.call("read", { path: "/tmp/a" })).ok).toBe(true);
    expect(asked).toEqual([]);
    expect((await session.call("read", { path: "/etc/passwd" })).ok).toBe(true);
    expect(asked.map(({ input }) => input)).toMatchObject([{ path: "/etc/passwd" }]);
    expect(seen).toEqual([
      { path: "/tmp/a", lines: 10 },
      { path: "/etc/passwd", lines: 10 },
    ]);
  });

  it("A1-08 a needsApproval function that throws or returns a non-boolean asks", async () => {
    const broken = { inputSchema: z.object({}), execute: () => "ran" };
    const { session, asked } = await open({
      throws: { ...broken, needsApproval: () => Promise.reject(new Error("no answer")) },
      says: { ...broken, needsApproval: () => "preApproved" },
      nothing: { ...broken, needsApproval: () => undefined },
    });
    for (const name of ["throws", "says", "nothing"]) expect((await session.call(name, {})).ok).toBe(true);
    expect(asked.map((request) => request.tool)).toEqual(["throws", "says", "nothing"]);
  });

  it("A1-09 what only the tool's own schema library can refuse is refused before anybody is asked", async () => {
    const even = z.number().refine((value) => value % 2 === 0, "must be even");
    const { session, asked } = await open({
      halve: tool({ inputSchema: z.object({ n: even }), execute: ({ n }) => n / 2 }),
    });
    const { error } = await session.call("halve", { n: 3 });
    expect(error).toMatchObject({ code: "invalid_input", details: [{ path: "/n", message: "must be even" }] });
    expect((await session.call("halve", { n: "4" })).error?.details).toMatchObject([{ path: "/n" }]);
    expect(asked).toEqual([]);
    expect((await session.call("halve", { n: 4 })).structured).toBe(2);
  });

  it("gets parsed values once, while the approver sees what was asked, with defaults", async () => {
    const inputSchema = z.object({ at: z.string().transform((text) => new Date(text)), days: z.number().default(3) });
    const { session, asked } = await open({
      plan: tool({ inputSchema, execute: ({ at, days }) => at.getUTCDate() + days }),
    });
    expect((await session.call("plan", { at: "2026-11-15" })).structured).toBe(18);
    expect(asked.map(({ input }) => input)).toEqual([{ at: "2026-11-15", days: 3 }]);
  });

  it("that one of its schemas makes useless is still usable", async () => {
    const execute = () => "ran";
    const { session, skipped } = await open(
      {
        text: { inputSchema: z.string(), execute },
        broken: {
          inputSchema: jsonSchema({ type: "object", properties: { x: { type: "strnig" as "string" } } }),
          execute,
        },
        good: { inputSchema: z.object({}), execute },
      },
      preApproved,
    );
    expect(session.list().map(({ name }) => name)).toEqual(["good"]);
    expect(skipped.map(({ name }) => name)).toEqual(["text", "broken"]);
  });

  it("of a package cannot lower what policy decides", async () => {
    const { session, asked } = await open(
      { sly: { inputSchema: z.object({}), needsApproval: () => false, execute: () => "ran" } },
      {},
      { kind: "package", id: "sly-tools" } as const,
    );
    expect((await session.call("sly", {})).ok).toBe(true);
    expect(asked).toHaveLength(1);
  });
});

/** A session with the toolset on its board, and what its approver, who allows everything, was asked. */
async function open(
  toolset: Record<string, unknown>,
  policy: PolicyOptions = {},
  source?: { kind: "package"; id: string },
) {
  const { tools, skipped } = await fromAiSdk(toolset);
  const runtime = createRuntime({ builtins: false, policy });
  runtime.tools.register(tools, source && { source });
  const asked: ApprovalRequest[] = [];
  const session = runtime.open({
    approver(request) {
      asked.push(request);
      return { decision: "allow" };
    },
  });
  return { session, asked, skipped };
}

/** One turn of a scripted model that calls one tool: the AI SDK asks, the session runs. */
async function runTurn(session: Session, toolName: string, input: Json) {
  const model = new MockLanguageModelV4({
    doGenerate: {
      content: [{ type: "tool-call", toolCallId: "call-1", toolName, input: JSON.stringify(input) }],
      finishReason: { unified: "tool-calls", raw: undefined },
      usage: {
        inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 },
        outputTokens: { total: 1, text: 1, reasoning: 0 },
      },
      warnings: [],
    },
  });
  const tools = Object.fromEntries(
    session
      .list()
      .map(({ name, description, inputSchema }) => [
        name,
        tool({ description, inputSchema: jsonSchema(inputSchema), outputSchema: jsonSchema({}) }),
      ]),
  );
  const { toolCalls } = await generateText({ model, tools, prompt: "Count" });
  return Promise.all(toolCalls.map((call) => session.call(call.toolName, call.input as Json, { id: call.toolCallId })));
}
