import { describe, expect, test } from "vitest";
import type { Result } from "../../src/index.ts";
import { CONFIG, makePlace, toolModule } from "./run.ts";

const ADD = `capabilities: ["read"], input: { type: "object", properties: { a: { type: "number" }, b: { type: "number" } }, required: ["a", "b"], additionalProperties: false }, execute: ({ a, b }) => String(a + b)`;

const FILES = {
  "pegboard.yaml": `version: 1
toolsets:
  mine: { module: ./lib/math.ts, tools: [add] }
  other: { module: ./lib/other.ts, tools: [twin] }
  third: { module: ./lib/other.ts, tools: [twin] }
policy:
  rules:
    - { tool: forbidden, approval: blocked, reason: not in this workspace }
`,
  "lib/math.ts": toolModule({ add: ADD }),
  "lib/other.ts": toolModule({ twin: `capabilities: ["read"], execute: () => "one of two"` }),
  "tools/own.ts": toolModule({
    forbidden: `capabilities: ["read"], execute: () => "ran"`,
    manual: `capabilities: ["read"], callers: ["user"], input: { type: "object", properties: { n: { type: "integer" } }, required: ["n"] }, execute: ({ n }) => n * 2`,
    fails: `capabilities: ["read"], execute: () => { throw new Error("out of ink"); }`,
    echo: `capabilities: ["read"], execute: (input) => input`,
    blocks: `capabilities: ["read"], execute: () => ({ content: [{ type: "text", text: "seen" }, { type: "image", data: "${"A".repeat(16000)}", mimeType: "image/png" }, { type: "resource_link", uri: "file:///a", name: "a" }] })`,
    plain: `capabilities: ["read"], execute: () => ({ a: 1 })`,
    escapes: `capabilities: ["read"], execute: () => "a\\u001b[31mred"`,
    steps: `capabilities: ["read"], execute: async (_, { progress }) => { progress("half", { current: 1, total: 2 }); return "whole"; }`,
  }),
};

const workspace = () => makePlace(FILES, { trust: true });

describe("the result", () => {
  test("is text on standard output, and the exit code is 0", async () => {
    expect(await workspace().run("call", "mine__add", "a=1", "b=2.5")).toEqual({
      code: 0,
      stdout: "3.5\n",
      stderr: "",
    });
  });

  test("is the Result itself with --json", async () => {
    const { code, stdout } = await workspace().run("call", "echo", "--json", "--input", `{"x":[1,{"y":null}]}`);
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toEqual({
      ok: true,
      content: [{ type: "text", text: `{"x":[1,{"y":null}]}` }],
      structured: { x: [1, { y: null }] },
      meta: {},
    });
  });

  test("shows other blocks as a line each, and a bare value as JSON", async () => {
    const place = workspace();
    expect((await place.run("call", "blocks")).stdout).toBe("seen\n[image image/png, 12 kB]\n[link a file:///a]\n");
    expect((await place.run("call", "plain")).stdout).toBe(`{\n  "a": 1\n}\n`);
    await place.run("call", "vfs_write", "path=empty.md", "content=");
    expect((await place.run("call", "vfs_read", "path=empty.md")).stdout).toBe("");
  });

  test("reaches a program as it is, and a terminal with its escapes made visible", async () => {
    const place = workspace();
    expect((await place.run("call", "escapes")).stdout).toBe("a\u001b[31mred\n");
    expect((await place.onTerminal([], "call", "escapes")).stdout).toBe("a\\u{1b}[31mred\r\n");
  });

  test("of a failure is told on standard error, with exit code 1", async () => {
    const place = workspace();
    expect(await place.run("call", "fails")).toEqual({
      code: 1,
      stdout: "",
      stderr: "error (tool_error): out of ink\n",
    });
    const { stdout, code } = await place.run("call", "fails", "--json");
    expect({ code, error: (JSON.parse(stdout) as Result).error }).toEqual({
      code: 1,
      error: { code: "tool_error", message: "out of ink", retryable: false },
    });
  });

  test("comes after the reports of progress, which --quiet leaves out", async () => {
    const place = workspace();
    expect(await place.run("call", "steps")).toEqual({ code: 0, stdout: "whole\n", stderr: "… half (1/2)\n" });
    expect(await place.run("call", "steps", "--quiet")).toEqual({ code: 0, stdout: "whole\n", stderr: "" });
  });
});

describe("the input", () => {
  test("may come from standard input", async () => {
    const { stdout } = await workspace().runWith({ stdin: `{"a":20,"b":3}` }, "call", "mine__add", "--input", "-");
    expect(stdout).toBe("23\n");
  });

  test("A1-09: is checked before anybody is asked, and every wrong field is listed", async () => {
    const place = makePlace(
      { "pegboard.yaml": CONFIG, "tools/ask.ts": toolModule({ asks: ADD.replace("read", "write") }) },
      { trust: true },
    );
    const { code, stdout } = await place.onTerminal([], "call", "asks", "a=x", "c=1");
    expect(code).toBe(1);
    expect(stdout).toContain("error");
    expect(stdout).toMatch(/\/a: .*number/);
    expect(stdout).toContain(`missing "b"`);
    expect(stdout).toMatch(/unknown.*"c"/);
    expect(stdout).not.toContain("asks for approval");
    expect((await place.run("log", "--type", "approval-request", "--json")).stdout).toBe("");
  });

  test.each([
    { argv: ["--input", "{bad"], message: /The value of --input is not JSON: .*position 1/ },
    { argv: ["a:=[1"], message: /The value of "a" is not JSON/ },
    { argv: ["one"], message: /"one" is neither key=value nor key:=json/ },
    { argv: ["--timeout", "soon"], message: /--timeout must be seconds, or a time such as 30s or 5m; it is "soon"/ },
    { argv: ["--tiemout", "3"], message: /unknown option '--tiemout'[^]*Did you mean --timeout/ },
    { argv: ["--approve", "maybe"], message: /--approve must be one of ask, all, none, wait; it is "maybe"/ },
    { argv: ["--approve", "ask"], message: /--approve is "ask", but there is no terminal to ask on/ },
    { argv: ["--session", "a b"], message: /The session id "a b" is refused/, code: 1 },
    { argv: ["-C", "nowhere"], message: /There is no folder .*nowhere \(--workspace\)/ },
  ])("that is wrong is named: $argv", async ({ argv, message, code = 2 }) => {
    const outcome = await workspace().run("call", "mine__add", ...argv);
    expect(outcome).toEqual({ code, stdout: "", stderr: expect.stringMatching(message) });
  });
});

describe("the name", () => {
  test("may be bare where it is the only one", async () => {
    expect(await workspace().run("call", "add", "a=1", "b=1")).toEqual({
      code: 0,
      stdout: "2\n",
      stderr: "Calling mine__add\n",
    });
  });

  test("is refused with the candidates where it is not", async () => {
    const { code, stderr } = await workspace().run("call", "twin");
    expect(code).toBe(2);
    expect(stderr).toContain(`"twin" may be any of other__twin, third__twin: write the whole name`);
  });

  test("A0-05: of an unknown tool is answered with the nearest one and with those there are", async () => {
    const { code, stderr } = await workspace().run("call", "mine__ad");
    expect(code).toBe(1);
    expect(stderr).toMatch(
      /^error \(not_found\): There is no tool named "mine__ad". Did you mean "mine__add"\? Available: .*vfs_read/,
    );
    expect(stderr).not.toContain("forbidden");
  });

  test("A0-22: of a blocked tool is refused with the rule, its file and its line, whatever is approved", async () => {
    const place = workspace();
    const { code, stderr } = await place.run("call", "forbidden", "--approve", "all");
    expect(code).toBe(3);
    expect(stderr).toContain(
      `error (blocked): Tool "forbidden" is blocked by the rule tool "forbidden" → blocked (${place.path("pegboard.yaml")}:8)`,
    );
    expect(stderr).toContain("not in this workspace");
  });

  test("A0-22: of a tool outside of an allow-list is refused", async () => {
    const config = `version: 1\npolicy:\n  default: blocked\n  rules:\n    - { tool: listed, approval: preApproved }\n`;
    const tools = toolModule({ listed: `execute: () => "ran"`, unlisted: `execute: () => "ran"` });
    const place = makePlace({ "pegboard.yaml": config, "tools/a.ts": tools }, { trust: true });
    expect(await place.run("call", "listed")).toMatchObject({ code: 0, stdout: "ran\n" });
    expect(await place.run("call", "unlisted")).toMatchObject({
      code: 3,
      stderr: expect.stringContaining("no rule allows it"),
    });
  });

  test("A1-35: of a manual tool works for a person, with the same checks and record, and is hidden from a model", async () => {
    const place = workspace();
    expect(await place.run("call", "manual", "n=21")).toMatchObject({ code: 0, stdout: "42\n" });
    expect(await place.run("call", "manual", "n=x")).toMatchObject({ code: 1, stderr: expect.stringContaining("/n") });
    expect((await place.run("list", "--as", "model")).stdout).not.toContain("manual");
    const ends = (await place.run("log", "--tool", "manual", "--type", "call-end", "--json")).stdout.trim().split("\n");
    expect(ends.map((line) => (JSON.parse(line) as { data: { ok: boolean } }).data.ok)).toEqual([true, false]);
  });
});

test("--session goes on with the log of that session", async () => {
  const place = workspace();
  await place.run("call", "steps", "--session", "mine");
  expect((await place.run("call", "steps", "--session", "mine")).stderr).toBe("… half (1/2)\n");
  const events = (await place.run("log", "--session", "mine", "--type", "call-end", "--json")).stdout
    .trim()
    .split("\n");
  expect(events).toHaveLength(2);
});
