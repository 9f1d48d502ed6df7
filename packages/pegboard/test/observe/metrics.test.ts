import { describe, expect, test } from "vitest";
import {
  createMetrics,
  createRuntime,
  defineTool,
  type Event,
  eventPages,
  type Runtime,
  type ToolMetrics,
} from "../../src/index.ts";
import { createHistogram } from "../../src/observe/histogram.ts";

const input = { type: "object" } as const;
const never = () => new Promise(() => {});

function office(): Runtime {
  return createRuntime({
    tools: [
      defineTool({ name: "look", description: "Looks", input, capabilities: ["read"], execute: () => "seen" }),
      defineTool({
        name: "fail",
        description: "Fails",
        input,
        capabilities: ["read"],
        execute: () => Promise.reject(new Error("no")),
      }),
      defineTool({
        name: "slow",
        description: "Is slow",
        input,
        capabilities: ["read"],
        timeoutMs: 10,
        execute: never,
      }),
      defineTool({ name: "stuck", description: "Is stuck", input, capabilities: ["read"], execute: never }),
      defineTool({
        name: "pay",
        description: "Pays",
        input: { ...input, properties: { ok: { type: "boolean" } } },
        capabilities: ["write"],
        execute: () => "paid",
      }),
    ],
    approver: ({ input: asked }) =>
      (asked as { ok?: boolean }).ok === undefined
        ? new Promise(() => {})
        : { decision: (asked as { ok: boolean }).ok ? "allow" : "deny" },
    limits: { approvalMs: 30 },
  });
}

async function measure({ store }: Runtime): Promise<Record<string, ToolMetrics>> {
  const metrics = createMetrics();
  for await (const page of eventPages(store)) metrics.add(page);
  return Object.fromEntries(
    metrics.snapshot().map((each) => [[each.tool, ...(each.agent === undefined ? [] : [each.agent])].join(" "), each]),
  );
}

describe("metrics", () => {
  test("A4-35 count calls, errors by code, timeouts, durations and what is in flight, for each tool and agent", async () => {
    const runtime = office();
    const session = runtime.open();
    for (let call = 0; call < 3; call++) await session.call("look");
    await session.call("fail");
    await session.call("slow");
    await session.call("nothing");
    void session.call("stuck");
    await runtime.open({ agent: { name: "child", chain: ["root", "child"] } }).call("look");
    const { look, fail, slow, nothing, stuck, ...others } = await measure(runtime);
    expect(look).toMatchObject({ calls: 3, errors: {}, inFlight: 0, durations: { count: 3 } });
    expect(look!.durations.max).toBeGreaterThan(0);
    expect(fail).toMatchObject({ calls: 1, errors: { tool_error: 1 } });
    expect(slow).toMatchObject({ calls: 1, errors: { timeout: 1 }, timeouts: 1 });
    expect(slow!.durations.max).toBeGreaterThanOrEqual(9);
    expect(nothing).toMatchObject({ calls: 1, errors: { not_found: 1 } });
    expect(stuck).toMatchObject({ calls: 1, inFlight: 1, durations: { count: 0, p50: 0, max: 0 } });
    expect(others).toMatchObject({ "look child": { agent: "child", calls: 1 } });
    await runtime.close();
  });

  test("A4-35 count approvals that were asked, allowed, denied and expired", async () => {
    const runtime = office();
    const session = runtime.open();
    for (const ok of [true, true, false]) await session.call("pay", { ok });
    await session.call("pay", {});
    const { pay } = await measure(runtime);
    expect(pay).toMatchObject({
      calls: 4,
      approvals: { asked: 4, allowed: 2, denied: 1, expired: 1, cancelled: 0 },
      errors: { denied: 1, expired: 1 },
    });
    await runtime.close();
  });

  test("do not take for in flight what a process left that is gone, nor for a duration what nobody knows", () => {
    const metrics = createMetrics({ isAlive: (process) => process === "here" });
    const about = (session: string, seq: number) => ({ v: 1, seq, at: 1, session, call: "c" }) as const;
    const start = (session: string, process: string): Event[] => [
      {
        ...about(session, 1),
        type: "session-start",
        data: { principal: "p", client: "c", cwd: "/", metadata: {}, process },
      },
      { ...about(session, 2), type: "call-start", data: { tool: "t", input: {}, caller: "model" } },
    ];
    metrics.add([...start("a", "here"), ...start("b", "gone"), ...start("c", "gone")]);
    const error = { code: "interrupted", message: "" } as const;
    metrics.add([
      {
        ...about("c", 3),
        type: "call-end",
        data: { tool: "t", ok: false, ms: 0, error, result: { ok: false, content: [], meta: {} } },
      },
    ]);
    expect(metrics.snapshot()).toMatchObject([
      { tool: "t", calls: 3, inFlight: 1, interrupted: 1, durations: { count: 0 } },
    ]);
  });

  test("take no more memory for more names than there can be tools", () => {
    const metrics = createMetrics();
    const call = (tool: string, seq: number): Event => ({
      v: 1,
      seq,
      at: 1,
      session: "s",
      call: tool,
      type: "call-start",
      data: { tool, input: {}, caller: "model" },
    });
    for (let seq = 1; seq <= 5_000; seq++) metrics.add([call(`t${seq}`, seq)]);
    const snapshot = metrics.snapshot();
    expect(snapshot).toHaveLength(1_001);
    expect(snapshot.find(({ tool }) => tool === "(others)")).toMatchObject({ calls: 4_000 });
  });
});

describe("a histogram", () => {
  test("knows the number, the sum and the longest, and bounds the quantiles from above", () => {
    const histogram = createHistogram();
    for (let ms = 1; ms <= 100; ms++) histogram.add(ms);
    expect(histogram.summary()).toEqual({ count: 100, sum: 5_050, max: 100, p50: 50, p95: 100 });
    histogram.add(10_000_000);
    expect(histogram.summary()).toMatchObject({ max: 10_000_000, p50: 100, p95: 100 });
  });
});
