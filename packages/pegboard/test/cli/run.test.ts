import { readdirSync } from "node:fs";
import { expect, test } from "vitest";
import type { Event, RunResult } from "../../src/index.ts";
import { fakeProvider } from "../models/fake-provider.ts";
import { makeAgentPlace } from "./agent-place.ts";

const UNUSED = { env: {}, stdin: "not read" };

test("the words are the prompt, the answer alone is on standard output, and the work is told beside it", async () => {
  const place = makeAgentPlace([
    { expect: "Say hello", text: "Let me look.", calls: [{ tool: "vfs_list", input: {} }] },
    { error: { status: 503, retryAfter: 1 } },
    { text: "Hello,\nyou.", usage: { input: 1200, output: 34 } },
  ]);
  const { code, stdout, stderr } = await place.runWith(UNUSED, "run", "helper", "Say", "hello");
  expect({ code, stdout }).toEqual({ code: 0, stdout: "Hello,\nyou.\n" });
  expect(stderr.split("\n")).toEqual([
    "Let me look.",
    "> vfs_list {}",
    expect.stringMatching(/^< vfs_list \(\d+ ms\) /),
    expect.stringMatching(/^! again in 0\.0 s: scripted:script\.json .*503/),
    expect.stringMatching(/^2 turns, 1 call · 1,200 \+ 34 tokens, \$0 · run [0-9a-f]{8}$/),
    "",
  ]);
});

test("A0-35: a prompt tool leaves no agent behind, listed or on disk, whether it answers or fails", async () => {
  const prompt = "  - { name: shorten, description: Shortens, prompt: Shorten }\n";
  const place = makeAgentPlace([], {
    "agents/helper.md": `---\nname: helper\ndescription: Helps\ntools:\n${prompt}---\nYou help.\n`,
    "script.json": JSON.stringify({
      scripts: [
        { when: { system: 'the tool "shorten"', prompt: "Shorten" }, turns: ["Short."] },
        { turns: [{ calls: [{ tool: "shorten", input: {} }] }, "Done."] },
      ],
    }),
  });
  const agents = async () => (await place.run("list", "agents")).stdout;
  const before = await agents();
  const files = () => readdirSync(place.folder, { recursive: true }).filter((name) => String(name).endsWith(".md"));
  expect(await place.run("run", "helper", "Go", "--quiet")).toMatchObject({ code: 0, stdout: "Done.\n" });
  place.write("script.json", place.read("script.json").replace('"Short."', '{"error":{"code":"internal"}}'));
  const failed = await place.run("run", "helper", "Go");
  expect(failed).toMatchObject({ code: 0, stderr: expect.stringContaining("x shorten internal") });
  expect(await agents()).toBe(before);
  expect(files()).toEqual(["agents/helper.md"]);
  expect((await place.run("call", "vfs_list")).stdout).toContain("There are no files yet");
});

test("--quiet leaves the answer alone", async () => {
  const place = makeAgentPlace([{ text: "Looking.", calls: [{ tool: "vfs_list" }] }, "Done."]);
  expect(await place.run("run", "helper", "Go", "--quiet")).toEqual({ code: 0, stdout: "Done.\n", stderr: "" });
});

test.each([
  { where: "without words", words: [] },
  { where: "with -", words: ["-"] },
])("the prompt comes from standard input $where", async ({ words }) => {
  const place = makeAgentPlace([{ expect: "two\nlines", text: "Read." }]);
  const outcome = await place.runWith({ stdin: "two\nlines\n" }, "run", "helper", ...words, "--quiet");
  expect(outcome).toEqual({ code: 0, stdout: "Read.\n", stderr: "" });
});

test("--json prints one document with the result, and its errors too", async () => {
  const place = makeAgentPlace([{ text: "Hello.", usage: { input: 10, output: 5 } }]);
  const { code, stdout } = await place.run("run", "helper", "Hi", "--json");
  expect({ code, result: JSON.parse(stdout) as RunResult }).toEqual({
    code: 0,
    result: {
      run: expect.any(String),
      session: expect.any(String),
      agent: "helper",
      status: "completed",
      text: "Hello.",
      usage: { input: 10, output: 5 },
      cost: 0,
      turns: 1,
      calls: 0,
    },
  });
  const failed = await place.run("run", "nobody", "Hi", "--json");
  expect(JSON.parse(failed.stdout)).toMatchObject({ agent: "nobody", status: "failed", error: { code: "not_found" } });
});

test("--stream-json prints every event of the run as a line, and nothing else", async () => {
  const place = makeAgentPlace([{ text: "Looking.", calls: [{ tool: "vfs_list" }] }, "Done."]);
  const { code, stdout } = await place.run("run", "helper", "Hi", "--stream-json");
  const events = stdout
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as Event);
  expect(code).toBe(0);
  expect(new Set(events.map(({ v, run }) => `${v} ${run}`)).size).toBe(1);
  expect(events.filter(({ type }) => type !== "model-delta").map(({ type }) => type)).toEqual([
    "run-start",
    "turn-start",
    "turn-end",
    "call-start",
    "execute-start",
    "call-end",
    "turn-start",
    "turn-end",
    "run-end",
  ]);
  expect(events.flatMap(({ type, data }) => (type === "model-delta" ? data.text : []))).toEqual(["Looking.", "Done."]);
  expect(events.at(-1)).toMatchObject({ data: { status: "completed", text: "Done." } });
});

test("an answer with a schema is printed as JSON", async () => {
  const output = "output_schema: { type: object, properties: { n: { type: number } }, required: [n] }";
  const place = makeAgentPlace([`{"n":1}`], {
    "agents/counter.md": `---\nname: counter\ndescription: Counts\ntools: []\n${output}\n---\nCount.\n`,
  });
  expect(await place.run("run", "counter", "Go", "--quiet")).toEqual({
    code: 0,
    stdout: `{\n  "n": 1\n}\n`,
    stderr: "",
  });
  expect(JSON.parse((await place.run("run", "counter", "Go", "--json")).stdout)).toMatchObject({
    structured: { n: 1 },
  });
});

test("--attach takes files along, and --model another model", async () => {
  const place = makeAgentPlace([], {
    "notes/a.md": "# Apples",
    "b.txt": "Bananas",
    "other.yaml": `- { expect: "<file name=\\"a.md\\">\\n# Apples", text: Seen. }\n`,
  });
  const argv = ["run", "helper", "--attach", "notes/a.md", "--attach", "b.txt", "What is it?", "--quiet"];
  expect(await place.run(...argv, "--model", "scripted:other.yaml")).toEqual({
    code: 0,
    stdout: "Seen.\n",
    stderr: "",
  });
});

test("PEGBOARD_FORCE_MODEL names the model, whatever --model says", async () => {
  const place = makeAgentPlace(["The usual."], { "other.yaml": "- The other.\n", "forced.yaml": "- The forced.\n" });
  const env = { PEGBOARD_FORCE_MODEL: "scripted:forced.yaml" };
  const argv = ["run", "helper", "Go", "--quiet", "--model", "scripted:other.yaml"];
  expect((await place.run(...argv)).stdout).toBe("The other.\n");
  expect((await place.runWith({ env }, ...argv)).stdout).toBe("The forced.\n");
});

test("--continue goes on with a run in its session, and --session in a session without its history", async () => {
  const place = makeAgentPlace(["First.", "Second."]);
  const first = JSON.parse((await place.run("run", "helper", "One", "--json")).stdout) as RunResult;
  const next = await place.run("run", "helper", "Two", "--continue", first.run.slice(0, 8), "--json");
  expect(JSON.parse(next.stdout)).toMatchObject({ text: "Second.", session: first.session });
  const beside = await place.run("run", "helper", "Three", "--session", first.session, "--json");
  expect(JSON.parse(beside.stdout)).toMatchObject({ text: "First.", session: first.session });
  expect(await place.run("run", "helper", "Four", "--continue", "nothing")).toMatchObject({
    code: 2,
    stderr: expect.stringContaining(`There is no run "nothing" in the log to go on with`),
  });
});

test("on a terminal the answer is shown as it comes, without what the terminal would obey", async () => {
  const place = makeAgentPlace([{ text: "Look\u001b[2Jing.", calls: [{ tool: "vfs_list" }] }, "Done.\n"]);
  const { code, stdout } = await place.onTerminal([], "run", "helper", "Go", "--no-color");
  expect(code).toBe(0);
  expect(stdout.replaceAll("\r", "").split("\n")).toEqual([
    "Look\\u{1b}[2Jing.",
    "> vfs_list {}",
    expect.stringMatching(/^< vfs_list/),
    "Done.",
    expect.stringMatching(/^2 turns, 1 call/),
    "",
  ]);
});

test("on a terminal a secret is not shown that the model says in pieces, and what only looks like its beginning is", async () => {
  const { url, model } = await fakeProvider("ollama", [{ text: "s3cr3t-Zq8vN2kLw0s3cr3t-Zq8" }]);
  const place = makeAgentPlace([], {
    "pegboard.yaml": `version: 1\nmodel: ${model}\nproviders: { ollama: { baseURL: "${url}" } }\n`,
  });
  await place.runWith({ stdin: "s3cr3t-Zq8vN2kLw0" }, "secret", "set", "door");
  const { code, stdout } = await place.onTerminal([], "run", "helper", "Go", "--no-color");
  expect({ code, shown: stdout.replaceAll("\r", "").split("\n")[0] }).toEqual({
    code: 0,
    shown: "[secret door]s3cr3t-Zq8",
  });
});
