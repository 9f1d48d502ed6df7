import { globSync, readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { type Requirement, REQUIREMENTS } from "./requirements.ts";
import { testNamesOf } from "./test-names.ts";

/** The names of the tests, by file. */
type TestNames = ReadonlyMap<string, readonly string[]>;

const files = globSync(["packages/*/test/**/*.test.ts", "test/**/*.test.ts"], { exclude: ["**/fixtures/**"] });
const tests: TestNames = new Map(files.map((file) => [file, testNamesOf(file, readFileSync(file, "utf8"))]));

describe("the manifest of requirements", () => {
  test("lists every id once, each with a sentence and a door", () => {
    expect(findRepeated(REQUIREMENTS)).toEqual([]);
    expect(REQUIREMENTS.filter(({ sentence, doors }) => sentence === "" || doors.length === 0)).toEqual([]);
  });

  test("holds no behaviour without a test that carries its id", () => {
    expect(findUnproven(REQUIREMENTS, tests)).toEqual([]);
  });

  test("holds every id that a test carries", () => {
    expect(findUnlisted(REQUIREMENTS, tests)).toEqual([]);
  });
});

describe("the checker", () => {
  const listed: Requirement[] = [
    { id: "A0-01", sentence: "One.", doors: ["library"] },
    { id: "A0-02", sentence: "Two.", doors: ["cli"] },
  ];
  const namesIn = (source: string) => testNamesOf("a.test.ts", source);
  const unproven = (source: string) => findUnproven(listed, new Map([["a.test.ts", namesIn(source)]]));

  test("finds a behaviour without a test", () => {
    expect(unproven(`test("A0-01 is proven", () => {});`)).toEqual(["A0-02 Two."]);
    expect(unproven(`test("A0-01, A0-02: both are proven", () => {});`)).toEqual([]);
  });

  test("finds an id that is not listed, with its file", () => {
    const names = namesIn(`test("A0-01 and A7-77", () => {});`);
    expect(findUnlisted(listed, new Map([["a.test.ts", names]]))).toEqual(["A7-77 in a.test.ts"]);
  });

  test("finds an id that is listed twice", () => {
    expect(findRepeated([...listed, listed[0]!])).toEqual(["A0-01"]);
  });

  test.each([
    `// A0-01\ntest("a name", () => {});`,
    `test("a name", () => { expect("A0-01").toBe(1); });`,
    `const id = "A0-01"; test(id, () => {});`,
    `run("A0-01", () => {});`,
    `test("A0-011", () => {});`,
    "test(`A0-${'01'}`, () => {});",
    `test.skip("A0-01", () => {});`,
    `test.todo("A0-01");`,
    `describe.skip("a group", () => { test("A0-01", () => {}); });`,
    `test.skip.each([1])("A0-01", () => {});`,
  ])("does not take for a proof: %s", (source) => {
    expect(unproven(source)).toContain("A0-01 One.");
  });

  test.each([
    `it('A0-01', () => {});`,
    "test(`A0-01 ${x} more`, () => {});",
    `describe("A0-01", () => { test("a name", () => {}); });`,
    `test.only("A0-01", () => {});`,
    `test.each([1, 2])("A0-01 %s", () => {});`,
    `test.for([1, 2])("A0-01 %s", () => {});`,
    "test.each`a|b`('A0-01 $a', () => {});",
    `test.concurrent.each([1])("A0-01", () => {});`,
    `describe.skipIf(x)("a group", () => { test.runIf(y)("A0-01", () => {}); });`,
    `describe("a group", () => { test.skip("b", () => {}); test("A0-01", () => {}); });`,
  ])("takes for a proof: %s", (source) => {
    expect(unproven(source)).not.toContain("A0-01 One.");
  });
});

function findUnproven(requirements: readonly Requirement[], names: TestNames): string[] {
  const proven = new Set([...names.values()].flat().flatMap(idsIn));
  return requirements.filter(({ id }) => !proven.has(id)).map(({ id, sentence }) => `${id} ${sentence}`);
}

function findUnlisted(requirements: readonly Requirement[], names: TestNames): string[] {
  const ids = new Set(requirements.map(({ id }) => id));
  return [...names].flatMap(([file, inFile]) =>
    inFile
      .flatMap(idsIn)
      .filter((id) => !ids.has(id))
      .map((id) => `${id} in ${file}`),
  );
}

function findRepeated(requirements: readonly Requirement[]): string[] {
  const ids = requirements.map(({ id }) => id);
  return ids.filter((id, index) => ids.indexOf(id) !== index);
}

function idsIn(name: string): string[] {
  return name.match(/\bA\d-\d{2}\b/g) ?? [];
}
