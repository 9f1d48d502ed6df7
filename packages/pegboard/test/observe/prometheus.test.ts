import { describe, expect, it } from "vitest";
import { createMetrics, createRuntime, defineTool } from "../../src/index.ts";
import { toPrometheus } from "../../src/observe/prometheus.ts";

/** Every sample of the text, by its name and labels. Throws for a line that Prometheus would not read. */
function samplesOf(text: string): Record<string, number> {
  const samples: Record<string, number> = {};
  for (const line of text.trimEnd().split("\n")) {
    if (/^# (HELP [a-z_]+ .+|TYPE [a-z_]+ (counter|gauge|summary))$/.test(line)) continue;
    const [, name, labels = "", value] =
      /^([a-z_]+)(\{(?:[a-z]+="(?:[^"\\\n]|\\[\\n"])*",?)*\})? (\d+(?:\.\d+)?(?:e-\d+)?)$/.exec(line) ?? [];
    if (name === undefined) throw new Error(`No line of Prometheus: ${line}`);
    samples[name + labels] = Number(value);
  }
  return samples;
}

describe("numbers for Prometheus", () => {
  it("A4-35: tell calls, errors by code, durations, what is in flight, approvals and time-outs of each tool", async () => {
    const tool = (name: string, execute: () => unknown, more: object = {}) =>
      defineTool({ name, description: name, input: {}, approval: "preApproved", execute, ...more });
    const runtime = createRuntime({
      builtins: false,
      approver: () => ({ decision: "deny" }),
      tools: [
        tool("good", () => 1),
        tool("bad", () => {
          throw new Error("no");
        }),
        tool("slow", () => new Promise(() => {}), { timeoutMs: 1 }),
        tool("stuck", () => new Promise(() => {}), { timeoutMs: 60_000 }),
        tool("asks", () => 1, { approval: "ask" }),
      ],
    });
    const metrics = createMetrics();
    const session = runtime.open();
    session.listen((event) => metrics.add([event]));
    for (const name of ["good", "good", "bad", "slow", "asks", "none"]) await session.call(name);
    void session.call("stuck");
    await expect.poll(() => metrics.snapshot().find(({ tool: name }) => name === "stuck")?.inFlight).toBe(1);
    const samples = samplesOf(toPrometheus(metrics.snapshot(), { version: "1.2.3", work: 7 }));
    await runtime.close();
    const of = (name: string, more = "") => `{tool="${name}",agent=""${more}}`;
    expect(samples).toMatchObject({
      'pegboard_info{version="1.2.3"}': 1,
      pegboard_work: 7,
      [`pegboard_tool_calls_total${of("good")}`]: 2,
      [`pegboard_tool_duration_seconds_count${of("good")}`]: 2,
      [`pegboard_tool_errors_total${of("bad", ',code="tool_error"')}`]: 1,
      [`pegboard_tool_errors_total${of("none", ',code="not_found"')}`]: 1,
      [`pegboard_tool_timeouts_total${of("slow")}`]: 1,
      [`pegboard_tool_calls_in_flight${of("stuck")}`]: 1,
      [`pegboard_approvals_asked_total${of("asks")}`]: 1,
      [`pegboard_approvals_total${of("asks", ',outcome="denied"')}`]: 1,
    });
    expect(samples[`pegboard_tool_duration_seconds_sum${of("slow")}`]).toBeGreaterThan(0);
  });

  it("keeps whatever a caller calls a tool inside its label", () => {
    const metrics = createMetrics();
    const name = 'a"} 1\npegboard_work 9\\';
    const data = { tool: name, input: {}, caller: "user" as const };
    metrics.add([{ v: 1, seq: 1, at: 0, type: "call-start", session: "s", call: "c", data }]);
    const samples = samplesOf(toPrometheus(metrics.snapshot(), { version: "1", work: 0 }));
    expect(samples["pegboard_work"]).toBe(0);
    expect(samples['pegboard_tool_calls_total{tool="a\\"} 1\\npegboard_work 9\\\\",agent=""}']).toBe(1);
  });
});
