import { expect, test } from "vitest";
import { contextTokensOf, costOf } from "../../src/models/prices.ts";

const INPUT = { input: 1_000_000, output: 0 };

test("a version of a model costs what the model costs", () => {
  for (const name of [
    "anthropic:claude-sonnet-4-5",
    "anthropic:claude-sonnet-4-5-20250929",
    "anthropic:claude-sonnet-4-5@20250929",
    "anthropic:claude-sonnet-4-5-latest",
  ])
    expect(costOf(name, INPUT), name).toBe(3);
  expect(costOf("google:gemini-2.5-flash-preview-09-2025", INPUT)).toBe(0.3);
  expect(costOf("openai:gpt-5-2025-08-07", INPUT)).toBe(1.25);
  expect(costOf("openai-chat:gpt-5", INPUT)).toBe(1.25);
});

test("another model that only begins alike is not taken for it", () => {
  for (const name of [
    "openai:gpt-5-ultra",
    "openai:gpt-5.99",
    "anthropic:claude-opus-4-9",
    "google:gemini-2.5-flash-image",
  ])
    expect(costOf(name, INPUT), name).toBeUndefined();
  expect(costOf("openai:gpt-5-mini", INPUT)).toBe(0.25);
  expect(costOf("anthropic:claude-opus-4-20250514", INPUT)).toBe(15);
  expect(costOf("anthropic:claude-opus-4-5-20251101", INPUT)).toBe(5);
});

test("what is read from a cache or put into one has its own price", () => {
  const usage = { input: 1_000_000, output: 1_000_000, cached: 600_000, written: 300_000 };
  expect(costOf("anthropic:claude-sonnet-4-5", usage)).toBeCloseTo(0.1 * 3 + 0.6 * 0.3 + 0.3 * 3.75 + 15);
  expect(costOf("own:m", usage, { "own:m": { input: 1, output: 0 } })).toBeCloseTo(1);
});

test("a long request costs more where the provider says so", () => {
  expect(costOf("google:gemini-2.5-pro", { input: 200_000, output: 0 })).toBeCloseTo(0.25);
  expect(costOf("google:gemini-2.5-pro", { input: 300_000, output: 100_000 })).toBeCloseTo(0.75 + 1.5);
});

test("how much a request may hold is told where it is known", () => {
  expect(contextTokensOf("anthropic:claude-haiku-4-5-20251001")).toBe(200_000);
  expect(contextTokensOf("ollama:llama3.2")).toBeUndefined();
});
