import type { ToolMetrics } from "./metrics.ts";

/** What is told besides the numbers of tools. */
export interface ServerNumbers {
  readonly version: string;
  /** Calls and runs at work. */
  readonly work: number;
}

type Labels = Readonly<Record<string, string>>;
type Sample = readonly [labels: Labels, value: number, suffix?: string];

/** The numbers in the text format of Prometheus. Names come from callers: whatever they hold stays inside its label. */
export function toPrometheus(tools: readonly ToolMetrics[], { version, work }: ServerNumbers): string {
  const each = (samples: (tool: ToolMetrics, labels: Labels) => readonly Sample[]) =>
    tools.flatMap((tool) => samples(tool, { tool: tool.tool, agent: tool.agent ?? "" }));
  return [
    family("pegboard_info", "gauge", "The version that runs", [[{ version }, 1]]),
    family("pegboard_work", "gauge", "Calls and runs at work, of all clients", [[{}, work]]),
    family(
      "pegboard_tool_calls_total",
      "counter",
      "Calls of each tool, by the agent that called, if one did",
      each(({ calls }, labels) => [[labels, calls]]),
    ),
    family(
      "pegboard_tool_calls_in_flight",
      "gauge",
      "Calls that started and have not ended",
      each(({ inFlight }, labels) => [[labels, inFlight]]),
    ),
    family(
      "pegboard_tool_errors_total",
      "counter",
      "Failed calls, by the code of their error",
      each(({ errors }, labels) => Object.entries(errors).map(([code, count]) => [{ ...labels, code }, count])),
    ),
    family(
      "pegboard_tool_timeouts_total",
      "counter",
      "Calls that took longer than they may",
      each(({ timeouts }, labels) => [[labels, timeouts]]),
    ),
    family(
      "pegboard_tool_duration_seconds",
      "summary",
      "How long calls took, failed ones included",
      each(({ durations: { p50, p95, sum, count } }, labels) => [
        [{ ...labels, quantile: "0.5" }, p50 / 1_000],
        [{ ...labels, quantile: "0.95" }, p95 / 1_000],
        [labels, sum / 1_000, "_sum"],
        [labels, count, "_count"],
      ]),
    ),
    family(
      "pegboard_approvals_asked_total",
      "counter",
      "Calls that somebody was asked to allow",
      each(({ approvals }, labels) => [[labels, approvals.asked]]),
    ),
    family(
      "pegboard_approvals_total",
      "counter",
      "What became of the requests for approval",
      each(({ approvals }, labels) => OUTCOMES.map((outcome) => [{ ...labels, outcome }, approvals[outcome]])),
    ),
  ].join("");
}

const OUTCOMES = ["allowed", "denied", "expired", "cancelled"] as const;

function family(name: string, type: string, help: string, samples: readonly Sample[]): string {
  const lines = samples.map(([labels, value, suffix = ""]) => `${name}${suffix}${toText(labels)} ${value}\n`);
  return `# HELP ${name} ${help}\n# TYPE ${name} ${type}\n${lines.join("")}`;
}

function toText(labels: Labels): string {
  const pairs = Object.entries(labels).map(([name, value]) => `${name}="${escape(value)}"`);
  return pairs.length > 0 ? `{${pairs.join(",")}}` : "";
}

function escape(value: string): string {
  return value.replaceAll("\\", "\\\\").replaceAll("\n", "\\n").replaceAll('"', '\\"');
}
