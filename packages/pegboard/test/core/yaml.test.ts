import { expect, test } from "vitest";
import { parseYaml } from "../../src/core/yaml.ts";

test("a text is read with the places of what is in it", () => {
  const { value, diagnostics, at } = parseYaml("a: 1\nb:\n  - x\n  - c: [y]\n", "f.yaml");
  expect({ value, diagnostics }).toEqual({ value: { a: 1, b: ["x", { c: ["y"] }] }, diagnostics: [] });
  expect(at("/b/1/c")).toEqual({ line: 4, column: 5 });
  expect(at("/b/7")).toEqual({ line: 2, column: 1 });
});

test.each([
  ["a key that is there twice", "a: 1\nb: 2\na: 3", 3],
  ["a key that is there twice, deep inside", "x:\n  - { a: 1, a: 2 }", 2],
  ["an alias without an anchor", "a: 1\nb: *c", 2],
  ["a second document", "a: 1\n---\nb: 2", 2],
  ["a key that is no text", "a: 1\n? [b]\n: 2", 2],
  ["a list that does not end", "a: 1\nb: [2", 2],
])("%s is a fault of the text, and leaves no value", (_, text, line) => {
  const { value, diagnostics } = parseYaml(text, "f.yaml");
  expect(value).toBeUndefined();
  expect(diagnostics[0]).toMatchObject({ severity: "error", code: "yaml_syntax", file: "f.yaml", line });
});

test.each([
  ["an unknown tag", "a: !!js/function x"],
  ["an alias of what it is in", "a: &a [b, { c: *a }]"],
  ["aliases that multiply", "a: &a [x,x,x,x]\nb: &b [*a,*a,*a,*a]\nc: &c [*b,*b,*b,*b]\nd: [*c,*c,*c,*c]"],
  ["more aliases than anybody needs", `a: &a x\nb: [${"*a,".repeat(101)}]`],
  ["lists within lists without end", "[".repeat(10_000)],
  ["maps within maps without end", "{a: ".repeat(10_000)],
  ["entries within entries without end", "- ".repeat(10_000)],
  ["keys within keys without end", "? ".repeat(10_000)],
])("%s is refused", (_, text) => {
  const { value, diagnostics } = parseYaml(text, "f.yaml");
  expect(value).toBeUndefined();
  expect(diagnostics).toContainEqual(expect.objectContaining({ code: "yaml_refused", line: expect.any(Number) }));
});

test("a nesting is allowed to the depth that was asked for, and no deeper", () => {
  const nested = (levels: number) => parseYaml(`${"[".repeat(levels)}${"]".repeat(levels)}`, "f", { depth: 8 });
  expect(nested(8).diagnostics).toEqual([]);
  expect(nested(10).diagnostics).toMatchObject([{ code: "yaml_refused", message: "nested deeper than 8 levels" }]);
});

test("an alias that is used a few times stands for its value", () => {
  expect(parseYaml("a: &a { x: 1 }\nb: [*a, *a]", "f").value).toEqual({ a: { x: 1 }, b: [{ x: 1 }, { x: 1 }] });
});

test("of thousands of faults, the first ones are told", () => {
  expect(parseYaml("a:\n".repeat(5_000), "f").diagnostics).toHaveLength(20);
});
