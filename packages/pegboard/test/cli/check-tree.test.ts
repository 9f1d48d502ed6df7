import { spawnSync } from "node:child_process";
import { mkdirSync, symlinkSync } from "node:fs";
import { join, relative } from "node:path";
import { describe, expect, test } from "vitest";
import type { FileReport } from "../../src/node/index.ts";
import { CONFIG, makePlace, type Outcome } from "./run.ts";

function report({ stdout }: Outcome): { files: FileReport[]; summary: Record<string, number> } {
  return JSON.parse(stdout) as ReturnType<typeof report>;
}

const AGENT =
  "---\nname: reviewer\ndescription: Reviews code\ntools: Read, Grep, TodoWrite\nmodel: sonnet\n---\nReview.\n";
const SKILL = "---\nname: tidy\ndescription: Tidies up\n---\nTidy up.\n";

const TREE = {
  "README.md": "# A tree",
  "docs/guide.md": "---\ntitle: Guide\n---\nNot an agent.\n",
  "team/reviewer.md": AGENT,
  "agents/bad.md": "---\nname: bad\ntools: [Read\n---\nx\n",
  "agents/README.md": "# About",
  ".claude/agents/plain.md": "You help.\n",
  ".github/agents/planner.agent.md": "---\ndescription: Plans\ntools: ['search']\n---\nPlan.\n",
  ".codex/agents/role.toml": 'name = "role"\ndescription = "d"\ndeveloper_instructions = "Do it."\n',
  ".codex/config.toml": 'model = "x"\n',
  "recipes/sum.yaml": "title: Sum\ndescription: Sums\ninstructions: Sum up.\n",
  "recipes/other.yaml": "openapi: 3.1.0\n",
  "opencode.json":
    '{ "agent": { "one": { "description": "d", "prompt": "p" }, "two": { "description": "d", "prompt": "p" } } }',
  "SKILL.md": SKILL.replace("tidy", "whole"),
  "skills/tidy/SKILL.md": SKILL,
  "skills/tidy/agents/helper.md": "The skill's own text.",
  "commands/fix.md": "---\ndescription: Fixes\n---\nFix $ARGUMENTS\n",
  ".mcp.json": '{ "mcpServers": { "docs": { "command": "docs" } } }',
  "node_modules/x/agents/no.md": AGENT,
  "src/index.ts": "throw new Error('must not run');",
};

describe("a tree of files of other programs", () => {
  test("is searched for everything that can be read, and nothing else is reported", async () => {
    const place = makePlace(TREE);
    const outcome = await place.run("check", ".", "--json");
    const { files, summary } = report(outcome);
    const told = files.map(({ path, kind, format, name, loaded }) => [
      relative(place.folder, path),
      kind,
      format,
      name,
      loaded,
    ]);
    expect(told).toEqual([
      [".claude/agents/plain.md", "agent", "claude", "plain", true],
      [".codex/agents/role.toml", "agent", "codex", "role", true],
      [".github/agents/planner.agent.md", "agent", "copilot", "planner", true],
      [".mcp.json", "mcp", "mcp", undefined, true],
      ["SKILL.md", "skill", "agent-skills", "whole", true],
      ["agents/bad.md", "agent", "pegboard", "bad", true],
      ["commands/fix.md", "command", "claude", "fix", true],
      ["opencode.json", "agent", "opencode", "one", true],
      ["opencode.json", "agent", "opencode", "two", true],
      ["recipes/sum.yaml", "agent", "goose", "Sum", true],
      ["skills/tidy/SKILL.md", "skill", "agent-skills", "tidy", true],
      ["team/reviewer.md", "agent", "claude", "reviewer", true],
    ]);
    expect(summary).toMatchObject({ files: 12, loaded: 12, errors: 2 });
    expect(outcome.code).toBe(1);
  });

  test("each foreign file is told field by field, with the tools that it comes to", async () => {
    const place = makePlace({ "team/agents/reviewer.md": AGENT });
    const outcome = await place.run("check", "team", "--json");
    expect(outcome.code).toBe(0);
    expect(report(outcome).files).toMatchObject([
      {
        format: "claude",
        rung: "strict",
        name: "reviewer",
        description: "Reviews code",
        tools: ["read_file", "search_files"],
        fields: [
          { field: "name", became: "mapped" },
          { field: "description", became: "mapped" },
          { field: "tools", became: "approximated" },
          { field: "model", became: "approximated" },
        ],
        diagnostics: [{ severity: "warning", code: "unknown_tool", line: 4 }],
      },
    ]);
    expect((await place.run("check", "team", "--strict")).code).toBe(1);
  });

  test("is the same for the agents of a workspace, whose names for models count", async () => {
    const place = makePlace({
      "pegboard.yaml": `${CONFIG}models: { sonnet: google:x }\n`,
      "agents/reviewer.md": AGENT,
    });
    for (const path of [[], ["agents"], ["agents/reviewer.md"]]) {
      const { files } = report(await place.run("check", ...path, "--json"));
      const agent = files.find(({ kind }) => kind === "agent");
      expect(agent).toMatchObject({ format: "claude", name: "reviewer", tools: ["read_file", "search_files"] });
      expect(agent!.fields).toContainEqual({ field: "model", became: "mapped" });
    }
  });

  test("agents of other programs in the folder of a workspace are its agents, and other files there are none", async () => {
    const place = makePlace({
      "pegboard.yaml": CONFIG,
      "agents/claude.md": AGENT,
      "agents/planner.agent.md": "---\ndescription: Plans\n---\nPlan.\n",
      "agents/role.toml": 'name = "role"\ndescription = "d"\ndeveloper_instructions = "Do it."\n',
      "agents/sum.yaml": "title: sum\ndescription: Sums\nprompt: Sum up.\n",
      "agents/openai.yaml": "interface: {}\n",
    });
    const { agents } = JSON.parse((await place.run("list", "agents", "--json")).stdout) as {
      agents: { name: string }[];
    };
    expect(agents.map(({ name }) => name)).toEqual(expect.arrayContaining(["planner", "reviewer", "role", "sum"]));
    expect(report(await place.run("check", "--json")).summary).toMatchObject({ files: 5, loaded: 5 });
  });

  test("a file that cannot be read, and a link that leads out, are reports like any other", async () => {
    const place = makePlace({ "tree/agents/good.md": AGENT, "secret.md": AGENT, "tree/skills/a/SKILL.md": SKILL });
    mkdirSync(place.path("tree/skills/b"));
    symlinkSync("../a/SKILL.md", place.path("tree/skills/b/SKILL.md"));
    symlinkSync(place.path("secret.md"), place.path("tree/agents/out.md"));
    symlinkSync("..", place.path("tree/agents/around"));
    expect(spawnSync("mkfifo", [place.path("tree/agents/pipe.md")]).status).toBe(0);
    const { files } = report(await place.run("check", "tree", "--json"));
    expect(files.map(({ path, loaded }) => [relative(place.path("tree"), path), loaded])).toEqual([
      ["agents/good.md", true],
      ["agents/out.md", false],
      ["skills/a/SKILL.md", true],
      ["skills/b/SKILL.md", true],
    ]);
    expect(files[1]!.diagnostics).toMatchObject([{ severity: "error", message: expect.stringContaining("leads out") }]);
  });

  test("a plugin tells about all of its files once", async () => {
    const place = makePlace({
      "market/one/.claude-plugin/plugin.json": '{ "name": "one", "version": "1.0.0" }',
      "market/one/agents/reviewer.md": AGENT,
      "market/one/skills/tidy/SKILL.md": SKILL,
      "market/two/.claude-plugin/plugin.json": "{ no json",
      "market/two/agents/reviewer.md": AGENT,
    });
    const outcome = await place.run("check", "market", "--json");
    const { files } = report(outcome);
    expect(files.map(({ path, kind, loaded }) => [relative(place.path("market"), path), kind, loaded])).toEqual([
      ["one/.claude-plugin/plugin.json", "plugin", true],
      ["one/agents/reviewer.md", "agent", true],
      ["one/skills/tidy/SKILL.md", "skill", true],
      ["two/.claude-plugin/plugin.json", "plugin", false],
      ["two/agents/reviewer.md", "agent", true],
    ]);
    expect(outcome.code).toBe(1);
  });
});

describe("a big tree", () => {
  const FILES = Object.fromEntries(
    Array.from({ length: 150 }, (_, index) => [
      join("tree/agents", `a${index}.md`),
      AGENT.replace("reviewer", `a${index}`),
    ]),
  );

  test("is reported file by file, each on a line of the one document", async () => {
    const { stdout } = await makePlace(FILES).run("check", "tree", "--json");
    const lines = stdout.trimEnd().split("\n");
    expect(lines).toHaveLength(152);
    expect(JSON.parse(lines[1]!.replace(/,$/, ""))).toMatchObject({ kind: "agent", loaded: true });
    expect(JSON.parse(stdout)).toMatchObject({ summary: { files: 150, loaded: 150, errors: 0 } });
  });

  test("shows on a terminal how far the check is, and cleans up behind itself", async () => {
    const place = makePlace(FILES);
    const { stdout } = await place.onTerminal([], "check", "tree");
    expect(stdout).toMatch(/\[#*-+\] \d+ of 150\r/);
    expect(stdout).toContain("150 of 150 files loaded");
    expect((await place.onTerminal([], "check", "tree", "--quiet")).stdout).not.toContain(" of 150\r");
  });
});

test("a folder in which nothing is found is an error", async () => {
  const place = makePlace({ "tree/docs/a.md": "# Nothing here", "tree/docs/b.md": "# Nor here" });
  const outcome = await place.run("check", "tree", "--json");
  expect(outcome.code).toBe(1);
  expect(report(outcome).files).toMatchObject([{ path: place.path("tree"), diagnostics: [{ code: "missing" }] }]);
});
