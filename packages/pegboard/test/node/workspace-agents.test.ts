import { mkdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, test, vi } from "vitest";
import { scriptedModel } from "../../src/index.ts";
import { readWorkspace, recordTrust, type Workspace } from "../../src/node/index.ts";
import { type Folder, makeFolder } from "./workspace-folder.ts";

const agent = (name: string, rest = "", body = "You help.") =>
  `---\nname: ${name}\ndescription: The agent ${name}\n${rest}---\n${body}\n`;

function writeHome({ home }: Folder, file: string, text: string): string {
  const path = join(home, file);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
  return path;
}

const names = async (workspace: Workspace) => (await workspace.agents.list()).map(({ name }) => name);

describe("the agents of a workspace", () => {
  test("A2-23: of one name are the person's before a plugin's before the built-in one, and the next is run when one goes", async () => {
    const folder = makeFolder();
    const own = writeHome(folder, "agents/assistant.md", agent("assistant", "", "You are the person's."));
    const manifest = { name: "kit", version: "1.0.0", agents: [{ name: "assistant", system_prompt_file: "a.md" }] };
    writeHome(folder, "plugins/kit/plugin.json", JSON.stringify(manifest));
    writeHome(folder, "plugins/kit/a.md", agent("assistant", "", "You are the plugin's."));
    const workspace = await folder.open();
    const told = async () => {
      const model = scriptedModel(["Done."]);
      await workspace.open().run("assistant", "Go", { model }).result;
      return model.requests[0]!.system;
    };
    expect(await told()).toContain("You are the person's.");
    rmSync(own);
    await workspace.reload();
    expect(await told()).toContain("You are the plugin's.");
    await workspace.plugins.remove("kit");
    expect(await told()).not.toContain("You are the plugin's.");
    expect(await workspace.agents.find("assistant")).toMatchObject({ source: { layer: "builtin" }, shadows: [] });
  });

  test("A2-23: are those of the person, of the project and built in, in this order, and the next is found when a file goes", async () => {
    const folder = makeFolder({ "agents/helper.md": agent("helper"), "agents/assistant.md": agent("assistant") });
    const own = writeHome(folder, "agents/helper.md", agent("helper"));
    const workspace = await folder.open();
    expect(await workspace.agents.list()).toMatchObject([
      {
        name: "assistant",
        source: { layer: "project", file: join(folder.path, "agents/assistant.md") },
        shadows: [{ layer: "builtin" }],
      },
      {
        name: "helper",
        source: { layer: "user", file: own },
        shadows: [{ layer: "project", file: join(folder.path, "agents/helper.md") }],
      },
    ]);
    rmSync(own);
    rmSync(join(folder.path, "agents/assistant.md"));
    await workspace.reload();
    expect(await workspace.agents.find("helper")).toMatchObject({ source: { layer: "project" }, shadows: [] });
    expect(await workspace.agents.find("assistant")).toMatchObject({ source: { layer: "builtin" } });
    expect(workspace.diagnostics).toEqual([]);
  });

  test("are filled in from files that an opencode agent names, and from nothing hidden, outside, or in the environment", async () => {
    const folder = makeFolder({
      "prompts/build.txt": "Build it.\n",
      ".env": "TOKEN=hidden-value",
      "agents/build.md": `---\ndescription: Builds\nmode: primary\nprompt: "{file:../prompts/build.txt} {env:PATH} {file:../.env} {file:../../out.txt} {file:/etc/hostname} {file:link.txt}"\n---\n`,
      "agents/own.md": agent("own", "", "Not of opencode: {file:../prompts/build.txt}"),
    });
    writeFileSync(join(folder.path, "../out.txt"), "outside-value");
    symlinkSync("../../out.txt", join(folder.path, "agents/link.txt"));
    const workspace = await folder.open();
    const told = async (name: string) => (await workspace.agents.find(name))!.agent.instructions;
    expect(await told("build")).toBe(
      "Build it. {env:PATH} {file:../.env} {file:../../out.txt} {file:/etc/hostname} {file:link.txt}",
    );
    expect(await told("own")).toBe("Not of opencode: {file:../prompts/build.txt}");
    folder.write("prompts/build.txt", "Build it twice.");
    await workspace.reload();
    expect(await told("build")).toContain("Build it twice. {env:PATH}");
  });

  test("two files with one name are an error that names both", async () => {
    const workspace = await makeFolder({ "agents/a.md": agent("twin"), "agents/b.md": agent("twin") }).open();
    await expect(workspace.agents.find("twin")).rejects.toMatchObject({
      code: "duplicate",
      message: expect.stringMatching(/agents\/a\.md and project .*agents\/b\.md/),
    });
  });

  test("a text about the folder, other files and folders are no agents", async () => {
    const workspace = await makeFolder({
      "agents/README.md": "# Agents",
      "agents/notes.txt": "x",
      "agents/deep/inner.md": agent("inner"),
    }).open();
    expect(await names(workspace)).toEqual(["assistant"]);
    expect(workspace.diagnostics).toEqual([]);
  });

  test("a link that leads out of the workspace and a file that is too big are reported, and the others load", async () => {
    const folder = makeFolder({ "agents/good.md": agent("good"), "agents/huge.md": "x".repeat(300_000) });
    const outside = writeHome(folder, "outside.md", agent("outside"));
    symlinkSync(outside, join(folder.path, "agents/link.md"));
    folder.write("prompts/inside.md", agent("inside"));
    symlinkSync("../prompts/inside.md", join(folder.path, "agents/inside.md"));
    const workspace = await folder.open();
    expect(await names(workspace)).toEqual(["assistant", "good", "inside"]);
    expect(workspace.diagnostics).toMatchObject([
      { severity: "error", file: expect.stringMatching(/huge\.md$/), message: expect.stringContaining("300000 bytes") },
      { severity: "error", file: expect.stringMatching(/link\.md$/), message: expect.stringContaining("leads out") },
    ]);
  });

  test("come and go while it is watched; a file that breaks leaves its agent as it was, and says so", async () => {
    const folder = makeFolder({ "agents/helper.md": agent("helper", "tools: [vfs_read]\n") });
    const workspace = await folder.open({ watch: true });
    folder.write("agents/later.md", agent("later"));
    await vi.waitFor(async () => expect(await names(workspace)).toContain("later"), 5_000);

    folder.write("agents/helper.md", "---\nname: helper\ntools: [vfs_read\n");
    await vi.waitFor(() => expect(workspace.diagnostics).not.toEqual([]), 5_000);
    expect((await workspace.agents.find("helper"))?.agent.tools).toEqual(["vfs_read"]);

    folder.write("agents/helper.md", agent("helper", "tools: []\n"));
    await vi.waitFor(() => expect(workspace.diagnostics).toEqual([]), 5_000);
    expect((await workspace.agents.find("helper"))?.agent.tools).toEqual([]);
    rmSync(join(folder.path, "agents/helper.md"));
    await vi.waitFor(async () => expect(await names(workspace)).not.toContain("helper"), 5_000);
  });

  test("A2-35: see exactly the tools of their list, and none with an empty one", async () => {
    const folder = makeFolder({
      "agents/some.md": agent("some", 'tools: ["vfs_*", "!vfs_delete", nosuch]\n'),
      "agents/none.md": agent("none", "tools: []\n"),
    });
    const session = (await folder.open()).open();
    const seen = async (name: string) => {
      const model = scriptedModel([{ text: "Done." }]);
      await session.run(name, "Go", { model }).result;
      return model.requests[0]?.tools.map((tool) => tool.name);
    };
    expect(await seen("some")).toEqual(["vfs_list", "vfs_read", "vfs_write"]);
    expect(await seen("none")).toEqual([]);
  });

  test("get files by their path only as far as the session may read them", async () => {
    const folder = makeFolder({
      "pegboard.yaml": "version: 1\ntoolsets: { filesystem: {} }\n",
      "docs/a.md": "the text of a",
      "secret/b.md": "secret",
    });
    const workspace = await folder.open();
    const run = async (path: string, session: object = {}) => {
      const model = scriptedModel([{ text: "Done." }]);
      const attachments = [{ path }];
      const result = await workspace.open(session).run("assistant", "Read", { model, attachments }).result;
      return { code: result.error?.code, asked: JSON.stringify(model.requests) };
    };
    expect(await run("/docs/a.md")).toEqual({ code: undefined, asked: expect.stringContaining("the text of a") });
    const narrow = { filesystem: { paths: ["/docs"] } };
    expect((await run("/docs/a.md", narrow)).code).toBeUndefined();
    expect(await run("/secret/b.md", narrow)).toEqual({ code: "denied", asked: "[]" });
    expect((await run("../home/agents/mine.md")).code).toBeDefined();
  });

  test("that name no tools have none where the project says so", async () => {
    const folder = makeFolder({
      "pegboard.yaml": "version: 1\nagents: { tools: none }\n",
      "agents/open.md": agent("open"),
      "agents/listed.md": agent("listed", "tools: [vfs_list]\n"),
    });
    const session = (await folder.open()).open();
    const seen = async (name: string) => {
      const model = scriptedModel([{ text: "Done." }]);
      await session.run(name, "Go", { model }).result;
      return model.requests[0]?.tools.map((tool) => tool.name);
    };
    expect(await seen("open")).toEqual([]);
    expect(await seen("assistant")).toEqual([]);
    expect(await seen("listed")).toEqual(["vfs_list"]);
  });

  test.each([
    ["", 2],
    ["agents: { repeated_reads: notice }\n", 1],
  ])("A2-44 make the same read twice in one answer as the configuration says: %j", async (setting, times) => {
    const config = `version: 1\n${setting}toolsets: { filesystem: {} }\n`;
    const folder = makeFolder({ "pegboard.yaml": config, "agents/reader.md": agent("reader") });
    const workspace = await folder.open();
    const session = workspace.open();
    const look = { tool: "file_exists", input: { path: "/pegboard.yaml" } };
    await session.run("reader", "Go", { model: scriptedModel([{ calls: [look, look] }, "Done."]) }).result;
    expect(await workspace.store.read({ session: session.id, type: "execute-start" })).toHaveLength(times);
    expect(await workspace.store.read({ session: session.id, type: "call-end" })).toHaveLength(2);
  });

  test("have the model and the limits of the configuration", async () => {
    const folder = makeFolder({
      "pegboard.yaml":
        "version: 1\nmodel: small\nmodels: { small: 'scripted:turns.yaml' }\nlimits: { turns: 2, budget: { time: 1h } }\n",
      "turns.yaml":
        "- calls: [{ tool: vfs_list, input: {} }]\n- calls: [{ tool: vfs_list, input: {} }]\n- text: Never\n",
      "agents/helper.md": agent("helper"),
    });
    const result = await (await folder.open()).open().run("helper", "Go").result;
    expect(result).toMatchObject({ status: "failed", turns: 2 });
  });
});

describe("a model that the operator forces", () => {
  const forcing = (name: string) => `version: 1\nagents: { force_model: 'scripted:${name}.yaml' }\n`;
  const scripts = Object.fromEntries(["project", "person", "program"].map((by) => [`${by}.yaml`, `- By the ${by}\n`]));
  const named = scriptedModel(["By the call"]);
  const ask = async (workspace: Workspace) =>
    (await workspace.open().run("helper", "Go", { model: named }).result).text;

  test("goes before the agent's own and that of the call, and the person's before the workspace's", async () => {
    const folder = makeFolder({ "pegboard.yaml": forcing("project"), ...scripts, "agents/helper.md": agent("helper") });
    const workspace = await folder.open();
    expect(await ask(workspace)).toBe("By the project");
    writeHome(folder, "policy.yaml", "version: 1\nforce_model: 'scripted:person.yaml'\n");
    await workspace.reload();
    expect(await ask(workspace)).toBe("By the person");
    expect(await ask(await folder.open({ forceModel: "scripted:program.yaml" }))).toBe("By the program");
  });

  test("still has to fit what the agent runs on", async () => {
    const folder = makeFolder({
      "pegboard.yaml": forcing("project"),
      ...scripts,
      "agents/helper.md": agent("helper", 'compatible_models: ["google:*"]\n'),
    });
    const { error } = await (await folder.open()).open().run("helper", "Go").result;
    expect(error).toMatchObject({ code: "invalid_config", message: expect.stringContaining("google:*") });
  });

  test("does not count while the workspace that forces it is not trusted", async () => {
    const folder = makeFolder({ "pegboard.yaml": forcing("project"), ...scripts });
    writeHome(folder, "agents/helper.md", agent("helper"));
    expect(await ask(await folder.open({ trust: false }))).toBe("By the call");
  });
});

test("A0-42: no more runs are at work at once than the limits of the workspace say", async () => {
  const yaml = "version: 1\nmodel: scripted:script.yaml\nlimits: { runs: 1 }\n";
  const workspace = await makeFolder({ "pegboard.yaml": yaml, "script.yaml": "- Done.\n" }).open();
  const session = workspace.open();
  const runs = ["1", "2"].map((prompt) => session.run("assistant", prompt));
  for (const { result } of runs) expect(await result).toMatchObject({ text: "Done." });
  const waits = (await workspace.store.read()).filter(({ type }) => type === "run-change");
  // Which of them is ready first is up to the disk.
  expect(waits).toMatchObject([{ run: expect.toBeOneOf(runs.map(({ id }) => id)), data: { before: 0 } }]);
});

describe("agents of a workspace that is not trusted", () => {
  test("are listed and never run; the person's own are", async () => {
    const folder = makeFolder({
      "pegboard.yaml": "version: 1\nmodel: evil:model\nproviders: { evil: { baseURL: 'http://127.0.0.1:9' } }\n",
      "agents/stranger.md": agent("stranger"),
    });
    writeHome(folder, "agents/mine.md", agent("mine"));
    const workspace = await folder.open({ trust: false });
    expect(await workspace.agents.list()).toMatchObject([
      { name: "assistant" },
      { name: "mine", source: { layer: "user" } },
      { name: "stranger", held: true },
    ]);
    expect(workspace.held).toEqual(["agents/stranger.md"]);
    const session = workspace.open();
    const run = (name: string) => session.run(name, "Hi", { model: scriptedModel([{ text: "Hello." }]) }).result;
    expect((await run("stranger")).error).toMatchObject({ code: "untrusted" });
    expect(await run("mine")).toMatchObject({ status: "completed" });
    expect((await session.run("mine", "Hi").result).error?.message).toContain("has no model");
  });

  test("in its virtual files are held too, and its word that they may be edited does not count", async () => {
    const folder = makeFolder({ "pegboard.yaml": "version: 1\ntoolsets: { vfs: { edit_agents: true } }\n" });
    const trusted = await folder.open();
    const input = { path: "agents/virtual.md", content: agent("virtual") };
    expect((await trusted.open().call("vfs_write", input)).ok).toBe(true);
    await trusted.close();
    const workspace = await folder.open({ trust: false });
    expect(await workspace.agents.find("virtual")).toMatchObject({ held: true });
    expect((await workspace.open().call("vfs_write", input)).error?.code).toBe("denied");
  });

  test("are held again when one that brings code changes, and not for a change of mere words", async () => {
    const folder = makeFolder({
      "agents/plain.md": agent("plain"),
      "agents/coder.md": agent("coder", "toolsets: { math: { module: ../lib/math.mjs } }\n"),
      "lib/math.mjs": "export const one = 1;\n",
    });
    const { home, path } = folder;
    const trust = async () => (await readWorkspace(path, { home })).trust;
    recordTrust(await trust(), home);
    expect(await trust()).toMatchObject({
      trusted: true,
      files: ["agents/coder.md", "lib/math.mjs", "pegboard.yaml"],
    });
    folder.write("agents/plain.md", agent("plain", "", "Other words."));
    expect((await trust()).trusted).toBe(true);
    folder.write("lib/math.mjs", "export const one = 2;\n");
    expect((await trust()).trusted).toBe(false);
    recordTrust(await trust(), home);
    folder.write("agents/plain.md", agent("plain", "toolsets: { kit: { package: kit } }\n"));
    expect(await trust()).toMatchObject({ trusted: false, changed: true });
  });
});
