import { symlinkSync } from "node:fs";
import { basename } from "node:path";
import { describe, expect, test } from "vitest";
import type { FileReport } from "../../src/node/index.ts";
import { CONFIG, makePlace, type Outcome, toolModule } from "./run.ts";

const agent = (name: string, rest = "") =>
  `---\nname: ${name}\ndescription: The ${name} agent\n${rest}---\nYou help.\n`;
const GREET = toolModule({ greet: `capabilities: ["read"], execute: () => "hi"` });

describe("list agents", () => {
  const files = {
    "pegboard.yaml": CONFIG,
    "tools/greet.ts": GREET,
    "agents/assistant.md": agent("assistant", 'model: google:gemini-2.5-flash\ntools: [greet, "vfs_*"]\n'),
    "agents/none.md": agent("none", "tools: []\n"),
    "../home/agents/mine.md": agent("mine", "toolsets: { vfs: {} }\n"),
  };

  test("A2-24: shows each name once with its source, model and tools, and what it hides", async () => {
    const place = makePlace(files, { trust: true });
    const { code, stdout, stderr } = await place.run("list", "agents", "--json");
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(JSON.parse(stdout)).toEqual({
      agents: [
        {
          name: "assistant",
          description: "The assistant agent",
          source: { layer: "project", file: place.path("agents/assistant.md") },
          model: "google:gemini-2.5-flash",
          tools: ["greet", "vfs_*"],
          shadows: [{ layer: "builtin" }],
        },
        {
          name: "mine",
          description: "The mine agent",
          source: { layer: "user", file: `${place.home}/agents/mine.md` },
          toolsets: ["vfs"],
        },
        {
          name: "none",
          description: "The none agent",
          source: { layer: "project", file: place.path("agents/none.md") },
          tools: [],
        },
      ],
    });
    expect((await place.run("list", "agents")).stdout.trimEnd().split("\n")).toEqual([
      "assistant  project  google:gemini-2.5-flash  greet, vfs_*  (shadows builtin) The assistant agent",
      "mine       user     -                        all, vfs      The mine agent",
      "none       project  -                        none          The none agent",
    ]);
  });

  test("A2-35: names of tools that are not there are reported, with what was meant", async () => {
    const place = makePlace(
      { "pegboard.yaml": CONFIG, "tools/greet.ts": GREET, "agents/a.md": agent("a", "tools: [gret, nosuch]\n") },
      { trust: true },
    );
    const { code, stderr } = await place.run("list", "agents");
    expect(code).toBe(0);
    expect(stderr).toContain('agents/a.md: there is no tool "gret", did you mean "greet"?');
    expect(stderr).toContain('there is no tool "nosuch"');
    expect((await place.run("list", "agents", "--strict")).code).toBe(1);
  });

  test("agents of a workspace that is not trusted are shown as such", async () => {
    const place = makePlace(files);
    const { stdout, stderr } = await place.run("list", "agents");
    expect(stdout).toMatch(/^assistant +project .*\(not trusted\) \(shadows builtin\)/m);
    expect(stdout).toMatch(/^mine +user +- +all, vfs +The mine agent$/m);
    expect(stderr).toContain("not trusted: tools/greet.ts, agents/assistant.md, agents/none.md");
  });

  test("two files of one name are both listed, with the error", async () => {
    const place = makePlace({ "pegboard.yaml": CONFIG, "agents/a.md": agent("x"), "agents/b.md": agent("x") });
    const { stdout, stderr } = await place.run("list", "agents");
    expect(stdout.match(/^x /gm)).toHaveLength(2);
    expect(stderr).toMatch(/error: .*several agents named "x": .*a\.md and .*b\.md/);
  });
});

describe("trust", () => {
  test("shows the code that agents bring, and where models are", async () => {
    const place = makePlace({
      "pegboard.yaml": "version: 1\nproviders: { mine: { baseURL: 'https://models.example/v1' } }\n",
      "lib/kit.mjs": "export const one = 1;",
      "agents/kit.md": agent("kit", "toolsets: { kit: { module: ../lib/kit.mjs } }\n"),
      "agents/words.md": agent("words"),
    });
    const { stdout } = await place.run("trust", "--yes", "--json");
    expect(JSON.parse(stdout)).toMatchObject({
      runs: [`agent "kit": toolset "kit" (${place.path("lib/kit.mjs")})`],
      files: ["agents/kit.md", "lib/kit.mjs", "pegboard.yaml"],
      reaches: [expect.stringContaining("https://models.example/v1")],
    });
    expect((await place.run("check", "--strict")).code).toBe(0);
  });
});

describe("check", () => {
  const report = ({ stdout }: Outcome) => JSON.parse(stdout) as { files: FileReport[]; summary: object };

  async function checkAgent(text: string): Promise<FileReport> {
    const place = makePlace({ "pegboard.yaml": CONFIG, "tools/greet.ts": GREET, "agents/a.md": text }, { trust: true });
    return report(await place.run("check", "agents/a.md", "--json")).files[0]!;
  }

  test("tells what became of every field of an agent's file", async () => {
    const checked = await checkAgent(agent("helper", "tools: [greet]\ntemperature: 0.2\nemoji: x\n"));
    expect(checked).toMatchObject({
      kind: "agent",
      format: "pegboard",
      loaded: true,
      name: "helper",
      description: "The helper agent",
      tools: ["greet"],
      diagnostics: [],
    });
    expect(Object.fromEntries(checked.fields.map(({ field, became }) => [field, became]))).toEqual({
      name: "mapped",
      description: "mapped",
      tools: "mapped",
      temperature: "mapped",
      emoji: "ignored",
    });
  });

  test("A0-37: a bad prompt tool is reported with its line, and the agent loads without it", async () => {
    const tools = [
      "tools:",
      "  - { description: No name, prompt: Hi }",
      "  - { name: nothing, prompt: Hi }",
      "  - { name: odd, description: Odd, prompt: Hi, parameters: [1] }",
      "  - { name: good, description: Good, prompt: 'Say {{word}}', parameters: { word: { type: string } } }",
      "",
    ].join("\n");
    const { loaded, diagnostics } = await checkAgent(agent("helper", tools));
    expect(loaded).toBe(true);
    expect(diagnostics.filter(({ severity }) => severity === "error").map(({ line }) => line)).toEqual([5, 6, 7]);
  });

  test("A0-38: each thing that is wrong with a file is a diagnostic with its severity and line", async () => {
    const wrong = {
      "no-front-matter": "You help.\n",
      "no-name": "---\ndescription: D\n---\nYou help.\n",
      "no-text": "---\nname: a\ndescription: D\n---\n",
      "unknown-mode": agent("a", "mode: yolo\n"),
      "no-list": agent("a", "tools: 5\n"),
      "no-parameter": agent("a", "tools:\n  - { name: p, description: P, prompt: '{{x}}' }\n"),
    };
    const files = Object.entries(wrong).map(([name, text]) => [`${name}.md`, text]);
    const { files: checked } = report(await makePlace(Object.fromEntries(files)).run("check", ".", "--json"));
    const found = checked.map(({ path, diagnostics }) => [basename(path, ".md"), diagnostics[0]]);
    expect(Object.fromEntries(found)).toMatchObject({
      "no-front-matter": { severity: "error", line: 1 },
      "no-name": { severity: "error", line: 1 },
      "no-text": { severity: "error", line: 5 },
      "unknown-mode": { severity: "error", line: 4 },
      "no-list": { severity: "error", line: 4 },
      "no-parameter": { severity: "warning", line: 5 },
    });
  });

  test("A2-35: a name of a tool that is not there is a warning with its line and the nearest name", async () => {
    const { loaded, diagnostics } = await checkAgent(
      agent("a", "tools:\n  - greet\n  - gret\n  - '!vfs_*'\n  - x_*\n"),
    );
    expect(loaded).toBe(true);
    expect(diagnostics).toEqual([
      { severity: "warning", code: "unknown_tool", message: 'there is no tool "gret", did you mean "greet"?', line: 6 },
      { severity: "warning", code: "unknown_tool", message: 'no tool matches "x_*"', line: 8 },
    ]);
  });

  test("tools that come with Pegboard, and those of plugins and MCP servers, are not called unknown", async () => {
    const config = `${CONFIG}mcpServers: { remote: { url: "http://127.0.0.1:9/mcp" } }\nplugins: { enabled: [delegation] }\n`;
    const tools = "[agent, delegate, checkin, web_fetch, remote__look, delegation__delegate, notes__add]";
    const place = makePlace({
      "pegboard.yaml": config,
      "plugins/notes/plugin.json": JSON.stringify({ name: "notes", version: "1.0.0", description: "Notes" }),
      "agents/a.md": agent("a", `tools: ${tools}\ntoolsets: { remote: {} }\n`),
    });
    for (const paths of [[], ["agents/a.md"]]) {
      const { files } = report(await place.run("check", ...paths, "--json", "--trust"));
      expect(files.find(({ path }) => path.endsWith("a.md"))?.diagnostics).toEqual([]);
    }
  });

  test("A1-23: a toolset that is not known is an error that names the agent and the known ones", async () => {
    const { diagnostics } = await checkAgent(agent("a", "toolsets:\n  vsf: {}\n"));
    expect(diagnostics).toMatchObject([
      {
        severity: "error",
        code: "unknown_toolset",
        message: expect.stringMatching(/^Agent "a": there is no toolset "vsf", did you mean "vfs"\? Known: .*vfs/),
        line: 5,
      },
    ]);
  });

  test("of a workspace covers its agents and the person's own; a bad one leaves the others", async () => {
    const place = makePlace(
      {
        "pegboard.yaml": CONFIG,
        "agents/good.md": agent("good"),
        "agents/bad.md": "no agent",
        "../home/agents/mine.md": agent("mine"),
      },
      { trust: true },
    );
    symlinkSync("/etc/passwd", place.path("agents/link.md"));
    const outcome = await place.run("check", "--json");
    expect(outcome.code).toBe(1);
    const { files, summary } = report(outcome);
    expect(files.filter(({ kind }) => kind === "agent").map(({ name, loaded }) => [name, loaded])).toEqual([
      ["mine", true],
      [undefined, false],
      ["good", true],
      [undefined, false],
    ]);
    expect(summary).toMatchObject({ files: 5, loaded: 3 });
    expect(report(await place.run("check", "agents", "--json")).files).toHaveLength(3);
  });

  test("says nothing about names of tools that it may not look for", async () => {
    const place = makePlace({
      "pegboard.yaml": CONFIG,
      "tools/greet.ts": GREET,
      "agents/a.md": agent("a", "tools: [x]\n"),
    });
    const { files } = report(await place.run("check", "agents/a.md", "--json"));
    expect(files).toMatchObject([{ loaded: true, diagnostics: [] }]);
  });
});
