import { describe, expect, test } from "vitest";
import { COMMANDS } from "../../src/cli/commands.ts";
import { CONFIG, makePlace, toolModule } from "./run.ts";

describe("A1-37: the timeout", () => {
  const SLOW = toolModule({
    slow: `capabilities: ["read"], execute: () => new Promise((resolve) => setTimeout(resolve, 10_000))`,
  });
  const withFile = () =>
    makePlace({ "pegboard.yaml": `${CONFIG}limits: { timeout: 200ms }\n`, "tools/slow.ts": SLOW }, { trust: true });
  const shown = async (outcome: Promise<{ stdout: string }>) =>
    (JSON.parse((await outcome).stdout) as Record<string, unknown>)["timeout"];

  test("of the command line comes before the environment, the file and the default", async () => {
    const place = withFile();
    const env = { PEGBOARD_TIMEOUT: "20s" };
    const show = ["config", "show", "--json"];
    expect(await shown(place.runWith({ env }, ...show, "--timeout", "10s"))).toEqual({
      value: "10s",
      origin: "--timeout",
    });
    expect(await shown(place.runWith({ env }, ...show))).toEqual({ value: "20s", origin: "PEGBOARD_TIMEOUT" });
    expect(await shown(place.run(...show))).toEqual({ value: "0.2s", origin: `${place.path("pegboard.yaml")}:2` });
    expect(await shown(makePlace({ "pegboard.yaml": CONFIG }).run(...show))).toEqual({
      value: "120s",
      origin: "default",
    });
  });

  test("that holds for a call is the same, and an option left out overrides nothing", async () => {
    const place = withFile();
    const message = (seconds: string) => expect.stringContaining(`did not answer within ${seconds} seconds`) as string;
    expect(await place.run("call", "slow")).toMatchObject({ code: 1, stderr: message("0.2") });
    expect(await place.runWith({ env: { PEGBOARD_TIMEOUT: "300ms" } }, "call", "slow")).toMatchObject({
      stderr: message("0.3"),
    });
    const both = place.runWith({ env: { PEGBOARD_TIMEOUT: "300ms" } }, "call", "slow", "--timeout", "0.1");
    expect(await both).toMatchObject({ stderr: message("0.1") });
  });
});

test("config show says what holds, where it comes from, and runs nothing", async () => {
  const place = makePlace({
    "pegboard.yaml": `${CONFIG}limits: { depth: 3 }\npolicy:\n  default: blocked\n  rules:\n    - { tool: a, approval: ask }\n    - { tool: b, approval: preApproved }\n`,
    "tools/evil.ts": `process.exit(9);`,
  });
  place.write("../home/policy.yaml", "version: 1\nrules:\n  - { tool: c, approval: preApproved }\n");
  const config = place.path("pegboard.yaml");
  const { stdout } = await place.runWith({ env: { PEGBOARD_APPROVE: "none" } }, "config", "show", "--origins");
  const rows = stdout
    .trimEnd()
    .split("\n")
    .map((line) => line.split(/ {2,}/));
  expect(rows).toEqual([
    ["workspace", place.folder, config],
    ["home", place.home, "PEGBOARD_HOME"],
    ["data", place.path(".pegboard"), "default"],
    ["trusted", "false", "default"],
    ["approve", "none", "PEGBOARD_APPROVE"],
    ["timeout", "120s", "default"],
    // An untrusted workspace can only tighten: neither its limits nor the rule that allows count.
    ["depth", "5", "default"],
    ["policyDefault", "blocked", `${config}:4`],
    ["rules", "1", `${place.home}/policy.yaml`],
    ["rules", "1", config],
  ]);
  const trusted = JSON.parse((await place.run("config", "show", "--json", "--trust")).stdout) as Record<
    string,
    unknown
  >;
  expect(trusted).toMatchObject({
    trusted: { value: true, origin: "--trust" },
    depth: { value: 3, origin: `${config}:2` },
  });
  expect(trusted["rules"]).toEqual([expect.anything(), { file: config, count: 2 }]);
});

describe("a configuration that is wrong is refused with file, line and what would mend it", () => {
  test.each([
    { what: "A1-24: an unknown key", text: `${CONFIG}polcy: {}\n`, message: /pegboard\.yaml:2:1: .*polcy.*policy/ },
    {
      what: "A1-24: an unknown key deep inside",
      text: `${CONFIG}policy:\n  rules:\n    - { tool: a, aproval: ask }\n`,
      message: /pegboard\.yaml:4:\d+: .*\/policy\/rules\/0.*aproval.*approval/,
    },
    { what: "a line that is no YAML", text: `${CONFIG}policy: [\nlimits: {}\n`, message: /pegboard\.yaml:\d+:\d+: / },
    { what: "a key twice", text: `${CONFIG}limits: {}\nlimits: {}\n`, message: /pegboard\.yaml:3:1: .*unique/ },
    {
      what: "a value of the wrong type",
      text: `${CONFIG}limits: { depth: deep }\n`,
      message: /pegboard\.yaml:2:\d+: \/limits\/depth: .*integer/,
    },
    { what: "an empty file", text: "", message: /the file is empty; it needs at least: version: 1/ },
  ])("$what", async ({ text, message }) => {
    const { code, stdout, stderr } = await makePlace({ "pegboard.yaml": text }).run("list");
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
    expect(stderr).toMatch(/^error \(invalid_config\): .*pegboard\.yaml cannot be used:/);
    expect(stderr).toMatch(message);
  });

  test("with --json the error is the document", async () => {
    const { code, stdout } = await makePlace({ "pegboard.yaml": "version: 2\n" }).run("list", "--json");
    expect({ code, error: JSON.parse(stdout) as unknown }).toEqual({
      code: 2,
      error: { error: { code: "invalid_config", message: expect.stringContaining("/version") } },
    });
  });
});

describe("the command line", () => {
  test("alone prints its help", async () => {
    const { code, stdout, stderr } = await makePlace().run();
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(stdout).toContain("$ pegboard init my-tools");
  });

  test("suggests the command that was meant", async () => {
    expect(await makePlace().run("cal", "hello")).toMatchObject({
      code: 2,
      stdout: "",
      stderr: expect.stringMatching(/unknown command 'cal'[^]*Did you mean call\?/),
    });
  });

  test.each([
    [["log", "exprt"], /unknown command 'exprt'[^]*There are export, prune/],
    [["plugin", "ad"], /unknown command 'ad'[^]*Did you mean add\?/],
    [["log", "prune", "--older"], /unknown option '--older'[^]*pegboard log prune --help/],
  ])("says what there is below a command that has others, for %j", async (argv, stderr) => {
    expect(await makePlace().run(...argv)).toMatchObject({
      code: 2,
      stdout: "",
      stderr: expect.stringMatching(stderr),
    });
  });

  test.each([
    [["cal"], /^unknown command 'cal'/],
    [["call"], /^missing required argument 'tool'/],
    [["list", "--jsn"], /^unknown option '--jsn'/],
    [["session"], /^No command is named/],
  ])("tells a program what is wrong with %j as a document, with --json", async (argv, message) => {
    const { code, stdout } = await makePlace().run(...argv, "--json");
    expect(code).toBe(2);
    expect(JSON.parse(stdout)).toEqual({ error: { code: "invalid_config", message: expect.stringMatching(message) } });
  });

  test("has examples in the help of every command that runs", () => {
    const without = Object.values(COMMANDS)
      .flat()
      .flatMap((spec) => [spec, ...(spec.commands ?? [])])
      .filter(({ load, examples = [] }) => load && !examples.some((example) => example.includes("pegboard ")));
    expect(without).toEqual([]);
  });

  test("shows the commands in groups, and the options of every command apart from those of one", async () => {
    const place = makePlace();
    const { stdout } = await place.run("--help");
    const headings = stdout.split("\n").filter((line) => /^\w.*:$/.test(line));
    expect(headings).toEqual(["Options:", "Options of every command:", ...Object.keys(COMMANDS), "Help:", "Examples:"]);
    const help = await place.run("trust", "--help");
    expect(help.stdout).toMatch(/Options:\n  --yes[^\n]*\n\nOptions of every command:\n  -C, --workspace/);
  });
});
