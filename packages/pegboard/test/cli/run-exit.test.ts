import { expect, test } from "vitest";
import { makeAgentPlace } from "./agent-place.ts";
import { makePlace } from "./run.ts";

test.each([
  { what: "no prompt at all", argv: ["helper"], says: `pegboard run helper "What is in this folder?"` },
  { what: "an unknown agent", argv: ["helpr", "Hi"], says: `Did you mean "helper"?` },
  {
    what: "a key that is missing",
    argv: ["helper", "Hi", "--model", "google:gemini-2.5-flash"],
    says: "GOOGLE_GENERATIVE_AI_API_KEY",
  },
  { what: "a model that is none", argv: ["helper", "Hi", "--model", "nothing"], says: `"nothing" is no model` },
  {
    what: "a file that is not there",
    argv: ["helper", "Hi", "--attach", "no.md"],
    says: `"no.md" cannot be attached: there is no file`,
  },
  {
    what: "a folder",
    argv: ["helper", "Hi", "--attach", "agents"],
    says: `"agents" cannot be attached: it is a folder`,
  },
  {
    what: "a file that the agent does not take",
    argv: ["helper", "Hi", "--attach", "odd.bin"],
    says: `"odd.bin" is not of a kind`,
  },
  { what: "a wrong cost", argv: ["helper", "Hi", "--max-cost", "cheap"], says: `--max-cost must be US dollars` },
  {
    what: "a wrong number of turns",
    argv: ["helper", "Hi", "--max-turns", "0"],
    says: "--max-turns must be a whole number",
  },
  { what: "two forms of output", argv: ["helper", "Hi", "--json", "--stream-json"], says: "choose one" },
])("$what is wrong usage: 2", async ({ argv, says }) => {
  const { code, stderr } = await makeAgentPlace(["Hello."], { "odd.bin": "x" }).run("run", ...argv);
  expect(code).toBe(2);
  expect(stderr).toContain(says);
});

test("the beginning of several runs is asked for more", async () => {
  const place = makeAgentPlace(["Hello."]);
  await place.run("run", "helper", "Hi");
  await place.run("run", "helper", "Hi");
  const { code, stderr } = await place.run("run", "helper", "Hi", "--continue", "");
  expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining("is the beginning of 2 runs") });
});

test.each([
  { what: "a model that fails is a failure", error: { status: 400, message: "no" }, code: 1 },
  { what: "what was denied is a refusal", error: { code: "denied", message: "not you" }, code: 3 },
  { what: "what is blocked is a refusal", error: { code: "blocked", message: "not that" }, code: 3 },
])("$what: $code", async ({ error, code }) => {
  const outcome = await makeAgentPlace([{ error }]).run("run", "helper", "Hi");
  expect(outcome).toEqual({ code, stdout: "", stderr: expect.stringContaining(`error (`) });
});

test("limits that are reached end the run as a failure that says so", async () => {
  const usage = { input: 100_000, output: 0 };
  const turns = [1, 2, 3].map((n) => ({ calls: [{ tool: "vfs_list", input: { prefix: `${n}` } }], usage }));
  const place = makeAgentPlace(turns, {
    "pegboard.yaml": `version: 1\nmodel: scripted:script.json\nprices: { "scripted:script.json": { input: 20, output: 20 } }\n`,
  });
  expect(await place.run("run", "helper", "Go", "--max-turns", "1")).toMatchObject({
    code: 1,
    stderr: expect.stringContaining("The run took 1 turns, which is the limit"),
  });
  const { code, stderr } = await place.run("run", "helper", "Go", "--max-cost", "3");
  expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringContaining("the budget is 3") });
  expect(stderr).toContain("200,000 + 0 tokens, $4.0000");
});

test("a workspace that is not trusted runs nothing: 4", async () => {
  const place = makePlace({
    "pegboard.yaml": "version: 1\nmodel: scripted:script.json\n",
    "script.json": `["Hello."]`,
  });
  expect(await place.run("run", "assistant", "Hi")).toMatchObject({
    code: 4,
    stderr: expect.stringContaining("pegboard trust"),
  });
  expect(await place.onTerminal([["Trust it? [y/N] ", "y\n"]], "run", "assistant", "Hi")).toMatchObject({
    code: 0,
    stdout: expect.stringContaining("Hello."),
  });
});

test("outside of a workspace the assistant runs on a model that is named", async () => {
  const place = makePlace({ "script.json": `["Hello."]` });
  const outcome = await place.run("run", "assistant", "Hi", "--model", "scripted:script.json", "--quiet");
  expect(outcome).toEqual({ code: 0, stdout: "Hello.\n", stderr: "" });
});
