import { expect, test } from "vitest";
import type { ToolMetrics } from "../../src/index.ts";
import { CONFIG, makePlace, type Place, toolModule } from "./run.ts";

const FILES = {
  "pegboard.yaml": CONFIG,
  "tools/own.ts": toolModule({
    look: `capabilities: ["read"], execute: () => "seen"`,
    fail: `capabilities: ["read"], execute: () => { throw new Error("no"); }`,
  }),
};

async function lived(): Promise<Place> {
  const place = makePlace(FILES, { trust: true });
  await place.run("call", "look", "--session", "one");
  await place.run("call", "look", "--session", "two");
  await place.run("call", "fail", "--session", "two");
  return place;
}

test("A4-35 every tool is a line: calls, what is in flight, durations, approvals, errors by code", async () => {
  const { code, stdout } = await (await lived()).run("stats");
  const rows = stdout
    .trimEnd()
    .split("\n")
    .map((line) => line.split(/ {2,}/));
  expect(code).toBe(0);
  expect(rows[0]).toEqual([
    "tool",
    "agent",
    "calls",
    "in flight",
    "p50 ms",
    "p95 ms",
    "max ms",
    "asked",
    "denied",
    "expired",
    "errors",
  ]);
  expect(
    rows.slice(1).map(([tool, agent, calls, inFlight, , , , ...rest]) => [tool, agent, calls, inFlight, ...rest]),
  ).toEqual([
    ["fail", "-", "1", "0", "0", "0", "0", "tool_error 1"],
    ["look", "-", "2", "0", "0", "0", "0", "-"],
  ]);
});

test("A4-35 --json gives the numbers, and --session and --since choose", async () => {
  const place = await lived();
  const tools = async (...argv: string[]) => {
    const { stdout } = await place.run("stats", "--json", ...argv);
    return (JSON.parse(stdout) as { tools: ToolMetrics[] }).tools.map(({ tool, calls, errors }) => ({
      tool,
      calls,
      errors,
    }));
  };
  expect(await tools("--session", "two")).toEqual([
    { tool: "fail", calls: 1, errors: { tool_error: 1 } },
    { tool: "look", calls: 1, errors: {} },
  ]);
  expect(await tools("--since", "1h")).toHaveLength(2);
  expect(await tools("--until", "2020-01-01")).toEqual([]);
});

test("without a log there is a friendly note", async () => {
  expect(await makePlace(FILES).run("stats")).toEqual({
    code: 0,
    stdout: "",
    stderr: expect.stringContaining("Nothing has happened here yet"),
  });
});
