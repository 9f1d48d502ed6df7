import { expect, test } from "vitest";
import { type FileTurn, makeAgentPlace } from "./agent-place.ts";
import { makePlace } from "./run.ts";

const PLUGIN = {
  "plugins/acme/.claude-plugin/plugin.json": '{"name":"acme","version":"1.0.0"}',
  "plugins/acme/commands/review.md":
    "---\ndescription: Reviews a file\nargument-hint: <file>\nallowed-tools: Read\n---\n\nReview $1 ($ARGUMENTS)\n",
  "plugins/acme/agents/critic.md": "---\nname: critic\ndescription: Criticizes\n---\n\nYou criticize.\n",
  "plugins/acme/skills/style/SKILL.md":
    "---\nname: style\ndescription: House style\nallowed-tools: Read\n---\n\nBe brief.\n",
  "plugins/acme/skills/style/long.md": "Really brief.",
};

function place(turns: readonly FileTurn[] = ["Done."]) {
  return makeAgentPlace(turns, PLUGIN);
}

test("A2-48: skills and commands of a Claude plugin are listed with where they come from", async () => {
  const here = place();
  const { stdout, stderr, code } = await here.run("list", "skills");
  expect({ code, stderr, stdout: stdout.trim() }).toEqual({
    code: 0,
    stderr: "",
    stdout: expect.stringMatching(/^acme:style\s+House style$/) as string,
  });
  expect((await here.run("list", "commands")).stdout.trim()).toMatch(/^\/acme:review\s+<file>\s+Reviews a file$/);
  expect(JSON.parse((await here.run("list", "skills", "--json")).stdout)).toMatchObject({
    skills: [{ name: "acme:style", description: "House style", source: { plugin: "acme" }, tools: ["Read"] }],
  });
  expect(JSON.parse((await here.run("list", "commands", "--json")).stdout)).toMatchObject({
    commands: [{ name: "acme:review", argumentHint: "<file>", tools: ["read_file"], source: { plugin: "acme" } }],
  });
});

test("a command runs with its arguments filled in and no more tools than it names", async () => {
  const here = place();
  const { code, stdout } = await here.run("run", "/acme:review", "a b.ts", "now");
  expect({ code, stdout }).toEqual({ code: 0, stdout: "Done.\n" });
  const events = (await here.run("log", "--type", "run-start", "--json")).stdout.trim().split("\n");
  expect(JSON.parse(events[0]!)).toMatchObject({
    data: {
      agent: "assistant",
      message: { content: [{ text: "Review a b.ts (a b.ts now)" }] },
      given: { tools: ["read_file"] },
    },
  });
});

test("a command is found by its bare name, and one that is not there is an error that names the nearest", async () => {
  const here = place();
  expect(await here.run("run", "/review")).toMatchObject({ code: 0 });
  const { code, stderr } = await here.run("run", "/acme:revue");
  expect(code).not.toBe(0);
  expect(stderr).toContain('There is no command "acme:revue", did you mean "acme:review"?');
});

test("a chat takes commands of plugins, shows them in /help, and still knows what is none", async () => {
  const here = place(["One.", "Two."]);
  const stdin = "/help\n/acme:review x.ts\n/nothing\n/etc/hosts is a path\n";
  const { code, stdout, stderr } = await here.runWith({ stdin }, "chat", "helper");
  expect(code).toBe(0);
  expect(stdout).toContain("/acme:review <file>");
  expect(stdout.endsWith("One.\nTwo.\n")).toBe(true);
  expect(stderr).toContain("There is no /nothing");
  const events = (await here.run("log", "--type", "run-start", "--json")).stdout;
  expect(events).toContain("Review x.ts (x.ts)");
  expect(events).toContain("/etc/hosts is a path");
});

test("a model reads a skill, and one of its files, when it asks for them", async () => {
  const here = place([
    { calls: [{ tool: "skill", input: { name: "style" } }] },
    { calls: [{ tool: "skill", input: { name: "acme:style", file: "long.md" } }] },
    "Done.",
  ]);
  expect(await here.run("run", "helper", "Go")).toMatchObject({ code: 0, stdout: "Done.\n" });
  const ends = (await here.run("log", "--type", "call-end", "--json")).stdout;
  expect(ends).toContain("Be brief.");
  expect(ends).toContain("Really brief.");
});

test("skills and commands of a workspace that is not trusted are not there, and their plugin is named", async () => {
  const here = makePlace({ "pegboard.yaml": "version: 1\n", ...PLUGIN });
  const { code, stdout, stderr } = await here.run("list", "skills");
  expect({ code, stdout }).toEqual({ code: 0, stdout: "" });
  expect(stderr).toContain("plugins/acme");
});
