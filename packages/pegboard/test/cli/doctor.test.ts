import { expect, test } from "vitest";
import { CONFIG, makePlace, type Place, toolModule } from "./run.ts";

interface Report {
  ok: boolean;
  checks: { name: string; status: string; detail: string; fix?: string }[];
}

async function examine(place: Place, ...argv: string[]) {
  const { code, stdout } = await place.run("doctor", "--json", ...argv);
  const { ok, checks } = JSON.parse(stdout) as Report;
  return {
    code,
    ok,
    find: (name: string) => checks.filter((check) => check.name === name),
    statuses: Object.fromEntries(checks.map(({ name, status }) => [name, status])),
  };
}

test("a workspace in order is all ok", async () => {
  const place = makePlace();
  await place.run("init");
  await place.run("call", "hello", "name=x");
  const { code, ok, statuses, find } = await examine(place);
  expect({ code, ok }).toEqual({ code: 0, ok: true });
  expect(statuses).toEqual({
    node: "ok",
    pegboard: "ok",
    terminal: "ok",
    workspace: "ok",
    trust: "ok",
    loading: "ok",
    policy: "ok",
    tools: "ok",
    models: "ok",
    sandbox: "ok",
    data: "ok",
    database: "ok",
  });
  expect(find("pegboard")[0]!.detail).toContain("source");
  expect(find("tools")[0]!.detail).toMatch(/^\d+ builtin, 1 file$/);
  expect(find("database")[0]!.detail).toMatch(/pegboard\.db, \d+ kB$/);
});

test("what is not in order says what would mend it, and only a failure fails", async () => {
  const place = makePlace({
    "pegboard.yaml": CONFIG,
    "tools/broken.ts": `throw new Error("no key");`,
    "tools/fine.ts": toolModule({ fine: `execute: () => 1` }),
  });
  const held = await examine(place);
  expect(held).toMatchObject({ code: 0, statuses: { trust: "warn", loading: "ok" } });
  expect(held.find("trust")[0]).toMatchObject({
    detail: "not trusted; held back: tools/broken.ts, tools/fine.ts",
    fix: expect.stringContaining("pegboard trust"),
  });

  const loaded = await examine(place, "--trust");
  expect(loaded).toMatchObject({ code: 1, ok: false });
  expect(loaded.find("loading")).toEqual([
    expect.objectContaining({ status: "fail", detail: expect.stringContaining("no key") }),
  ]);
  expect(loaded.find("tools")[0]!.detail).toMatch(/^\d+ builtin, 1 file$/);
});

test("a configuration or a database that cannot be used is a failure, not a crash", async () => {
  const place = makePlace({
    "pegboard.yaml": "version: 3\n",
    ".pegboard/pegboard.db": "this is no database, but it is long enough to be taken for one".repeat(20),
  });
  const { code, find } = await examine(place);
  expect(code).toBe(1);
  expect(find("workspace")[0]).toMatchObject({ status: "fail", detail: expect.stringContaining("/version") });
  expect(find("database")[0]).toMatchObject({ status: "fail", fix: expect.stringContaining("move the file away") });
});

test("the text has a line for each check", async () => {
  const { code, stdout } = await makePlace().run("doctor");
  expect(code).toBe(0);
  expect(stdout).toMatch(/^ok +node +v\d+/m);
  expect(stdout).toMatch(/^warn +workspace +no pegboard\.yaml in .* → pegboard init$/m);
});

test("says which sandbox is in force, and fails when one is required that cannot be had", async () => {
  const sandbox = async (settings: string, env: Record<string, string> = {}) => {
    const place = makePlace({ "pegboard.yaml": `${CONFIG}sandbox: ${settings}\n` }, { trust: true });
    const { code, stdout } = await place.runWith({ env }, "doctor", "--json");
    return { code, check: (JSON.parse(stdout) as Report).checks.find(({ name }) => name === "sandbox") };
  };
  const none = { PATH: "/nowhere" };
  expect(await sandbox("{ mode: process }", none)).toMatchObject({
    code: 0,
    check: { status: "ok", detail: "mode process: modules in child processes; commands not confined" },
  });
  expect(await sandbox("{}", none)).toMatchObject({
    code: 0,
    check: {
      status: "ok",
      detail: expect.stringMatching(/^mode auto: .*not confined \(.+\)$/),
      fix: expect.any(String),
    },
  });
  expect(await sandbox("{ mode: bubblewrap }", none)).toMatchObject({ code: 0, check: { status: "warn" } });
  expect(await sandbox("{ required: true }", none)).toMatchObject({
    code: 1,
    check: { status: "fail", detail: expect.stringContaining("no tool runs") },
  });
});

test("A1-39 lists the providers of models by the variables that hold their keys, and tells no key", async () => {
  const config = `${CONFIG}providers: { groq: { baseURL: "http://me:hidden@127.0.0.1:9/v1", apiKey: "secret://groq" } }\n`;
  const place = makePlace({ "pegboard.yaml": config }, { trust: true });
  const env = { GEMINI_API_KEY: "hidden", ANTHROPIC_API_KEY: "", OPENAI_API_KEY: "", OLLAMA_HOST: "10.0.0.7" };
  const { code, stdout } = await place.runWith({ env }, "doctor", "--json");
  const { detail } = (JSON.parse(stdout) as Report).checks.find(({ name }) => name === "models")!;
  expect(code).toBe(0);
  expect(stdout).not.toContain("hidden");
  const [set, unset] = detail.split("; not set: ");
  expect(set).toMatch(/^set: google \(GEMINI_API_KEY\), ollama \(http:\/\/10\.0\.0\.7:11434\/v1\), lmstudio/);
  expect(set).toContain("groq (http://127.0.0.1:9/v1)");
  expect(unset).toBe(
    "anthropic (ANTHROPIC_API_KEY), openai (OPENAI_API_KEY), openai-chat (OPENAI_API_KEY), openai-compatible (OPENAI_COMPATIBLE_BASE_URL)",
  );
});

test("a plugin that is not well, and a rule for a tool that is not there, are told with what would mend them", async () => {
  const manifest = (name: string, more: object = {}) => JSON.stringify({ name, version: "1.0.0", ...more });
  const tools = [{ name: "erase", description: "Erases", command: "cat" }];
  const needs = { config: { properties: { token: { type: "string", required: true } } } };
  const rules = `[{ tool: erase, approval: blocked }, { tool: disk__erase, approval: ask }, { tool: "x_*", approval: ask },
  { tool: erase, approval: preApproved }, { tool: eras, approval: ask }]`;
  const place = makePlace(
    {
      "pegboard.yaml": `${CONFIG}policy: { rules: ${rules} }\n`,
      "plugins/disk/plugin.json": manifest("disk", { tools }),
      "plugins/mail/plugin.json": manifest("mail", { tools, ...needs }),
    },
    { trust: true },
  );
  const { code, find } = await examine(place);
  expect(code).toBe(0);
  expect(find("plugin")).toEqual([
    { name: "plugin", status: "warn", detail: expect.stringMatching(/^mail failed: .*token/), fix: expect.any(String) },
  ]);
  expect(find("rule")).toEqual([
    {
      name: "rule",
      status: "warn",
      detail: `what allows a tool names it whole: disk__erase (${place.path("pegboard.yaml")}:3)`,
      fix: expect.stringContaining("pegboard list"),
    },
    {
      name: "rule",
      status: "warn",
      detail: `no tool is named "eras" (${place.path("pegboard.yaml")}:3)`,
      fix: expect.stringContaining("pegboard list"),
    },
  ]);
});
