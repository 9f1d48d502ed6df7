import { existsSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { makePlace, toolModule } from "./run.ts";

const FILES = {
  "pegboard.yaml": `version: 1
toolsets:
  math: { module: ./math.mjs, tools: [add], approval: preApproved }
policy:
  rules:
    - { tool: risky, approval: blocked, reason: not in this workspace }
    - { tool: mail, input: { /to: "*@example.com" }, approval: preApproved }
    - { tool: mail, agent: intern, approval: blocked }
`,
  "math.mjs": `export const add = ({ a, b }) => a + b;
export const addSchema = { type: "object", properties: { a: { type: "number" }, b: { type: "number" } } };`,
  "tools/mine.ts": toolModule({
    mail: `input: { type: "object", properties: { to: { type: "string" } } }, execute: () => { throw new Error("it ran"); }`,
    risky: `execute: () => { throw new Error("it ran"); }`,
  }),
};

describe("policy explain", () => {
  test("A1-04 names the decision, the rule with its file and line, and every vote", async () => {
    const place = makePlace(FILES, { trust: true });
    const { code, stdout } = await place.run("policy", "explain", "mail", "to=ada@example.com");
    expect(code).toBe(0);
    expect(stdout).toContain("mail: preApproved\n");
    expect(stdout).toContain(
      `by the rule tool "mail", input /to "*@example.com" → preApproved (${place.path("pegboard.yaml")}:7)\n`,
    );
    expect(stdout).toMatch(/votes:\n {2}rule +preApproved/);
  });

  test("A0-22, A1-05 --json has exactly the documented fields", async () => {
    const place = makePlace(FILES, { trust: true });
    const { code, stdout } = await place.run("policy", "explain", "risky", "--json");
    const origin = { file: place.path("pegboard.yaml"), line: 6 };
    const vote = {
      by: "rule",
      approval: "blocked",
      rule: `tool "risky" → blocked`,
      reason: "not in this workspace",
      ...origin,
    };
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toEqual({
      tool: "risky",
      decision: "blocked",
      votes: [vote],
      rule: vote.rule,
      reason: vote.reason,
      ...origin,
    });
  });

  test("A1-03 asks about what no rule decides, reads the input in any form, and writes nothing", async () => {
    const place = makePlace(FILES, { trust: true });
    for (const input of [["to=eve@example.org"], [`to:="eve@example.org"`], ["--input", `{"to":"eve@example.org"}`]]) {
      const { stdout } = await place.run("policy", "explain", "mail", ...input, "--json");
      expect(JSON.parse(stdout)).toMatchObject({ decision: "ask", votes: [{ by: "default" }] });
    }
    expect(existsSync(place.path(".pegboard"))).toBe(false);
    expect(existsSync(place.home)).toBe(false);
  });

  test("judges as another agent when it is told to", async () => {
    const place = makePlace(FILES, { trust: true });
    const explained = await place.run("policy", "explain", "mail", "to=ada@example.com", "--agent", "intern", "--json");
    expect(JSON.parse(explained.stdout)).toMatchObject({ decision: "blocked", line: 8 });
  });

  test("judges the tools of a workspace that is not trusted by their names, and imports nothing", async () => {
    const place = makePlace({ ...FILES, "tools/mine.ts": `throw new Error("imported");` });
    const add = await place.run("policy", "explain", "math__add", "a=1", "--json");
    expect(add.code).toBe(0);
    expect(add.stderr).toContain("pegboard trust");
    expect(JSON.parse(add.stdout)).toMatchObject({
      decision: "ask",
      reason: expect.stringContaining(`no tool named "math__add" is registered`),
    });
    expect(JSON.parse((await place.run("policy", "explain", "risky", "--json")).stdout)).toMatchObject({
      decision: "blocked",
      line: 6,
    });
  });

  test("answers a batch line by line, in order, with an error in the place of a bad line", async () => {
    const place = makePlace(FILES, { trust: true });
    const lines = [
      `{"tool":"mail","input":{"to":"a@example.com"}}`,
      "nonsense",
      `{"tool":"mail","input":{"to":"a@example.com"},"agent":"intern"}`,
      `{"input":{}}`,
      `{"tool":"nosuch"}`,
    ];
    const { code, stdout } = await place.runWith({ stdin: lines.join("\n") }, "policy", "explain", "--batch", "-");
    const answers = stdout
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line) as Record<string, unknown>);
    expect(code).toBe(1);
    expect(answers).toMatchObject([
      { tool: "mail", decision: "preApproved" },
      { error: { code: "invalid_input" }, line: 2 },
      { tool: "mail", decision: "blocked" },
      { error: { code: "invalid_input" }, line: 4 },
      { tool: "nosuch", decision: "ask" },
    ]);
  });

  test("answers thousands of lines in one go", async () => {
    const stdin = Array.from(
      { length: 5_000 },
      (_, index) => `{"tool":"mail","input":{"to":"${index}@example.com"}}\n`,
    ).join("");
    const { code, stdout } = await makePlace(FILES, { trust: true }).runWith(
      { stdin },
      "policy",
      "explain",
      "--batch",
      "-",
    );
    expect(code).toBe(0);
    expect(stdout.match(/"decision":"preApproved"/g)).toHaveLength(5_000);
  });

  test.each([[], ["mail", "--batch", "-"], ["mail", "--as", "nobody"], ["mail", "to"]])(
    "refuses a wrong command line: %j",
    async (...argv) => {
      expect((await makePlace(FILES).run("policy", "explain", ...argv)).code).toBe(2);
    },
  );
});

describe("policy test", () => {
  const rules = (...lines: readonly string[]) =>
    `version: 1\npolicy:\n  rules:\n${lines.map((line) => `    - ${line}\n`).join("")}`;
  const tools = toolModule({
    fetch: `capabilities: ["network"], execute: () => ""`,
    read: `capabilities: ["read"], execute: () => ""`,
  });

  test("holds every rule against its examples, also those that only the tools can decide", async () => {
    const yaml = rules(
      `{ capability: network, approval: ask, match: ["fetch {}"], not_match: ["read {}"] }`,
      `{ toolset: mine, approval: ask, match: ["fetch {}"], not_match: ["vfs_read {}"] }`,
    );
    const place = makePlace({ "pegboard.yaml": yaml, "tools/mine.ts": tools }, { trust: true });
    const { code, stdout } = await place.run("policy", "test", "--json");
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({
      summary: { rules: 2, examples: 4, failed: 0, unknown: 0, warnings: 0 },
    });
  });

  test("fails when an example does not hold, and says which", async () => {
    const yaml = rules(
      `{ capability: network, approval: ask, match: ["read {}"] }`,
      `{ tool: "fe*", approval: ask, not_match: ["fetch {}"] }`,
    );
    const place = makePlace({ "pegboard.yaml": yaml, "tools/mine.ts": tools }, { trust: true });
    const { code, stdout } = await place.run("policy", "test");
    expect(code).toBe(1);
    expect(stdout).toContain(`failed  capability "network" → ask`);
    expect(stdout).toContain(`the example "read {}" is not matched`);
    expect(stdout).toContain(`the example "fetch {}" is matched`);
  });

  test("warns of rules that concern no tool and of rules that never decide", async () => {
    const yaml = rules(
      "{ tool: nosuch, approval: ask }",
      "{ tool: fetch, approval: preApproved }",
      "{ tool: fetch, approval: ask }",
    );
    const place = makePlace({ "pegboard.yaml": yaml, "tools/mine.ts": tools }, { trust: true });
    const { code, stdout } = await place.run("policy", "test", "--json");
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({
      rules: [
        { warnings: [expect.stringContaining("none of the tools")] },
        { warnings: [expect.stringContaining("never decides")] },
        { warnings: [] },
      ],
    });
    expect((await place.run("policy", "test", "--strict")).code).toBe(1);
  });

  test("warns of names without their source that mean several tools, and of those that allow nothing", async () => {
    const yaml = `${rules("{ tool: fetch, approval: ask }", "{ tool: fetch, approval: preApproved, mode: headless }")}
toolsets: { one: { module: ./mine.ts }, two: { module: ./mine.ts } }`;
    const place = makePlace({ "pegboard.yaml": yaml, "mine.ts": tools }, { trust: true });
    const { stdout } = await place.run("policy", "test", "--json");
    expect(JSON.parse(stdout)).toMatchObject({
      rules: [
        { warnings: ['"fetch" stands for several tools, and it holds for all of them: one__fetch, two__fetch'] },
        { warnings: [expect.any(String), "what allows a tool names it whole: one__fetch, two__fetch"] },
      ],
    });
  });

  test("says what it cannot check where nothing may run, and tests the person's own policy too", async () => {
    const place = makePlace({
      "pegboard.yaml": rules(`{ capability: network, approval: ask, match: ["fetch {}"] }`),
      "tools/mine.ts": `throw new Error("imported");`,
      "../home/policy.yaml": `version: 1\nrules:\n  - { tool: "a*", approval: ask, match: ["b {}"] }\n`,
    });
    const { code, stdout } = await place.run("policy", "test", "--json");
    expect(code).toBe(1);
    expect(JSON.parse(stdout)).toMatchObject({ summary: { rules: 2, failed: 1, unknown: 1 } });
  });

  test("refuses a policy that cannot be read", async () => {
    const { code, stderr } = await makePlace({ "pegboard.yaml": rules("{ tool: a }") }).run("policy", "test");
    expect(code).toBe(2);
    expect(stderr).toContain(`missing "approval"`);
  });
});
