import { expect, test } from "vitest";
import { Shelf } from "../../src/core/shelf.ts";

test("what a plugin brought is found by its full name, and by a bare name that only one has", () => {
  const shelf = new Shelf<{ readonly name: string }>("skill");
  const mine = shelf.register({ name: "pdf" }, { plugin: "acme" });
  expect(shelf.find("pdf").id).toBe("acme:pdf");
  shelf.register({ name: "pdf" }, { plugin: "other" });
  expect(() => shelf.find("pdf")).toThrow(/acme:pdf, other:pdf/);
  expect(shelf.find("acme:pdf").plugin).toBe("acme");
  mine[Symbol.dispose]();
  expect(shelf.find("pdf").id).toBe("other:pdf");
  expect(() => shelf.find("acme:pdf")).toThrow(/no skill "acme:pdf"/);
});

test("a bare name means what no plugin brought", () => {
  const shelf = new Shelf<{ readonly name: string }>("command");
  shelf.register({ name: "fix" }, { plugin: "acme" });
  shelf.register({ name: "fix" });
  expect(shelf.find("fix").plugin).toBeUndefined();
  expect(shelf.list().map(({ id }) => id)).toEqual(["acme:fix", "fix"]);
});

test("the same name twice is refused and names both places", () => {
  const shelf = new Shelf<{ readonly name: string }>("skill");
  shelf.register({ name: "pdf" }, { plugin: "acme", file: "a/SKILL.md" });
  expect(() => shelf.register({ name: "pdf" }, { plugin: "acme", file: "b/SKILL.md" })).toThrow(
    /a\/SKILL\.md and b\/SKILL\.md/,
  );
});

test("listeners hear of what comes and goes, once each, until they leave", () => {
  const shelf = new Shelf<{ readonly name: string }>("skill");
  let heard = 0;
  const listening = shelf.onChange(() => heard++);
  const entry = shelf.register({ name: "pdf" });
  entry[Symbol.dispose]();
  entry[Symbol.dispose]();
  expect(heard).toBe(2);
  listening[Symbol.dispose]();
  shelf.register({ name: "pdf" });
  expect(heard).toBe(2);
});
