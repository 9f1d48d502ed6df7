import { expect, test } from "vitest";
import { makePlace, toolModule } from "./run.ts";

const SCHEMA = `{ type: "object", properties: { a: { type: "number" } }, required: ["a"] }`;

test("A1-16: a module's functions with schemas and whole tools work, sync and async", async () => {
  const place = makePlace(
    {
      "pegboard.yaml": `version: 1
toolsets:
  mine: { module: ./lib/own.ts, tools: [double, later, whole, wholeLater], approval: preApproved }
`,
      "lib/own.ts": `
export const doubleSchema = ${SCHEMA};
export function double({ a }: { a: number }) { return 2 * a; }
export const laterSchema = ${SCHEMA};
export async function later({ a }: { a: number }) { return 3 * a; }
export const whole = { name: "whole", description: "Whole", input: ${SCHEMA}, execute: ({ a }) => 4 * a };
export const wholeLater = { name: "whole-later", description: "Whole, later", input: ${SCHEMA}, execute: async ({ a }) => 5 * a };
`,
    },
    { trust: true },
  );
  const call = async (name: string) => (await place.run("call", name, "a=10")).stdout;
  expect(await call("mine__double")).toBe("20\n");
  expect(await call("mine__later")).toBe("30\n");
  expect(await call("mine__whole")).toBe("40\n");
  expect(await call("mine__whole-later")).toBe("50\n");
});

test("A1-17: what does not load says why and leaves the others", async () => {
  const place = makePlace(
    {
      "pegboard.yaml": `version: 1
toolsets:
  absent: { module: ./lib/own.ts, tools: [missing, good] }
  bare: { module: ./lib/own.ts, tools: [bare] }
  wrong: { module: ./lib/own.ts, tools: [wrong] }
  throws: { module: ./lib/throws.ts, tools: [any] }
  gone: { module: ./lib/gone.ts, tools: [any] }
`,
      "lib/own.ts": `
export const goodSchema = ${SCHEMA};
export function good() { return "good"; }
export function bare() { return "bare"; }
export const wrongSchema = { type: "nonsense" };
export function wrong() { return "wrong"; }
`,
      "lib/throws.ts": `throw new Error("cannot find my database");`,
    },
    { trust: true },
  );
  const { code, stdout, stderr } = await place.run("list");
  expect(code).toBe(0);
  expect(stdout).toContain("absent__good");
  const lines = stderr.trimEnd().split("\n");
  const saying = (text: string) => lines.find((line) => line.includes(text));
  expect(saying(`There is no export named "missing"`)).toMatch(
    /^error: .*pegboard\.yaml:3: .*available: .*good, goodSchema/,
  );
  expect(saying(`The function "bare" has no schema`)).toMatch(/pegboard\.yaml:4: .*bareSchema/);
  expect(saying("The schema is wrong at #/type")).toMatch(/pegboard\.yaml:5: toolset "wrong"/);
  expect(saying("cannot find my database")).toMatch(/pegboard\.yaml:6: toolset "throws"/);
  expect(saying("There is no file")).toMatch(/pegboard\.yaml:7: .*lib\/gone\.ts/);
  expect((await place.run("list", "--strict")).code).toBe(1);
  expect(await place.run("call", "absent__good", "a=1", "--strict")).toMatchObject({
    code: 1,
    stdout: "",
    stderr: expect.stringContaining("--strict"),
  });
});

test("A1-18: only the listed exports become tools, a package loads the same way, and one that is not installed says how to install it", async () => {
  const place = makePlace(
    {
      "pegboard.yaml": `version: 1
toolsets:
  mine: { module: ./lib/own.ts, tools: [one] }
  npm: { package: some-tools, import: makeTools, call: [{ word: hi }], approval: preApproved }
  absent: { package: "@some/absent", import: tools }
`,
      "lib/own.ts": toolModule({ one: `execute: () => 1`, two: `execute: () => 2` }),
      "node_modules/some-tools/package.json": `{ "name": "some-tools", "version": "1.0.0", "type": "module", "exports": "./index.js" }`,
      "node_modules/some-tools/index.js": `export const makeTools = ({ word }) => ({
  say: { name: "say", description: "Say", input: { type: "object" }, execute: () => word },
});`,
    },
    { trust: true },
  );
  const { stdout, stderr } = await place.run("list");
  expect(stdout).toContain("mine__one");
  expect(stdout).not.toContain("mine__two");
  expect(stderr).toMatch(/The package "@some\/absent" is not installed\. Install it with: npm install .*@some\/absent/);
  expect(await place.run("call", "npm__say")).toMatchObject({ code: 0, stdout: "hi\n" });
});

test("A1-19: a relative path counts from the file that names it, wherever the command is run", async () => {
  const place = makePlace(
    {
      "pegboard.yaml": `version: 1\ntoolsets:\n  mine: { module: ./lib/own.ts, tools: [one], approval: preApproved }\n`,
      "lib/own.ts": toolModule({ one: `execute: () => "of the workspace"` }),
      "below/lib/own.ts": toolModule({ one: `execute: () => "of the working folder"` }),
      "host/tools.yaml": `tools:\n  - { name: hosted, description: Hosted, module: ./lib/own.ts, function: handle, requires_approval: false }\n`,
      "host/lib/own.ts": `export const handle = () => "of the host";`,
    },
    { trust: true },
  );
  const below = { cwd: place.path("below") };
  expect((await place.runWith(below, "call", "mine__one")).stdout).toBe("of the workspace\n");
  expect((await place.runWith(below, "call", "hosted", "--host-tools", "../host/tools.yaml")).stdout).toBe(
    "of the host\n",
  );
});
