import { describe, expect, test } from "vitest";
import { readInput } from "../../src/cli/input.ts";

const schema = {
  type: "object",
  properties: {
    text: { type: "string" },
    number: { type: "number" },
    count: { type: "integer" },
    flag: { type: "boolean" },
    nothing: { type: "null" },
    names: { type: "array", items: { type: "string" } },
    sizes: { type: "array", items: { type: "integer" } },
    level: { enum: ["low", 2, null] },
    either: { anyOf: [{ type: "string" }, { type: "number" }] },
    some: { oneOf: [{ type: "string" }, { type: "array", items: { type: "string" } }] },
    maybe: { type: ["string", "null"] },
    linked: { $ref: "#/$defs/size" },
    filter: { type: "object", properties: { limit: { type: "integer" }, "a.b": { type: "number" } } },
    "dotted.name": { type: "number" },
    anything: {},
  },
  $defs: { size: { type: "number" } },
};

const read = (...pairs: string[]) => readInput(pairs, undefined, schema);
// Inputs have no prototype, so that no key is special in them.
const plain = async (input: Promise<unknown>) => JSON.parse(JSON.stringify(await input)) as unknown;

describe("key=value is typed by the schema", () => {
  test.each([
    ["text=5", { text: "5" }],
    ["text=a=b", { text: "a=b" }],
    ["text=", { text: "" }],
    ["number=-1.5e3", { number: -1500 }],
    ["count=7", { count: 7 }],
    ["flag=false", { flag: false }],
    ["nothing=null", { nothing: null }],
    ["names=a,b", { names: ["a", "b"] }],
    ["names=", { names: [] }],
    ["sizes=1,2", { sizes: [1, 2] }],
    ["level=2", { level: 2 }],
    ["level=low", { level: "low" }],
    ["either=5", { either: 5 }],
    ["either=x", { either: "x" }],
    ["some=a,b", { some: "a,b" }],
    ["maybe=null", { maybe: null }],
    ["linked=3", { linked: 3 }],
    ["filter.limit=3", { filter: { limit: 3 } }],
    ["dotted.name=1", { "dotted.name": 1 }],
    ["anything=1", { anything: "1" }],
    ["unknown=1", { unknown: "1" }],
    ["unknown.part=1", { "unknown.part": "1" }],
    ["count:=null", { count: null }],
    [`filter:={"limit":1}`, { filter: { limit: 1 } }],
  ])("%s", async (pair, expected) => {
    expect(await plain(read(pair))).toEqual(expected);
  });

  test("what does not fit stays text, for the call to complain about", async () => {
    expect(await plain(read("number=abc", "count=1.5", "flag=yes", "filter=x"))).toEqual({
      number: "abc",
      count: "1.5",
      flag: "yes",
      filter: "x",
    });
    expect(await plain(read("count=12345678901234567890"))).toEqual({ count: "12345678901234567890" });
  });

  test("a repeated key adds to a list, and is refused elsewhere", async () => {
    expect(await plain(read("names=a", "names=b,c"))).toEqual({ names: ["a", "b", "c"] });
    await expect(read("text=a", "text=b")).rejects.toMatchObject({
      code: "invalid_config",
      message: expect.stringContaining(`"text" is given twice`),
    });
    await expect(read("filter:=1", "filter.limit=2")).rejects.toThrow(`"filter.limit" is given twice`);
  });

  test("__proto__ is a key like any other", async () => {
    const input = (await read("__proto__:={}")) as object;
    expect(Object.keys(input)).toEqual(["__proto__"]);
  });
});

describe("what cannot be read names itself", () => {
  test.each([
    ["hello", /"hello" is neither key=value nor key:=json/],
    ["=1", /"=1" is neither/],
    ["count:=[1,", /The value of "count" is not JSON: Unexpected end/],
    ["count:={a:1}", /The value of "count" is not JSON: .*position 1/],
  ])("%s", async (pair, message) => {
    await expect(read(pair)).rejects.toMatchObject({ code: "invalid_config", message: expect.stringMatching(message) });
  });

  test("--input and pairs together", async () => {
    await expect(readInput(["a=1"], "{}", schema)).rejects.toThrow("--input is the whole input: leave out a=1");
  });
});
