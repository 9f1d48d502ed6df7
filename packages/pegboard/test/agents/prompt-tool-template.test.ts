import { expect, test } from "vitest";
import { fillTemplate, placeholdersOf } from "../../src/agents/template.ts";

test.each<[string, string, Record<string, unknown>, string]>([
  ["a text as it is", "Hi {{name}}!", { name: "Ann" }, "Hi Ann!"],
  ["blanks inside the braces", "{{ name }}{{\tname\t}}", { name: "Ann" }, "AnnAnn"],
  [
    "everything else as JSON",
    "{{n}} {{list}} {{none}} {{flag}}",
    { n: 1.5, list: ["a", { b: 1 }], none: null, flag: false },
    '1.5 ["a",{"b":1}] null false',
  ],
  ["an empty text", "[{{name}}]", { name: "" }, "[]"],
  ["what has no value as it is", "{{name}} {{other}}", { name: "Ann" }, "Ann {{other}}"],
  ["what is undefined as it is", "{{name}}", { name: undefined }, "{{name}}"],
  [
    "what everything inherits as it is",
    "{{__proto__}} {{constructor}} {{toString}}",
    {},
    "{{__proto__}} {{constructor}} {{toString}}",
  ],
  [
    "an own value of such a name",
    "{{__proto__}}",
    JSON.parse('{"__proto__": "own"}') as Record<string, unknown>,
    "own",
  ],
  ["signs that replacing knows", "{{a}}", { a: "$& $1 $` $' $$ $<x>" }, "$& $1 $` $' $$ $<x>"],
  ["a value that looks like a place, once", "{{a}}{{b}}", { a: "{{b}}", b: "{{a}}" }, "{{b}}{{a}}"],
  ["values that make a place together, once", "{{a}}{{b}}", { a: "{{", b: "a}}" }, "{{a}}"],
  ["three braces", "{{{a}}}", { a: "x" }, "{x}"],
  [
    "what is no name as it is",
    "{{1a}} {{a b}} {{}} {{a.b}} {a} {{a",
    { a: "x", "1a": "y", "a b": "z" },
    "{{1a}} {{a b}} {{}} {{a.b}} {a} {{a",
  ],
])("a template takes %s", (_, template, values, filled) => {
  expect(fillTemplate(template, values)).toBe(filled);
});

test("a template of many braces is filled in as fast as it is read", () => {
  const braces = "{{".repeat(200_000);
  expect(fillTemplate(braces, { a: "x" })).toBe(braces);
  expect(fillTemplate(`${"{{ ".repeat(100_000)}{{a}}`, { a: "x" }).endsWith("x")).toBe(true);
  expect(placeholdersOf("{{a}} {{ b }} {{a}} {{c-d}}")).toEqual(["a", "b", "c-d"]);
});
