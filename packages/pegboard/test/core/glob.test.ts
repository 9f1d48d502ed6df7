import fc from "fast-check";
import { expect, test } from "vitest";
import { matchesPath } from "../../src/core/glob.ts";

test.each([
  ["notes/a.md", "notes/a.md", true],
  ["notes/a.md", "notes/A.md", false],
  ["notes/*", "notes/a.md", true],
  ["notes/*", "notes/x/a.md", false],
  ["notes/*.md", "notes/.md", true],
  ["notes/**", "notes/x/a.md", true],
  ["notes/**", "notes", false],
  ["notes/**", "notes2/a.md", false],
  ["**", "a", true],
  ["**/a.md", "a.md", true],
  ["**/a.md", "x/y/a.md", true],
  ["a/**/z", "a/z", true],
  ["a/**/z", "a/b/c/z", true],
  ["a/**/b/**/z", "a/b/c/b/z", true],
  ["a/**/b/**/z", "a/c/z", false],
  ["a**z/b", "a-z/b", true],
  ["a**z/b", "a/z/b", false],
  ["/notes/*", "notes/a.md", true],
  ["note?", "notes", false],
  ["[n]otes", "notes", false],
  [".*", "xx", false],
  ["cafe\u0301/*", "caf\u00e9/a", true],
  ["", "a", false],
])("glob %j on path %j gives %j", (glob, path, expected) => {
  expect(matchesPath(glob, path)).toBe(expected);
});

test("a glob covers what the same pattern as a regular expression covers", () => {
  const segment = fc.string({ unit: fc.constantFrom("a", "b", "*"), minLength: 1, maxLength: 3 });
  const globs = fc.array(segment, { minLength: 1, maxLength: 4 });
  const name = fc.string({ unit: fc.constantFrom("a", "b"), minLength: 1, maxLength: 3 });
  const paths = fc.array(name, { minLength: 1, maxLength: 4 });
  const toRegExp = (glob: string[]) => {
    const inner = glob.map((part) => (part === "**" ? "(?:[^/]+/)*" : `${part.replace(/\*+/g, "[^/]*")}/`));
    if (glob.at(-1) === "**") inner[glob.length - 1] = "(?:[^/]+/)+";
    return new RegExp(`^${inner.join("")}$`);
  };
  fc.assert(
    fc.property(globs, paths, (glob, path) => {
      expect(matchesPath(glob.join("/"), path.join("/"))).toBe(toRegExp(glob).test(`${path.join("/")}/`));
    }),
    { numRuns: 2000 },
  );
});

test("no glob takes long, however many stars it has", () => {
  const start = performance.now();
  expect(matchesPath(`${"**/a*a*a*/".repeat(200)}z`, `${"aaaa/".repeat(800)}y`)).toBe(false);
  expect(matchesPath(`${"*a".repeat(120)}b`, "a".repeat(250))).toBe(false);
  expect(performance.now() - start).toBeLessThan(2000);
});
