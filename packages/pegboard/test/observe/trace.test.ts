import { SpanKind, SpanStatusCode, type Span, trace, type Tracer } from "@opentelemetry/api";
import { describe, expect, it } from "vitest";
import { createRuntime, defineTool, scriptedModel } from "../../src/index.ts";
import { createTracing } from "../../src/observe/trace.ts";

interface Recorded {
  readonly name: string;
  readonly kind: SpanKind | undefined;
  readonly parent: string | undefined;
  readonly attributes: Record<string, unknown>;
  readonly start: number;
  failed: boolean;
  end?: number;
}

/** A tracer that keeps what it is told. */
function recorder() {
  const spans: Recorded[] = [];
  const byId = new Map<string, Recorded>();
  const tracer = {
    startSpan(name, { kind, attributes, startTime } = {}, context) {
      const above = context && trace.getSpanContext(context);
      const record: Recorded = {
        name,
        kind,
        parent: above && byId.get(above.spanId)?.name,
        attributes: { ...attributes },
        start: Number(startTime),
        failed: false,
      };
      spans.push(record);
      const spanId = String(spans.length).padStart(16, "0");
      byId.set(spanId, record);
      const span = {
        spanContext: () => ({ traceId: "1".repeat(32), spanId, traceFlags: 1 }),
        setAttribute: (key: string, value: unknown) => ((record.attributes[key] = value), span),
        setAttributes: (more: object) => (Object.assign(record.attributes, more), span),
        setStatus: ({ code }: { code: SpanStatusCode }) => ((record.failed = code === SpanStatusCode.ERROR), span),
        end: (at: number) => void (record.end = at),
      } as unknown as Span;
      return span;
    },
  } as Tracer;
  return { spans, tracer };
}

const look = defineTool({
  name: "look",
  description: "Looks",
  input: { type: "object", properties: { where: { type: "string" } } },
  approval: "preApproved",
  execute: ({ where }) => {
    if (where === "nowhere") throw new Error("nothing there");
    return "a secret garden";
  },
});

describe("spans", () => {
  it("tell runs, turns and calls with the names of the conventions, each below what started it", async () => {
    const { spans, tracer } = recorder();
    const model = scriptedModel([
      { calls: [{ tool: "look", input: { where: "nowhere" } }] },
      { calls: [{ tool: "look", input: { where: "here" } }] },
      { text: "It is a garden." },
    ]);
    const runtime = createRuntime({
      tools: [look],
      agents: [{ name: "scout", description: "Scouts", instructions: "Scout." }],
      model,
    });
    const session = runtime.open({ id: "s1" });
    const tracing = createTracing(tracer);
    session.listen((event) => tracing.add(event));
    const { status, usage } = await session.run("scout", "Look around").result;
    expect(status).toBe("completed");
    await runtime.close();
    expect(spans.map(({ name, parent }) => [name.replace(/^chat .*/, "chat"), parent])).toEqual([
      ["invoke_agent scout", undefined],
      ["chat", "invoke_agent scout"],
      ["execute_tool look", "invoke_agent scout"],
      ["chat", "invoke_agent scout"],
      ["execute_tool look", "invoke_agent scout"],
      ["chat", "invoke_agent scout"],
    ]);
    expect(spans.every(({ start, end = 0 }) => end >= start)).toBe(true);
    expect(spans[0]).toMatchObject({
      kind: SpanKind.INTERNAL,
      failed: false,
      attributes: {
        "gen_ai.operation.name": "invoke_agent",
        "gen_ai.agent.name": "scout",
        "gen_ai.conversation.id": "s1",
        "gen_ai.usage.input_tokens": usage.input,
        "gen_ai.usage.output_tokens": usage.output,
      },
    });
    expect(spans[1]).toMatchObject({
      kind: SpanKind.CLIENT,
      attributes: { "gen_ai.operation.name": "chat", "gen_ai.request.model": expect.any(String) as string },
    });
    expect(spans[2]).toMatchObject({
      failed: true,
      attributes: { "gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": "look", "error.type": "tool_error" },
    });
    expect(spans[4]!.failed).toBe(false);
    expect(JSON.stringify(spans)).not.toMatch(/nowhere|garden|Look around/);
  });

  it("end with what they are part of, also a turn that failed", async () => {
    const { spans, tracer } = recorder();
    const tracing = createTracing(tracer);
    const event = (type: string, data: object, at: number) =>
      tracing.add({ v: 1, seq: at, at, type, session: "s", run: "r", call: "c", data } as never);
    event("run-start", { agent: "a", model: "google:gemini" }, 1);
    event("turn-start", { turn: 1 }, 2);
    event("run-end", { usage: { input: 1, output: 0 }, error: { code: "unavailable" } }, 3);
    event("call-start", { tool: "t" }, 4);
    event("session-end", {}, 5);
    expect(spans.map(({ name, end, attributes }) => [name, end, attributes["error.type"]])).toEqual([
      ["invoke_agent a", 3, "unavailable"],
      ["chat google:gemini", 3, "unavailable"],
      ["execute_tool t", 5, "interrupted"],
    ]);
    expect(spans[0]!.attributes).toMatchObject({
      "gen_ai.provider.name": "gcp.gemini",
      "gen_ai.request.model": "gemini",
    });
  });

  it("are not made where the process has no SDK", () => {
    const tracing = createTracing();
    expect(() =>
      tracing.add({ v: 1, seq: 1, at: 1, type: "call-start", session: "s", call: "c", data: { tool: "t" } } as never),
    ).not.toThrow();
    expect(trace.getActiveSpan()).toBeUndefined();
  });
});
