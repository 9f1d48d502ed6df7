import { mkdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test, vi } from "vitest";
import { readWorkspace, recordTrust } from "../../../src/node/index.ts";
import { makeFolder } from "../workspace-folder.ts";
import { agentFile, ECHO, echoTool, manifest, PLAIN, writeHome } from "./manifest-files.ts";

const kit = (name: string, ...tools: string[]) => ({
  [`plugins/${name}/plugin.json`]: manifest(name, { tools: tools.map((tool) => echoTool(tool)) }),
  [`plugins/${name}/echo.js`]: ECHO,
});

describe("the plugins of a workspace", () => {
  test("run nothing and bring nothing before it is trusted, and are listed", async () => {
    const folder = makeFolder({ ...kit("kit", "t"), "plugins/kit/package.json": "{}" });
    folder.write(
      "plugins/kit/plugin.json",
      manifest("kit", { tools: [echoTool("t")], runtime: "node", dependencies: { file: "package.json" } }),
    );
    const workspace = await folder.open({ trust: false });
    expect(workspace.plugins.list()).toMatchObject([
      {
        name: "kit",
        status: "disabled",
        reason: "the workspace is not trusted",
        components: [{ kind: "tools", name: "t" }],
      },
    ]);
    expect(workspace.tools.get("kit__t")).toBeUndefined();
    expect(workspace.held).toContain("plugins/kit");
    expect(workspace.trust.files).toEqual(expect.arrayContaining(["plugins/kit/plugin.json", "plugins/kit/echo.js"]));
  });

  test("are no longer trusted when anything in them changes, also behind a link", async () => {
    const folder = makeFolder(kit("kit", "t"));
    const elsewhere = join(folder.path, "..", "elsewhere");
    mkdirSync(elsewhere);
    writeFileSync(join(elsewhere, "plugin.json"), manifest("linked", { tools: [echoTool("t")] }));
    symlinkSync(elsewhere, join(folder.path, "plugins/linked"));
    const { home, path } = folder;
    recordTrust((await readWorkspace(path, { home })).trust, home);
    const isTrusted = async () => (await readWorkspace(path, { home })).trust.trusted;
    expect(await isTrusted()).toBe(true);
    writeFileSync(join(elsewhere, "echo.js"), "evil()");
    expect(await isTrusted()).toBe(false);
    rmSync(join(elsewhere, "echo.js"));
    expect(await isTrusted()).toBe(true);
    folder.write("plugins/kit/echo.js", "evil()");
    expect(await isTrusted()).toBe(false);
  });

  test("can be switched off as a whole and in part, and the lists of sessions that are open follow at once", async () => {
    const folder = makeFolder({ "pegboard.yaml": PLAIN, ...kit("a", "one", "two"), ...kit("b", "t") });
    const workspace = await folder.open();
    const session = workspace.open();
    const tools = () => session.list().flatMap(({ name }) => (/^[ab]__/.test(name) ? name : []));
    expect(tools()).toEqual(["a__one", "a__two", "b__t"]);
    folder.write(
      "pegboard.yaml",
      `${PLAIN}plugins:\n  disabled: [b]\n  enabled: [a]\n  off: { a: { tools: [two] } }\n`,
    );
    await workspace.reload();
    expect(tools()).toEqual(["a__one"]);
    const file = join(folder.path, "pegboard.yaml");
    expect(workspace.plugins.get("a")?.origin.enabledBy).toEqual({ file, line: 6 });
    expect(workspace.plugins.get("b")).toMatchObject({ status: "disabled", reason: `switched off in ${file}:5` });
    folder.write("pegboard.yaml", PLAIN);
    await workspace.reload();
    expect(tools()).toEqual(["a__one", "a__two", "b__t"]);
  });

  test("A2-47: one that is disabled vanishes from lists at once", async () => {
    const workspace = await makeFolder({ "pegboard.yaml": PLAIN, ...kit("a", "one") }).open();
    const session = workspace.open();
    const before = session.list();
    expect(before.map(({ name }) => name)).toContain("a__one");
    expect(session.list()).toBe(before);
    await workspace.plugins.disable("a");
    expect(session.list().map(({ name }) => name)).not.toContain("a__one");
    expect(await session.call("a__one")).toMatchObject({ ok: false, error: { code: "not_found" } });
  });

  test("A2-16: an edit of a manifest or an agent's file is there soon, and one that breaks it leaves what was there", async () => {
    const folder = makeFolder({ "pegboard.yaml": PLAIN });
    const source = join(folder.path, "..", "source");
    mkdirSync(source);
    const write = (file: string, text: string) => writeFileSync(join(source, file), text);
    const describe = (description: string) =>
      manifest("linked", {
        tools: [{ ...echoTool("t"), description }],
        agents: [{ name: "a", system_prompt_file: "a.md" }],
      });
    write("plugin.json", describe("first"));
    write("a.md", agentFile("a"));
    mkdirSync(join(folder.home, "plugins"), { recursive: true });
    symlinkSync(source, join(folder.home, "plugins/linked"));
    const workspace = await folder.open({ watch: true });
    expect(workspace.tools.get("linked__t")?.description).toBe("first");
    write("plugin.json", describe("second edition"));
    await vi.waitFor(() => expect(workspace.tools.get("linked__t")?.description).toBe("second edition"), 5_000);
    write("a.md", agentFile("a").replace("You are a.", "Another prompt."));
    await vi.waitFor(
      async () => expect((await workspace.agents.find("linked/a"))?.agent.instructions).toBe("Another prompt."),
      5_000,
    );
    write("plugin.json", "{ broken");
    await vi.waitFor(() => expect(workspace.diagnostics).toMatchObject([{ code: "json_syntax" }]), 5_000);
    expect(workspace.tools.get("linked__t")?.description).toBe("second edition");
    rmSync(join(folder.home, "plugins/linked"));
    await vi.waitFor(() => expect(workspace.tools.get("linked__t")).toBeUndefined(), 5_000);
  });

  test("A2-17: one that is uninstalled takes its tools and agents along at once", async () => {
    const folder = makeFolder({ "pegboard.yaml": PLAIN });
    writeHome(
      folder,
      "plugins/kit/plugin.json",
      manifest("kit", { tools: [echoTool("t")], agents: [{ name: "a", system_prompt_file: "a.md" }] }),
    );
    writeHome(folder, "plugins/kit/a.md", agentFile("a"));
    const workspace = await folder.open();
    expect(await workspace.agents.find("a")).toBeDefined();
    rmSync(join(folder.home, "plugins/kit"), { recursive: true });
    await workspace.reload();
    expect(await workspace.agents.find("a")).toBeUndefined();
    expect(workspace.tools.get("kit__t")).toBeUndefined();
    expect(workspace.plugins.list()).toEqual([]);
  });

  test("A2-25: two with an agent of one name: both are found as plugin/agent, the bare name is an error that names both", async () => {
    const files = (name: string) => ({
      [`plugins/${name}/plugin.json`]: manifest(name, { agents: [{ name: "helper", system_prompt_file: "h.md" }] }),
      [`plugins/${name}/h.md`]: agentFile("helper"),
    });
    const workspace = await makeFolder({ ...files("plugin-a"), ...files("plugin-b") }).open();
    expect((await workspace.agents.find("plugin-a/helper"))?.source.plugin).toBe("plugin-a");
    expect((await workspace.agents.find("plugin-b/helper"))?.source.plugin).toBe("plugin-b");
    const { error } = await workspace.open().run("helper", "hi").result;
    expect(error).toMatchObject({
      code: "duplicate",
      message: expect.stringContaining("plugin-a/helper or plugin-b/helper"),
    });
  });

  test("A2-22: a prompt outside of the plugin is not read, however it is named", async () => {
    const folder = makeFolder({
      "secret.md": agentFile("x"),
      "plugins/p/plugin.json": manifest("p", {
        tools: [echoTool("t")],
        agents: ["../../secret.md", join("/", "etc", "passwd"), "link.md", "deep/../../../secret.md", "C:\\x.md"].map(
          (path, index) => ({
            name: `a${index}`,
            system_prompt_file: path,
          }),
        ),
      }),
    });
    symlinkSync("../../secret.md", join(folder.path, "plugins/p/link.md"));
    const workspace = await folder.open();
    expect((await workspace.agents.list()).map(({ name }) => name)).toEqual(["assistant"]);
    const { status, diagnostics } = workspace.plugins.get("p")!;
    expect(status).toBe("degraded");
    expect(diagnostics.filter(({ severity }) => severity === "error")).toHaveLength(5);
    expect(workspace.tools.get("p__t")).toBeDefined();
  });

  test("are found beside links that lead nowhere, round in a circle, or back to where they are", async () => {
    const agent = agentFile("helper");
    const folder = makeFolder({
      "pegboard.yaml": PLAIN,
      ...kit("kit", "t"),
      ...kit("odd", "t"),
      "agents/helper.md": agent,
    });
    folder.write("tools/own.mjs", `export const own = { name: "own", description: "d", input: {}, execute: () => 1 };`);
    const link = (target: string, path: string) => symlinkSync(target, join(folder.path, path));
    for (const place of ["plugins/odd", "plugins", "tools", "agents"]) {
      link("nowhere", `${place}/dead`);
      link("circle", `${place}/circle`);
      // Each of them doubles what is below the other.
      for (const name of ["here", "again", "once-more"]) link(".", `${place}/${name}`);
      link("..", `${place}/up`);
    }
    for (const name of ["dead.mjs", "circle.mjs"]) link(name, `tools/${name}`);
    link("circle.md", "agents/circle.md");
    const workspace = await folder.open();
    expect(workspace.plugins.list()).toMatchObject([
      { name: "kit", status: "healthy" },
      { name: "odd", status: "healthy" },
    ]);
    expect(workspace.tools.get("own")).toBeDefined();
    expect(await workspace.agents.find("helper")).toBeDefined();
    expect(workspace.trust.files.length).toBeLessThan(50);
    expect(await workspace.open().call("odd__t")).toMatchObject({ ok: true });
  });

  test("of one name: the person's own stays, and the other is told", async () => {
    const folder = makeFolder({ "pegboard.yaml": PLAIN, ...kit("kit", "theirs") });
    writeHome(folder, "plugins/kit/plugin.json", manifest("kit", { tools: [echoTool("mine")] }));
    const workspace = await folder.open();
    expect(workspace.tools.names().filter((name) => name.startsWith("kit__"))).toEqual(["kit__mine"]);
    expect(workspace.plugins.list()).toMatchObject([
      { status: "healthy" },
      { status: "failed", reason: expect.stringContaining("There are two plugins") },
    ]);
    const told = { severity: "error", code: "duplicate", file: join(folder.path, "plugins/kit/plugin.json") };
    expect(workspace.diagnostics).toMatchObject([told]);
    await workspace.reload();
    expect(workspace.diagnostics).toMatchObject([told]);
    rmSync(join(folder.home, "plugins/kit"), { recursive: true });
    await workspace.reload();
    expect(workspace.diagnostics).toEqual([]);
    expect(workspace.tools.get("kit__theirs")).toBeDefined();
  });

  test("of other programs come with all they bring when an agent in them has no description", async () => {
    const workspace = await makeFolder({
      "plugins/acme/.claude-plugin/plugin.json": '{"name":"acme"}',
      "plugins/acme/agents/reviewer.md": "---\nname: reviewer\n---\nYou review.\n",
      "plugins/acme/commands/review.md": "Review.\n",
    }).open();
    expect(workspace.plugins.get("acme")).toMatchObject({ status: "healthy" });
    expect(await workspace.agents.find("acme/reviewer")).toMatchObject({ agent: { description: "" } });
  });

  test("A3-22: that are named and not there are told with the line, and nothing more", async () => {
    const folder = makeFolder({ "pegboard.yaml": `${PLAIN}plugins: { disabled: [kid] }\n`, ...kit("kit", "t") });
    expect((await folder.open()).diagnostics).toMatchObject([
      { severity: "warning", code: "unknown_plugin", message: expect.stringContaining('did you mean "kit"'), line: 4 },
    ]);
  });

  test("a tool whose script changed since it was loaded is not run before it is loaded anew", async () => {
    const folder = makeFolder({ "pegboard.yaml": PLAIN });
    writeHome(folder, "plugins/kit/plugin.json", manifest("kit", { tools: [echoTool("t")] }));
    writeHome(folder, "plugins/kit/echo.js", ECHO);
    const workspace = await folder.open();
    const session = workspace.open();
    writeHome(folder, "plugins/kit/echo.js", `console.log('{"data": "new"}')`);
    expect(await session.call("kit__t")).toMatchObject({ ok: false, error: { code: "unavailable", retryable: true } });
    await vi.waitFor(
      async () => expect(await session.call("kit__t")).toMatchObject({ ok: true, content: [{ text: "new" }] }),
      5_000,
    );
  });
});
