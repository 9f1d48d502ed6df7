import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { compileSchema } from "../../src/core/schema.ts";
import { checkConfig } from "../../src/node/check-config.ts";
import { CONFIG_SCHEMA, HOST_TOOLS_SCHEMA, POLICY_SCHEMA } from "../../src/node/config-schema.ts";

const VALID = {
  version: 1,
  toolsets: {
    vfs: { read: ["notes/**"], versions: 3 },
    exa: {
      package: "@exalabs/ai-sdk",
      import: "webSearch",
      call: [{}],
      approval: { default: "ask", tools: { web_search: "preApproved" } },
    },
    mine: { module: "./a.ts", tools: ["add"], approval: "ask" },
  },
  tools: [
    {
      name: "q",
      description: "d",
      module: "./q.ts",
      function: "f",
      parameters: { type: "object" },
      timeout: "30s",
      capabilities: ["read"],
    },
  ],
  policy: { default: "ask", rules: [{ tool: "a*", input: { "/x": "y*" }, approval: "blocked", match: ["a {}"] }] },
  limits: { depth: 2, timeout: 5, budget: { tokens: 10, usd: 0.5, time: "1h" } },
};

const odd = fc.constantFrom<unknown>(
  null,
  0,
  -1,
  1,
  2.5,
  "",
  "x",
  "30s",
  "ask",
  "blocked",
  true,
  [],
  {},
  ["read"],
  { default: "ask" },
  "a b",
  "__x",
);

/** The valid value with one place replaced, removed or added to. */
const broken = fc.tuple(fc.nat(400), odd, fc.constantFrom("replace", "remove", "add")).map(([at, value, how]) => {
  const copy = structuredClone(VALID);
  const places: [Record<string, unknown>, string][] = [];
  const walk = (node: unknown): void => {
    if (typeof node !== "object" || node === null) return;
    for (const key of Object.keys(node)) {
      places.push([node as Record<string, unknown>, key]);
      walk((node as Record<string, unknown>)[key]);
    }
  };
  walk(copy);
  const [node, key] = places[at % places.length]!;
  if (how === "remove") delete node[key];
  else node[how === "add" ? "extra" : key] = value;
  return JSON.parse(JSON.stringify(copy)) as unknown;
});

describe("the check of configuration", () => {
  test("takes what is right", () => {
    expect(checkConfig(CONFIG_SCHEMA, VALID)).toEqual([]);
  });

  test("finds a file wrong exactly when the compiled schema does", async () => {
    const compiled = compileSchema(CONFIG_SCHEMA);
    let wrong = 0;
    await fc.assert(
      fc.asyncProperty(broken, async (value) => {
        const checked = await compiled.check(structuredClone(value));
        const problems = checkConfig(CONFIG_SCHEMA, value);
        if (!checked.ok) wrong++;
        expect({ value, ok: problems.length === 0 }).toEqual({ value, ok: checked.ok });
      }),
      { numRuns: 2_000 },
    );
    expect(wrong).toBeGreaterThan(500);
  });

  test.each([
    ["an unknown key", { version: 1, polcy: {} }, "", 'unknown key "polcy", did you mean "policy"?'],
    ["a wrong type", { version: 1, limits: { depth: "x" } }, "/limits/depth", "must be integer, is string"],
    [
      "a rule without a subject",
      { version: 1, policy: { rules: [{ approval: "ask" }] } },
      "/policy/rules/0",
      'must have at least one of "tool", "toolset", "capability"',
    ],
    [
      "a toolset of two kinds",
      { version: 1, toolsets: { a: { module: "x", package: "y" } } },
      "/toolsets/a",
      'must have exactly one of "package", "module"',
    ],
    [
      "an approval that is none",
      { version: 1, policy: { rules: [{ tool: "a", approval: "yes" }] } },
      "/policy/rules/0/approval",
      "must be one of preApproved, ask, blocked",
    ],
    [
      "a problem inside one of two forms",
      { version: 1, toolsets: { a: { module: "x", approval: { defalt: "ask" } } } },
      "/toolsets/a/approval",
      'unknown key "defalt", did you mean "default"?',
    ],
    [
      "a name outside the grammar",
      { version: 1, toolsets: { "a b": { module: "x" } } },
      "/toolsets/a b",
      'the name "a b" must match ^[A-Za-z][A-Za-z0-9_-]*$',
    ],
  ])("says what is wrong with %s, and where", (_, value, path, message) => {
    expect(checkConfig(CONFIG_SCHEMA, value)).toMatchObject([{ path, message }]);
  });

  test("knows every keyword that our schemas use", () => {
    for (const schema of [CONFIG_SCHEMA, POLICY_SCHEMA, HOST_TOOLS_SCHEMA])
      expect(() => checkConfig(schema, VALID)).not.toThrow();
  });
});
