import { expect, test } from "vitest";
import { PegboardError } from "../../src/core/error.ts";
import { retry } from "../../src/core/retry.ts";
import { createRuntime, defineTool } from "../../src/index.ts";

const signal = new AbortController().signal;
const busy = () => Promise.reject(new PegboardError("unavailable", "busy", { retryable: true }));

test.each([1, 2, 5])("A0-28 maxAttempts: %i is how often something is tried", async (maxAttempts) => {
  const attempts: number[] = [];
  const work = (attempt: number) => (attempts.push(attempt), busy());
  await expect(retry(work, { maxAttempts, floorMs: 1, signal })).rejects.toThrow("busy");
  expect(attempts).toHaveLength(maxAttempts);
});

test("A0-28 what is not retryable is tried once, whatever it throws", async () => {
  for (const error of [new PegboardError("tool_error", "no"), new Error("no"), "no", undefined]) {
    let attempts = 0;
    await expect(retry(() => (attempts++, Promise.reject(error)), { floorMs: 1, signal })).rejects.toBe(error);
    expect(attempts).toBe(1);
  }
});

test("A0-28 a tool that throws is called once", async () => {
  let calls = 0;
  const tool = defineTool({
    name: "fails",
    description: "Fails",
    input: { type: "object" },
    capabilities: ["read"],
    execute: () => (calls++, busy()),
  });
  expect(
    await createRuntime({ tools: [tool] })
      .open()
      .call("fails"),
  ).toMatchObject({ error: { code: "unavailable" } });
  expect(calls).toBe(1);
});

test.each([
  ["backoff", undefined],
  ["what the other side asks for", 0],
  ["a date that is over", -5_000],
])("A0-28 the wait is never below the floor: %s", async (_, asked) => {
  const times: number[] = [];
  const work = () => (times.push(performance.now()), busy());
  await expect(retry(work, { floorMs: 40, signal, askedMs: () => asked })).rejects.toThrow("busy");
  expect(times[1]! - times[0]!).toBeGreaterThanOrEqual(39);
  expect(times[2]! - times[1]!).toBeGreaterThanOrEqual(39);
});

test("the wait is never above the ceiling, and grows", async () => {
  const times: number[] = [];
  const work = () => (times.push(performance.now()), busy());
  await expect(retry(work, { ceilingMs: 60, floorMs: 1, signal, askedMs: () => 3_600_000 })).rejects.toThrow("busy");
  expect(times[2]! - times[0]!).toBeLessThan(1_000);
});

test("A0-28 an abort during the wait ends it at once, with its own reason, and nothing more is tried", async () => {
  const controller = new AbortController();
  let attempts = 0;
  const started = performance.now();
  setTimeout(() => controller.abort(new PegboardError("cancelled", "enough")), 20);
  const work = () => (attempts++, busy());
  await expect(retry(work, { floorMs: 5_000, signal: controller.signal })).rejects.toThrow("enough");
  expect(performance.now() - started).toBeLessThan(1_000);
  expect(attempts).toBe(1);
});
