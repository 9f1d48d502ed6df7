import type { Agent, JsonSchema } from "@pegboard/contract";
import { createRuntime, scriptedModel } from "pegboard";
import { describe, expect, test } from "vitest";
import { readAnswer } from "../../src/agents/answer.ts";

const OBJECT: JsonSchema = { type: "object", properties: { n: { type: "integer" } }, required: ["n"] };
const TEXT: JsonSchema = { type: "string" };
const NUMBERS: JsonSchema = { type: "array", items: { type: "number" } };
const WORD: JsonSchema = { enum: ["yes", "no"] };

describe("an answer that must be JSON", () => {
  test.each<[string, string, JsonSchema, unknown]>([
    ["as it is", '{"n": 3}', OBJECT, { n: 3 }],
    ["with blanks around it", '\n\n {"n": 3} \n', OBJECT, { n: 3 }],
    ["in a fence", '```json\n{"n": 3}\n```', OBJECT, { n: 3 }],
    ["in a fence without a word", '```\n{"n": 3}\n```\n', OBJECT, { n: 3 }],
    ["in a fence on one line", '```json {"n": 3}```', OBJECT, { n: 3 }],
    ["in a fence, all in capitals", '```JSON\n{"n": 3}\n```', OBJECT, { n: 3 }],
    ["a list", "[1, 2]", NUMBERS, [1, 2]],
    ["a text as JSON", '"hello"', TEXT, "hello"],
    ["a text as it is", "hello\nthere ", TEXT, "hello\nthere"],
    ["a text that looks like a number", "42", TEXT, "42"],
    ["a text that looks like an object", '{"n": 3}', TEXT, '{"n": 3}'],
    ["a word of some", "yes", WORD, "yes"],
    ["a word of some, as JSON", '"no"', WORD, "no"],
    ["a word that is the only one", "done", { const: "done" }, "done"],
    ["null", "null", { type: "null" }, null],
    ["nothing in particular", "true", {}, true],
  ])("is read: %s", async (_, text, schema, value) => {
    expect(await readAnswer(text, schema)).toEqual({ value });
  });

  test.each<[string, string, JsonSchema, RegExp]>([
    ["words around it", 'Here it is: {"n": 3}', OBJECT, /not JSON/],
    ["words around a fence", 'Here it is:\n```json\n{"n": 3}\n```', OBJECT, /not JSON/],
    ["two fences", '```json\n{"n": 3}\n```\n```json\n{"n": 4}\n```', OBJECT, /not JSON/],
    ["two values", '{"n": 3} {"n": 4}', OBJECT, /not JSON/],
    ["half of it", '{"n": 3', OBJECT, /not JSON/],
    ["a fence of nothing", "``````", OBJECT, /not JSON/],
    ["another type", '{"n": "3"}', OBJECT, /\/n/],
    ["a text where none is taken", "hello", NUMBERS, /not JSON/],
    ["no text where anything is taken", "hello", {}, /not JSON/],
    ["another word", "maybe", WORD, /not JSON/],
    ["a text that is too long", "hello", { type: "string", maxLength: 3 }, /not JSON/],
    ["too deep", `${"[".repeat(5_000)}${"]".repeat(5_000)}`, {}, /nested deeper/],
    ["a key that is a trap", '{"n": 3, "__proto__": {}}', OBJECT, /__proto__/],
  ])("is not taken: %s", async (_, text, schema, problem) => {
    expect(await readAnswer(text, schema)).toEqual({ problem: expect.stringMatching(problem) });
  });

  test("may be big", async () => {
    const big = Array.from({ length: 200_000 }, (_, n) => n);
    expect(await readAnswer(JSON.stringify(big), NUMBERS)).toEqual({ value: big });
  });
});

describe("an agent with an output schema", () => {
  const run = async (output: JsonSchema, turns: string[], structured = true) => {
    const model = { ...scriptedModel(turns), structured };
    const agent: Agent = { name: "helper", description: "Helps", instructions: "You help.", tools: [], output };
    const result = await createRuntime({ model, agents: [agent] })
      .open()
      .run("helper", "Go").result;
    return { result, requests: model.requests };
  };

  test("has its model bound to it where that is possible, and is told in words elsewhere", async () => {
    const bound = await run(OBJECT, ['{"n": 1}']);
    expect(bound.requests[0]).toMatchObject({ output: OBJECT, system: "You help." });
    for (const told of [await run(OBJECT, ['{"n": 1}'], false), await run(TEXT, ["hello"])]) {
      expect(told.requests[0]).not.toHaveProperty("output");
      expect(told.requests[0]!.system).toContain("JSON Schema");
    }
  });

  test("gives null, false and empty texts as they are", async () => {
    expect((await run({ type: "null" }, ["null"])).result).toMatchObject({ status: "completed", structured: null });
    expect((await run({ type: "boolean" }, ["false"])).result).toMatchObject({ structured: false });
    expect((await run(TEXT, ['""'])).result).toMatchObject({ structured: "" });
  });

  test("is told once what is wrong, and its defaults are filled in", async () => {
    const schema = { ...OBJECT, properties: { n: { type: "integer" }, unit: { type: "string", default: "m" } } };
    const { result, requests } = await run(schema, ["Three.", '{"n": 3}']);
    expect(result).toMatchObject({ status: "completed", structured: { n: 3, unit: "m" }, turns: 2 });
    expect(JSON.stringify(requests[1]!.messages.at(-1))).toContain("it is not JSON");
  });
});
