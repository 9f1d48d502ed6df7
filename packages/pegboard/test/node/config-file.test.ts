import { describe, expect, test } from "vitest";
import { createRuntime, type PegboardError } from "../../src/index.ts";
import { readWorkspace } from "../../src/node/index.ts";
import { type Folder, makeFolder } from "./workspace-folder.ts";

const ADD = `
export function add({ a, b }) { return a + b; }
export const addSchema = { type: "object", properties: { a: { type: "number" }, b: { type: "number" } }, required: ["a", "b"] };
`;

/** The error with which a workspace of this configuration does not open. */
async function refusal(yaml: string, files: Record<string, string> = {}): Promise<PegboardError> {
  const folder = makeFolder({ "pegboard.yaml": yaml, ...files });
  return folder.open().then(
    () => expect.unreachable("it opened"),
    (error: PegboardError) => error,
  );
}

async function problems(folder: Folder): Promise<readonly unknown[]> {
  return (await folder.open()).diagnostics;
}

describe("a configuration file", () => {
  test("A1-24 an unknown key is an error with its path, its line and the key that was meant", async () => {
    const error = await refusal("version: 1\npolicy:\n  rules: []\ntoolset: {}\n");
    expect(error.code).toBe("invalid_config");
    expect(error.message).toMatch(/pegboard\.yaml:4:1: unknown key "toolset", did you mean "toolsets"\?/);
  });

  test("A1-24 an unknown key deep in a rule is found where it stands", async () => {
    const error = await refusal("version: 1\npolicy:\n  rules:\n    - tool: a\n      aproval: ask\n");
    expect(error.message).toMatch(
      /pegboard\.yaml:5:7: \/policy\/rules\/0: unknown key "aproval", did you mean "approval"\?/,
    );
    expect(error.message).toMatch(/missing "approval"/);
  });

  test.each([
    ["text that is no YAML", "version: 1\npolicy: [\n", /pegboard\.yaml:\d+:\d+: /],
    ["a key twice", "version: 1\npolicy: {}\npolicy: {}\n", /pegboard\.yaml:3:1: .*unique/i],
    ["a list instead of keys", "- version: 1\n", /must be object/],
    ["nothing at all", "", /it needs at least: version: 1/],
    ["no version", "policy: {}\n", /missing "version"/],
    ["a version from the future", "version: 2\n", /\/version: must be 1/],
    ["an unknown tag", "version: !secret 1\n", /secret/],
    ["a limit that is none", "version: 1\nlimits: { timeout: soon }\n", /\/limits\/timeout/],
  ])("%s is refused as a whole, with its place", async (_, yaml, message) => {
    const error = await refusal(yaml);
    expect(error).toMatchObject({ code: "invalid_config", message: expect.stringMatching(message) });
  });

  test("aliases that multiply are refused before they do", async () => {
    const level = (index: number) =>
      `l${index}: &l${index} [${Array(10)
        .fill(`*l${index - 1}`)
        .join(", ")}]\n`;
    const bomb = `l0: &l0 [x, x]\n${Array.from({ length: 9 }, (_, index) => level(index + 1)).join("")}`;
    const started = performance.now();
    expect((await refusal(`version: 1\n${bomb}`)).message).toMatch(/alias/i);
    expect(performance.now() - started).toBeLessThan(2_000);
  });

  test("all problems are reported at once", async () => {
    const error = await refusal("version: 1\nlimits: { depth: 0 }\npolicy: { default: maybe }\nmodle: x\n");
    expect(error.message).toMatch(/\/limits\/depth/);
    expect(error.message).toMatch(/\/policy\/default/);
    expect(error.message).toMatch(/did you mean "model"/);
  });
});

test("where the server listens is read, and checked", async () => {
  const { path, home } = makeFolder({ "pegboard.yaml": "version: 1\nserver: { host: localhost, port: 0 }\n" });
  const { config } = await readWorkspace(path, { home });
  expect(config?.server).toEqual({ host: "localhost", port: 0 });
  expect((await refusal("version: 1\nserver: { port: 65536 }\n")).message).toMatch(/\/server\/port/);
});

describe("what agents need", () => {
  test("is read: the model, aliases, prices, providers, limits of runs, and what they may edit", async () => {
    const { path, home } = makeFolder({
      "pegboard.yaml": `version: 1
model: small
models: { small: "google:gemini-2.5-flash-lite" }
prices: { "mine:big": { input: 1, output: 2.5 } }
providers: { mine: { baseURL: "http://127.0.0.1:1/v1", apiKey: "secret://mine" } }
agents: { tools: none }
toolsets: { vfs: { write: ["agents/**"], edit_agents: true } }
delegation: { validator: critic, rubric: Short, validator_failure: fail, max_iterations: 2, max_usd: 0.1, backoff: 5s }
limits: { runs: 9, turns: 7, fanout: 6, concurrency: 5, waiting: 0, sameAgentInChain: 4, poolSize: 2, poolIdle: 1m, budget: { tokens: 100, usd: 0.5, time: 90s, spawns: 3 } }
`,
    });
    const { config, limits } = await readWorkspace(path, { home, trust: true });
    expect(config).toMatchObject({
      model: "small",
      models: {
        aliases: { small: "google:gemini-2.5-flash-lite" },
        prices: { "mine:big": { input: 1, output: 2.5 } },
        providers: { mine: { baseURL: "http://127.0.0.1:1/v1", apiKey: "secret://mine" } },
      },
      agentTools: "none",
      vfs: { write: ["agents/**"], editAgents: true },
      diagnostics: [],
    });
    expect(config!.delegation).toEqual({
      validator: "critic",
      rubric: "Short",
      validatorFailure: "fail",
      maxIterations: 2,
      maxUsd: 0.1,
      backoffMs: 5_000,
    });
    expect(limits).toEqual({
      runs: 9,
      turns: 7,
      fanout: 6,
      concurrency: 5,
      waiting: 0,
      sameAgentInChain: 4,
      poolSize: 2,
      poolIdleMs: 60_000,
      budgetTokens: 100,
      budgetUsd: 0.5,
      budgetMs: 90_000,
      budgetSpawns: 3,
    });
  });

  test.each([
    ["model: 5", /\/model: must be string/],
    ["prices: { a: { input: 1 } }", /\/prices\/a: missing "output"/],
    ["providers: { a: { url: x } }", /unknown key "url"/],
    ["agents: { tools: some }", /\/agents\/tools: must be one of all, none/],
    ["limits: { budget: { usd: 0 } }", /\/limits\/budget\/usd: must be more than 0/],
  ])("is refused when it is wrong: %s", async (line, message) => {
    expect((await refusal(`version: 1\n${line}\n`)).message).toMatch(message);
  });
});

describe("toolsets", () => {
  test("A1-23 a toolset of no known form is an error with its line, and the others load", async () => {
    const yaml =
      "version: 1\ntoolsets:\n  good: { module: ./add.mjs, tools: [add] }\n  bad: { modul: ./add.mjs }\n  empty: {}\n";
    const workspace = await makeFolder({ "pegboard.yaml": yaml, "add.mjs": ADD }).open();
    expect(workspace.tools.get("good__add")).toBeDefined();
    expect(workspace.diagnostics).toMatchObject(
      expect.arrayContaining([
        expect.objectContaining({
          severity: "error",
          code: "unknown_key",
          line: 4,
          message: expect.stringContaining(`did you mean "module"`),
        }),
        expect.objectContaining({ severity: "error", line: 5 }),
      ]),
    );
  });

  test("A1-19 a relative module is found from the file that names it, not from the working folder", async () => {
    const hostTools =
      "tools:\n  - { name: mine, description: Mine, module: ./mine.mjs, function: run, requires_approval: false }\n";
    const folder = makeFolder({
      "pegboard.yaml": "version: 1\ntoolsets:\n  near: { module: ./lib/add.mjs, tools: [add] }\n",
      "lib/add.mjs": ADD,
      "elsewhere/mine.mjs": "export const run = () => 'from elsewhere';",
    });
    const workspace = await folder.open({ hostTools: [folder.write("elsewhere/tools.yaml", hostTools)] });
    expect(workspace.diagnostics).toEqual([]);
    expect(workspace.tools.get("near__add")).toBeDefined();
    expect((await workspace.open().call("mine")).content).toMatchObject([{ text: "from elsewhere" }]);
  });

  test("A1-22 two toolsets with a tool of the same name are both usable under their keys", async () => {
    const yaml =
      "version: 1\ntoolsets:\n  one: { module: ./add.mjs, tools: [add], approval: preApproved }\n  two: { module: ./other.mjs, tools: [add], approval: preApproved }\n";
    const workspace = await makeFolder({
      "pegboard.yaml": yaml,
      "add.mjs": ADD,
      "other.mjs": ADD.replace("a + b", "a - b"),
    }).open();
    const session = workspace.open();
    expect((await session.call("one__add", { a: 5, b: 3 })).structured).toBe(8);
    expect((await session.call("two__add", { a: 5, b: 3 })).structured).toBe(2);
  });

  test("A1-22 two tools of one bare name are an error that names both files", async () => {
    const tool = (reply: string) =>
      `export const t = { name: "same", description: "Same", input: { type: "object" }, approval: "preApproved", execute: () => "${reply}" };`;
    const workspace = await makeFolder({ "tools/a.mjs": tool("a"), "tools/b.mjs": tool("b") }).open();
    expect(workspace.diagnostics).toMatchObject([
      {
        severity: "error",
        message: expect.stringMatching(/"same" is registered already by .*a\.mjs.*b\.mjs.* cannot register it too/),
      },
    ]);
    expect((await workspace.open().call("same")).content).toMatchObject([{ text: "a" }]);
  });

  test("A1-21 a toolset that is registered twice throws and names both; replacing it is said explicitly", () => {
    const { tools } = createRuntime({ builtins: false });
    const toolset = [{ name: "add", description: "Adds", input: { type: "object" }, execute: () => 0 }];
    const from = (id: string) => ({ prefix: "math", source: { kind: "module", id, file: `${id}.ts` } }) as const;
    tools.register(toolset, from("first"));
    expect(() => tools.register(toolset, from("second"))).toThrow(
      /"math__add" is registered already by module "first" \(first\.ts\); module "second" \(second\.ts\)/,
    );
    expect(tools.registerOrReplace(toolset, from("second")).replaced).toEqual(["math__add"]);
    expect(tools.find("math__add")?.source.id).toBe("second");
  });

  test("a key twice in toolsets is refused, as the second would hide the first", async () => {
    const yaml = "version: 1\ntoolsets:\n  one: { module: ./a.mjs }\n  one: { module: ./b.mjs }\n";
    expect((await refusal(yaml)).message).toMatch(/pegboard\.yaml:4:3/);
  });

  test("the approval of a toolset becomes rules with their lines", async () => {
    const yaml =
      "version: 1\ntoolsets:\n  one:\n    module: ./add.mjs\n    tools: [add]\n    approval:\n      default: ask\n      tools:\n        add: preApproved\n";
    const folder = makeFolder({ "pegboard.yaml": yaml, "add.mjs": ADD });
    const session = (await folder.open()).open();
    expect(await session.explain("one__add", { a: 1, b: 2 })).toMatchObject({
      decision: "preApproved",
      file: `${folder.path}/pegboard.yaml`,
      line: 9,
    });
  });
});

describe("rules", () => {
  const rule = (text: string) => `version: 1\npolicy:\n  rules:\n    - ${text}\n`;

  test.each([
    ["of no subject", "{ approval: ask }"],
    ["with an approval that there is not", "{ tool: a, approval: maybe }"],
    ["with an input that is no pattern", "{ tool: a, input: { /x: 5 }, approval: ask }"],
  ])("one %s makes the file unusable: a rule must not go missing", async (_, text) => {
    expect(await refusal(rule(text))).toMatchObject({
      code: "invalid_config",
      message: expect.stringContaining("pegboard.yaml:4"),
    });
  });

  test.each([
    [
      "an example that is to match and does not",
      `{ tool: "math__*", approval: ask, match: ["mathadd {}"] }`,
      /"mathadd {}" is not matched/,
    ],
    [
      "an example that must not match and does",
      `{ tool: "math__*", approval: ask, not_match: ["math__add {}"] }`,
      /"math__add {}" is matched/,
    ],
    [
      "an example whose input does not match",
      `{ tool: a, input: { /x: "y*" }, approval: ask, match: ['a {"x":"z"}'] }`,
      /is not matched/,
    ],
    [
      "an example that cannot be read",
      `{ tool: a, approval: ask, match: ["a {"] }`,
      /not a tool name followed by its input/,
    ],
    ["an example of another toolset", `{ toolset: math, approval: ask, match: ["maths__add {}"] }`, /is not matched/],
  ])("%s makes the file unusable", async (_, text, message) => {
    expect((await refusal(rule(text))).message).toMatch(message);
  });

  test.each([
    `{ toolset: "ma*", approval: ask, match: ["math__add {}"], not_match: ["other__add {}"] }`,
    `{ toolset: files, approval: ask, match: ["plain {}"], not_match: ["bare {}"] }`,
    `{ capability: network, approval: ask, match: ["fetch {}"], not_match: ["vfs_read {}"] }`,
  ])("examples that only the tools themselves could decide do not keep a file from loading: %s", async (text) => {
    expect(await problems(makeFolder({ "pegboard.yaml": rule(text) }))).toEqual([]);
  });

  test("those of a workspace that is not trusted only tighten", async () => {
    const yaml =
      "version: 1\npolicy:\n  rules:\n    - { tool: vfs_read, approval: blocked }\n    - { tool: mail, approval: preApproved }\n";
    const session = (await makeFolder({ "pegboard.yaml": yaml }).open({ trust: false })).open();
    expect(await session.explain("vfs_read", { path: "a" })).toMatchObject({ decision: "blocked", line: 4 });
    expect(await session.explain("mail")).toMatchObject({ decision: "ask", by: "default" });
  });
});
