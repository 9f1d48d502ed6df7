import type { Agent } from "@pegboard/contract";
import { createRuntime, defineTool, type Event, type Limits, type RunResult } from "pegboard";
import { describe, expect, test } from "vitest";
import { type Answer, fakeProvider, type FakeProvider, type Format } from "../models/fake-provider.ts";
import { refusal } from "../models/wire/refusal.ts";

const FORMATS = ["google", "anthropic", "openai", "openai-chat"] as const satisfies readonly Format[];
const HELPER: Agent = { name: "helper", description: "Helps", instructions: "You help.", tools: ["add", "note"] };
const NUMBERS = { type: "object", properties: { a: { type: "number" }, b: { type: "number" } }, required: ["a", "b"] };

interface Told {
  readonly result: RunResult;
  readonly events: readonly Event[];
  readonly added: readonly unknown[];
  readonly provider: FakeProvider;
}

/** Runs an agent with two tools against a provider that gives these answers, and tells all that happened. */
async function tell(format: Format, answers: readonly Answer[], limits: Partial<Limits> = {}): Promise<Told> {
  const provider = await fakeProvider(format, answers);
  const added: unknown[] = [];
  const add = defineTool({
    name: "add",
    description: "Adds",
    input: NUMBERS,
    capabilities: ["read"],
    execute: (input) => `sum ${added.push(input)}`,
  });
  const note = defineTool({ ...add, name: "note", input: { type: "object" }, execute: () => "noted" });
  const { models, model } = provider;
  const runtime = createRuntime({ models, model, agents: [HELPER], tools: [add, note], limits });
  const run = runtime.open().run("helper", "Go");
  const events: Event[] = [];
  for await (const event of run) events.push(event);
  const result = await run.result;
  await runtime.close();
  return { result, events, added, provider };
}

/** The same for all formats at once: most of the time is spent waiting before the next try. */
async function tellAll(
  answers: (format: Format) => readonly Answer[],
  check: (told: Told, format: Format) => void,
  limits?: Partial<Limits>,
): Promise<void> {
  const told = await Promise.all(FORMATS.map((format) => tell(format, answers(format), limits)));
  for (const [index, format] of FORMATS.entries()) check(told[index]!, format);
}

const call = (id: string, args: string, tool = "add") => ({ id, tool, arguments: args });
const DONE: Answer = { text: "Done." };
const retriesOf = ({ events }: Told) => events.flatMap(({ type, data }) => (type === "turn-progress" ? [data] : []));
const outcomesOf = ({ events }: Told) =>
  events.flatMap(({ type, data }) => (type === "call-end" ? [data.error?.code ?? "ok"] : []));
/** What the provider was sent last. */
const sentBy = ({ provider }: Told) => JSON.stringify(provider.requests.at(-1)!.body);

describe("what can pass is tried again, and the run goes on as if nothing had been", () => {
  const half: Answer = { text: "Half of it", calls: [call("lost", '{"a":1,"b":2}')] };
  const faults: [string, (format: Format) => Answer, RegExp, Partial<Limits>?][] = [
    ["a failure of the server", (format) => refusal(format, 500, "oops"), /cannot answer now \(500\)/],
    ["a connection that breaks", () => ({ ...half, cut: "socket" }), /broke off/],
    ["an answer without its end", () => ({ ...half, cut: "clean" }), /(cut|broke) off/],
    ["an answer that is not JSON", () => ({ ...half, garbled: true }), /./],
    ["an answer of nothing", () => ({ text: "" }), /answered with nothing/],
    ["a model that says nothing", () => ({ hang: true }), /said nothing for 0.15 seconds/, { modelSilenceMs: 150 }],
    ["a model that falls silent", () => ({ ...half, cut: "never" }), /said nothing/, { modelSilenceMs: 150 }],
  ];

  test.each(faults)("%s", async (_, fault, message, limits) => {
    await tellAll(
      (format) => [{ calls: [call("c1", '{"a":1,"b":2}')] }, fault(format), DONE],
      (told, format) => {
        expect(told.result, format).toMatchObject({ status: "completed", text: "Done.", turns: 2, calls: 1 });
        expect(retriesOf(told), format).toMatchObject([{ turn: 2, retry: 1, error: { code: "unavailable" } }]);
        expect(retriesOf(told)[0]!.error.message, format).toMatch(message);
        // A call in an answer that broke off is never made.
        expect(told.added, format).toEqual([{ a: 1, b: 2 }]);
        expect(told.provider.requests, format).toHaveLength(3);
        expect(told.provider.requests[2]!.body, format).toEqual(told.provider.requests[1]!.body);
      },
      limits,
    );
  });

  test("too many requests, after the time that the provider says", async () => {
    const started = performance.now();
    const limited = (format: Format) => refusal(format, 429, "slow down", { headers: { "retry-after": "1" } });
    await tellAll(
      (format) => [limited(format), DONE],
      (told, format) => {
        expect(told.result, format).toMatchObject({ status: "completed", text: "Done.", turns: 1 });
        expect(retriesOf(told), format).toMatchObject([
          { turn: 1, retry: 1, waitMs: 1_000, error: { code: "rate_limited" } },
        ]);
      },
    );
    expect(performance.now() - started).toBeGreaterThanOrEqual(990);
  });

  test("Gemini's call that could not be written", async () => {
    const instead = { candidates: [{ finishReason: "MALFORMED_FUNCTION_CALL", index: 0 }] };
    const told = await tell("google", [{ instead }, DONE]);
    expect(told.result).toMatchObject({ status: "completed", text: "Done." });
    expect(retriesOf(told)).toMatchObject([{ retry: 1 }]);
  });
});

describe.each(FORMATS)("%s", (format) => {
  test("two calls at once and another turn make a whole story", async () => {
    const usage = { input: 100, output: 10 };
    const told = await tell(format, [
      { text: "Let me add.", calls: [call("c1", '{"a":1,"b":2}'), call("c2", '{"a":3,"b":4}')], usage },
      { calls: [call("c3", "{}", "note")], usage },
      { text: "All is added.", usage },
    ]);
    expect(told.result).toMatchObject({ status: "completed", text: "All is added.", turns: 3, calls: 3 });
    expect(told.result.usage).toMatchObject({ input: 300, output: 30 });
    expect(told.result.cost).toBeGreaterThan(0);
    expect(told.added).toEqual([
      { a: 1, b: 2 },
      { a: 3, b: 4 },
    ]);
    expect(outcomesOf(told)).toEqual(["ok", "ok", "ok"]);
    const sent = sentBy(told);
    for (const said of ["Let me add.", "sum 1", "sum 2", "noted"]) expect(sent).toContain(said);
    const deltas = told.events.flatMap(({ type, data }) => (type === "model-delta" ? [data.text ?? ""] : []));
    expect(deltas.join("")).toBe("Let me add.All is added.");
    expect(deltas).not.toContain("");
  });

  test("arguments of another shape are told to the model, which goes on", async () => {
    const told = await tell(format, [{ calls: [call("c1", '{"a":"one"}')] }, DONE]);
    expect(told.result).toMatchObject({ status: "completed", text: "Done." });
    expect(outcomesOf(told)).toEqual(["invalid_input"]);
    expect(told.added).toEqual([]);
    expect(sentBy(told)).toMatch(/\/a.*must be number/);
  });

  test("a tool that is not there is told to the model, which goes on", async () => {
    const told = await tell(format, [{ calls: [call("c1", "{}", "ad")] }, DONE]);
    expect(told.result).toMatchObject({ status: "completed", text: "Done." });
    expect(outcomesOf(told)).toEqual(["not_found"]);
    expect(sentBy(told)).toMatch(/Did you mean \\*"add/);
  });

  test("the same call for ever ends as a loop, after it was told so", async () => {
    const told = await tell(format, [{ calls: [call("again", '{"a":1,"b":2}', "note")] }]);
    expect(told.result).toMatchObject({ status: "failed", error: { code: "loop" } });
    expect(outcomesOf(told)).toEqual(["ok", "ok", "ok"]);
    expect(sentBy(told)).toContain("Not called");
  });

  test("other calls for ever end at the limit of turns", async () => {
    const answers = Array.from({ length: 9 }, (_, n) => ({ calls: [call(`c${n}`, `{"a":${n},"b":0}`)] }));
    const told = await tell(format, answers, { turns: 5 });
    expect(told.result).toMatchObject({ status: "failed", turns: 5, calls: 5, error: { code: "budget_limit" } });
    expect(told.provider.requests).toHaveLength(5);
  });

  test("what cannot pass ends the run at once", async () => {
    const told = await tell(format, [refusal(format, 400, "no such field")]);
    expect(told.result).toMatchObject({ status: "failed", error: { code: "invalid_input" } });
    expect(told.provider.requests).toHaveLength(1);
  });

  test("what does not pass ends the run after five tries", async () => {
    const told = await tell(format, [refusal(format, 429, "slow down", { headers: { "retry-after-ms": "1" } })]);
    expect(told.result).toMatchObject({ status: "failed", turns: 1, error: { code: "rate_limited" } });
    expect(retriesOf(told).map(({ retry }) => retry)).toEqual([1, 2, 3, 4]);
    expect(told.provider.requests).toHaveLength(5);
  });

  test("a wait of more than a minute is not waited for", async () => {
    const told = await tell(format, [refusal(format, 429, "slow down", { headers: { "retry-after": "3600" } })]);
    expect(told.result).toMatchObject({ status: "failed", error: { code: "rate_limited" } });
    expect(told.provider.requests).toHaveLength(1);
  });

  test("an answer that is cut at its longest counts, with a warning", async () => {
    const told = await tell(format, [{ text: "Once upon a", length: true }]);
    expect(told.result).toMatchObject({ status: "completed", text: "Once upon a" });
    expect(told.result.warnings!.join()).toContain("was cut at its longest");
  });
});

// Gemini's arguments are a value: those that are none end the answer.
test.each(FORMATS.filter((format) => format !== "google"))(
  "%s: arguments that are not JSON are told to the model, which goes on",
  async (format) => {
    const told = await tell(format, [{ calls: [call("c1", '{"a":1,')] }, DONE]);
    expect(told.result).toMatchObject({ status: "completed", text: "Done." });
    expect(outcomesOf(told)).toEqual(["invalid_input"]);
    expect(told.added).toEqual([]);
    expect(sentBy(told)).toContain("The arguments are not JSON");
  },
);
