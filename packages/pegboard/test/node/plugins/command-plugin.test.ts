import { rmSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { makeFolder } from "../workspace-folder.ts";
import { agentFile, ECHO, echoTool, manifest, PLAIN, writeHome } from "./manifest-files.ts";

describe("a folder with a plugin.json", () => {
  test("A2-01: brings its tools and agents, listed with the plugin's name", async () => {
    const folder = makeFolder({
      "pegboard.yaml": PLAIN,
      "plugins/db/plugin.json": manifest("db", {
        tools: [
          echoTool("query", {
            schema: { type: "object", properties: { sql: { type: "string" } }, required: ["sql"] },
            usageGuidance: "Only for reading.",
            timeout: 5000,
          }),
        ],
        agents: [{ name: "clerk", description: "Asks", system_prompt_file: "clerk.md", temperature: 0.2 }],
      }),
      "plugins/db/echo.js": ECHO,
      "plugins/db/clerk.md": agentFile("other", "temperature: 0.9\n"),
    });
    const workspace = await folder.open();
    expect(workspace.diagnostics).toEqual([]);
    const file = join(folder.path, "plugins/db/plugin.json");
    const session = workspace.open();
    expect(session.list().find(({ name }) => name === "db__query")).toMatchObject({
      description: "Runs query\n\nOnly for reading.",
      source: { kind: "plugin", id: "db", plugin: "db", file },
      layer: "plugin",
    });
    expect(workspace.tools.get("db__query")?.timeoutMs).toBe(5000);
    expect(await workspace.agents.list()).toContainEqual(
      expect.objectContaining({
        name: "db/clerk",
        source: { layer: "plugin", plugin: "db", file },
        agent: expect.objectContaining({
          name: "clerk",
          description: "Asks",
          instructions: "You are other.",
          temperature: 0.2,
        }),
      }),
    );
    expect(await session.call("db__query", { sql: "x" })).toMatchObject({
      ok: true,
      structured: { input: { sql: "x" }, cwd: join(folder.path, "plugins/db") },
    });
    expect(await session.call("db__query", {})).toMatchObject({ ok: false, error: { code: "invalid_input" } });
    expect(workspace.plugins.get("db")).toMatchObject({
      status: "healthy",
      version: "1.0.0",
      origin: { format: "pegboard", file },
    });
  });

  test("A2-02: with errors is told all of them with their fields, and is not loaded; others are", async () => {
    const workspace = await makeFolder({
      "pegboard.yaml": PLAIN,
      "plugins/bad/plugin.json": manifest("bad", {
        tools: [{ name: "no name", command: "x y", description: "" }, echoTool("ok", { timeout: -1, argz: [] })],
        activationMode: "sometimes",
      }),
      "plugins/good/plugin.json": manifest("good", { tools: [echoTool("it")] }),
    }).open();
    const messages = workspace.diagnostics.map(({ message, line }) => `${line} ${message}`);
    expect(messages).toEqual([
      expect.stringMatching(/^\d+ \/tools\/0\/description: must not be empty/),
      expect.stringMatching(/^\d+ \/tools\/1\/timeout: must be more than 0/),
      expect.stringMatching(/^\d+ \/tools\/1\/argz: unknown key "argz", did you mean "args"/),
      expect.stringMatching(/^\d+ \/activationMode: must be one of always, tagged/),
      expect.stringMatching(/^\d+ \/tools\/0\/name: .*must start with a letter/),
      expect.stringMatching(/^\d+ \/tools\/0\/command: "x y" is not one program/),
    ]);
    expect(workspace.tools.names().filter((name) => name.includes("__"))).toEqual(["good__it"]);
  });

  test("A2-03: is skipped with a notice when there is no manifest, and named when it is no JSON", async () => {
    const folder = makeFolder({
      "pegboard.yaml": PLAIN,
      "plugins/notes/readme.txt": "x",
      "plugins/broken/plugin.json": '{ "name": "broken",\n }',
      "plugins/good/plugin.json": manifest("good", { tools: [echoTool("it")] }),
    });
    const workspace = await folder.open();
    expect(workspace.diagnostics).toMatchObject([
      { severity: "warning", code: "no_manifest", file: join(folder.path, "plugins/notes") },
      { severity: "error", code: "json_syntax", file: join(folder.path, "plugins/broken/plugin.json"), line: 2 },
    ]);
    expect(workspace.plugins.list().map(({ name }) => name)).toEqual(["good"]);
  });

  test.each([
    ["a tool without a command", { tools: [{ name: "t", description: "d" }] }, /\/tools\/0: missing "command"/],
    ["a setting without a type", { config: { schema: { properties: { key: {} } } } }, /\/config.*missing "type"/],
    [
      "two settings of one variable",
      { config: { properties: { key: { type: "string" }, KEY: { type: "string" } } } },
      /differs from another one by its case alone/,
    ],
    [
      "a choice of nothing",
      { config: { properties: { key: { type: "choice" } } } },
      /"key" is a choice and names none/,
    ],
    [
      "two tools of one name",
      { tools: [echoTool("t"), echoTool("t")] },
      /\/tools\/1\/name: there are several tools named "t"/,
    ],
    ["an unknown activation mode", { activationMode: "never" }, /\/activationMode: must be one of always, tagged/],
    ["a bad name", { name: "a__b" }, /\/name: must not hold "__"/],
  ])("A2-04: is refused for %s", async (_, fields, message) => {
    const workspace = await makeFolder({ "plugins/p/plugin.json": manifest("p", { tools: [], ...fields }) }).open();
    expect(workspace.diagnostics).toContainEqual(
      expect.objectContaining({ severity: "error", message: expect.stringMatching(message) }),
    );
    expect(workspace.plugins.list()).toEqual([]);
  });

  test.each([
    [250, 250],
    ["250ms", 250],
    ["2s", 2_000],
    ["1.5m", 90_000],
  ])("gives a tool the time that its manifest says, in milliseconds or with a unit: %j", async (timeout, timeoutMs) => {
    const workspace = await makeFolder({
      "plugins/p/plugin.json": manifest("p", { tools: [echoTool("t", { timeout })] }),
    }).open();
    expect(workspace.diagnostics).toEqual([]);
    expect(workspace.tools.get("p__t")?.timeoutMs).toBe(timeoutMs);
  });

  test.each([0, -5, "0s", "soon", "5", null])("is refused when a tool gets %j as its time", async (timeout) => {
    const workspace = await makeFolder({
      "plugins/p/plugin.json": manifest("p", { tools: [echoTool("t", { timeout })] }),
    }).open();
    expect(workspace.diagnostics).toMatchObject([{ message: expect.stringContaining("/tools/0/timeout") }]);
    expect(workspace.tools.get("p__t")).toBeUndefined();
  });

  test("A2-05: may bring agents only", async () => {
    const workspace = await makeFolder({
      "plugins/p/plugin.json": manifest("p", { agents: [{ name: "a", system_prompt_file: "a.md" }] }),
      "plugins/p/a.md": agentFile("a"),
    }).open();
    expect(workspace.plugins.get("p")?.status).toBe("healthy");
    expect(await workspace.agents.find("p/a")).toMatchObject({ name: "p/a" });
    expect((await workspace.agents.find("a"))?.name).toBe("p/a");
  });

  test("A2-19: says of its agents what beats their files, also 0, false, an empty text and an empty list", async () => {
    const said = {
      description: "",
      model: "",
      temperature: 0,
      tools: [],
      requirements: { require_tool_use: false, max_retries: 0 },
      can_see_agents: false,
      can_delegate_to_agents: false,
      visible_from_agents: [],
      max_turns: 1,
    };
    const file = `description: Of the file
model: google:gemini-2.5-pro
temperature: 0.9
tools: [vfs_read]
requirements: { require_tool_use: true, max_retries: 4 }
can_see_agents: true
can_delegate_to_agents: true
visible_from_agents: [other]
max_turns: 9
`;
    const workspace = await makeFolder({
      "plugins/p/plugin.json": manifest("p", { agents: [{ name: "a", system_prompt_file: "a.md", ...said }] }),
      "plugins/p/a.md": `---\nname: b\n${file}---\nYou are a.\n`,
    }).open();
    expect(workspace.diagnostics).toEqual([]);
    expect((await workspace.agents.find("p/a"))?.agent).toEqual({
      name: "a",
      description: "",
      instructions: "You are a.",
      temperature: 0,
      tools: [],
      requirements: { toolUse: false, maxReminders: 0 },
      agents: [],
      visibleFrom: [],
      maxTurns: 1,
    });
  });

  test("A2-20, A2-21: leaves an agent out that has no name or file or is there twice, and loads the rest", async () => {
    const workspace = await makeFolder({
      "plugins/p/plugin.json": manifest("p", {
        tools: [echoTool("t")],
        agents: [
          { system_prompt_file: "a.md" },
          { name: "lost" },
          { name: "a", description: "first", system_prompt_file: "a.md" },
          { name: "a", description: "second", system_prompt_file: "a.md" },
        ],
      }),
      "plugins/p/a.md": agentFile("a"),
    }).open();
    expect((await workspace.agents.find("p/a"))?.agent.description).toBe("first");
    expect(workspace.plugins.get("p")).toMatchObject({
      status: "healthy",
      diagnostics: [
        { severity: "warning", message: expect.stringContaining("/agents/0: name is missing") },
        { severity: "warning", message: expect.stringContaining("/agents/1: system_prompt_file is missing") },
        { severity: "warning", message: expect.stringContaining('/agents/3: there is an agent "a" already') },
      ],
    });
    expect(workspace.tools.get("p__t")).toBeDefined();
  });

  test("A2-37: binds tools to its own agents and to those of other plugins, also to one whose file is wrong", async () => {
    const workspace = await makeFolder({
      "pegboard.yaml": PLAIN,
      "plugins/p/plugin.json": manifest("p", {
        tools: [
          echoTool("one", { required_agent: "db" }),
          echoTool("two", { visible_to: ["db", "q/boss"] }),
          echoTool("lost", { required_agent: "gone" }),
          echoTool("all", { visible_to: [] }),
        ],
        agents: [
          { name: "db", system_prompt_file: "db.md" },
          { name: "gone", system_prompt_file: "gone.md" },
        ],
      }),
      "plugins/p/echo.js": ECHO,
      "plugins/p/db.md": agentFile("db"),
      "agents/db.md": agentFile("db"),
      "agents/gone.md": agentFile("gone"),
    }).open();
    const sees = (name: string, plugin?: string) =>
      workspace
        .open({ agent: { name, ...(plugin !== undefined && { plugin }) } })
        .list()
        .flatMap((tool) => (tool.name.startsWith("p__") ? tool.name : []));
    expect(sees("db", "p")).toEqual(["p__all", "p__one", "p__two"]);
    expect(sees("db")).toEqual(["p__all"]);
    expect(sees("gone")).toEqual(["p__all"]);
    const right = workspace.open({ agent: { name: "db", plugin: "p" } });
    expect(await right.call("p__one")).toMatchObject({ ok: true });
    expect(await workspace.open({ agent: { name: "db" } }).call("p__one")).toMatchObject({
      ok: false,
      error: { code: "agent_mismatch", message: expect.stringMatching(/agent "p\/db"; the caller is agent "db"/) },
    });
    expect(workspace.plugins.get("p")).toMatchObject({
      status: "degraded",
      reason: expect.stringContaining("gone.md"),
    });
  });

  test("says of each tool which plugin it is of, which version, what was read, and which line asks for it", async () => {
    const folder = makeFolder({
      "pegboard.yaml": `${PLAIN}plugins: { enabled: [p] }\n`,
      "plugins/p/plugin.json": manifest("p", { tools: [echoTool("t")] }),
    });
    const [tool] = (await folder.open())
      .open()
      .list()
      .filter(({ name }) => name === "p__t");
    expect(tool?.source).toEqual({
      kind: "plugin",
      id: "p",
      plugin: "p",
      version: "1.0.0",
      file: join(folder.path, "plugins/p/plugin.json"),
      digest: expect.stringMatching(/^sha256:[0-9a-f]{64}$/),
      enabledBy: { file: join(folder.path, "pegboard.yaml"), line: 4 },
    });
  });

  test("is gone when its folder goes, and is there when it comes", async () => {
    const folder = makeFolder({ "pegboard.yaml": PLAIN });
    writeHome(folder, "plugins/mine/plugin.json", manifest("mine", { tools: [echoTool("t")] }));
    const workspace = await folder.open();
    expect(workspace.tools.get("mine__t")).toBeDefined();
    rmSync(join(folder.home, "plugins/mine"), { recursive: true });
    folder.write("plugins/other/plugin.json", manifest("other", { tools: [echoTool("t")] }));
    await workspace.reload();
    expect(workspace.plugins.list().map(({ name }) => name)).toEqual(["other"]);
    expect(workspace.tools.get("mine__t")).toBeUndefined();
    expect(workspace.tools.get("other__t")).toBeDefined();
  });
});
