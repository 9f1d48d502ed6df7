import { describe, expect, test } from "vitest";
import { parseJsonText } from "../../src/core/json-text.ts";

const codes = (text: string) =>
  parseJsonText(text, "f.json").diagnostics.map(({ code, line, column }) => [code, line, column]);

describe("a JSON text", () => {
  test("is read with the place of everything in it", () => {
    const { value, at } = parseJsonText('\uFEFF{\n\t"a": [1, {"b/c": "}"}],\n  "d": null\n}', "f.json");
    expect(value).toEqual({ a: [1, { "b/c": "}" }], d: null });
    expect(at("")).toEqual({ line: 1, column: 1 });
    expect(at("/a/1/b~1c")).toEqual({ line: 2, column: 19 });
    expect(at("/d")).toEqual({ line: 3, column: 8 });
    expect(at("/a/7/x")).toEqual(at("/a"));
  });

  test("that says two things at once has no value", () => {
    const { value, diagnostics } = parseJsonText('{"a": {"x": 1,\n "\\u0078": 2}}', "f.json");
    expect(value).toBeUndefined();
    expect(diagnostics).toMatchObject([{ code: "duplicate_key", line: 2, column: 2, file: "f.json" }]);
    expect(codes('[{"x": 1}, {"x": 2}]')).toEqual([]);
  });

  test("that is none is told with its place", () => {
    expect(codes('{"a": 1,\n /* b */ "c": 2}')).toEqual([["json_syntax", 2, 2]]);
    expect(codes("")).toEqual([["json_syntax", 1, 1]]);
    expect(codes("[".repeat(300) + "]".repeat(300))).toEqual([["json_refused", 1, 257]]);
  });

  test("keeps a key that would be a prototype as a key", () => {
    const { value } = parseJsonText('{"__proto__": {"polluted": 1}}', "f.json");
    expect(Object.keys(value as object)).toEqual(["__proto__"]);
    expect(({} as { polluted?: number }).polluted).toBeUndefined();
  });
});
