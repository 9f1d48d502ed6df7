import { appendFileSync, existsSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { draftAdd, draftUpdate, switchPlugin, userSwitches, workspaceStore } from "../../../src/node/index.ts";
import { copyFolder } from "../../../src/node/plugins/copy-folder.ts";
import { type Folder, makeFolder } from "../workspace-folder.ts";
import { agentFile, ECHO, echoTool, manifest, PLAIN, writeHome } from "./manifest-files.ts";

const KIT = { "lib/kit/plugin.json": manifest("kit", { tools: [echoTool("t")] }), "lib/kit/echo.js": ECHO };

/** Everything that lies where plugins and drafts are, and in the lock. */
const stateOf = ({ path }: Folder) => {
  const below = (name: string) =>
    existsSync(join(path, name)) ? readdirSync(join(path, name), { recursive: true, encoding: "utf8" }).toSorted() : [];
  const lock = join(path, "pegboard.lock");
  return [below("plugins"), below(".pegboard/plugin-drafts"), existsSync(lock) ? readFileSync(lock, "utf8") : ""];
};

describe("a change of plugins", () => {
  test("leaves what was there when it cannot be made", async () => {
    const folder = makeFolder(KIT);
    const store = workspaceStore(folder.path);
    await (await draftAdd(store, "./lib/kit")).commit();
    const lock = readFileSync(store.lock, "utf8");
    const before = stateOf(folder);
    folder.write("lib/kit/echo.js", "other");
    const draft = await draftUpdate(store, "kit");
    writeFileSync(store.lock, "{ broken");
    await expect(draft.commit()).rejects.toMatchObject({ code: "invalid_config" });
    writeFileSync(store.lock, lock);
    expect(stateOf(folder)).toEqual(before);
    expect(readFileSync(join(folder.path, "plugins/kit/echo.js"), "utf8")).toBe(ECHO);
  });

  test("is not made with something else than what was shown", async () => {
    const folder = makeFolder(KIT);
    const store = workspaceStore(folder.path);
    const draft = await draftAdd(store, "./lib/kit");
    const [made] = readdirSync(store.drafts);
    appendFileSync(join(store.drafts, made!, "kit/echo.js"), "\nevil()");
    await expect(draft.commit()).rejects.toMatchObject({ code: "denied" });
    expect(stateOf(folder)).toEqual([[], [], ""]);
  });

  test("leaves nothing behind when it is dropped", async () => {
    const folder = makeFolder(KIT);
    (await draftAdd(workspaceStore(folder.path), "./lib/kit")).discard();
    expect(stateOf(folder)).toEqual([[], [], ""]);
  });

  test("tells everything that a plugin of another program would bring", async () => {
    const folder = makeFolder({
      "lib/c/.claude-plugin/plugin.json": JSON.stringify({ name: "c", version: "1.0.0" }),
      "lib/c/agents/a.md": agentFile("a"),
      "lib/c/commands/go.md": "---\ndescription: Goes\n---\nGo.",
      "lib/c/skills/s/SKILL.md": "---\nname: s\ndescription: Skilled\n---\nDo.",
      "lib/c/.mcp.json": JSON.stringify({ mcpServers: { m: { command: "${CLAUDE_PLUGIN_ROOT}/serve" } } }),
      "lib/c/hooks/hooks.json": JSON.stringify({ hooks: { PreToolUse: [] } }),
      "lib/c/package.json": JSON.stringify({
        dependencies: { left: "^1.0.0" },
        scripts: { prepare: "node x", test: "y" },
      }),
    });
    const store = workspaceStore(folder.path);
    const draft = await draftAdd(store, "./lib/c");
    expect(draft.changes.map(({ change, kind, name }) => `${change} ${kind} ${name}`)).toEqual([
      "added agent a",
      "added skill s",
      "added command go",
      "added MCP server m",
      "added hook PreToolUse",
      "added dependency left",
      "added script prepare",
    ]);
    await draft.commit();
    // Where a plugin lies is no part of what it is.
    const again = await draftUpdate(store, "c");
    expect(again.contents.mcpServers).toEqual(draft.contents.mcpServers);
    again.discard();
  });
});

describe("a folder that is copied", () => {
  test("loses its links to files of its own, which become files, and what is made anew elsewhere", () => {
    const folder = makeFolder({ "from/a.txt": "a", "from/.git/config": "x", "from/node_modules/b/index.js": "x" });
    symlinkSync("a.txt", join(folder.path, "from/link.txt"));
    copyFolder(join(folder.path, "from"), join(folder.path, "to"));
    expect(readdirSync(join(folder.path, "to"))).toEqual(["a.txt", "link.txt"]);
    expect(readFileSync(join(folder.path, "to/link.txt"), "utf8")).toBe("a");
  });

  test.each(["../secret.txt", "/etc/passwd", ".", "nowhere", "link"])("is refused with a link to %s", (target) => {
    const folder = makeFolder({ "from/a.txt": "a", "secret.txt": "s" });
    symlinkSync(target, join(folder.path, "from/link"));
    expect(() => copyFolder(join(folder.path, "from"), join(folder.path, "to"))).toThrow(/pegboard plugin link/);
  });
});

test("what a person switches off is gone at once from a workspace that is open, and a file that cannot be read is no yes", async () => {
  const folder = makeFolder({ ...KIT, "pegboard.yaml": PLAIN });
  await (await draftAdd(workspaceStore(folder.path), "./lib/kit")).commit();
  const workspace = await folder.open();
  expect(workspace.tools.get("kit__t")).toBeDefined();
  switchPlugin(userSwitches(folder.home), { plugin: "kit" }, false);
  await workspace.reload();
  expect(workspace.tools.get("kit__t")).toBeUndefined();
  writeHome(folder, "plugins.yaml", "disabled: kit\n");
  await workspace.reload();
  expect(workspace.tools.get("kit__t")).toBeUndefined();
  expect(workspace.diagnostics).toMatchObject([{ message: expect.stringContaining('must hold "disabled", a list') }]);
  await expect(folder.open()).rejects.toMatchObject({ code: "invalid_config" });
});
