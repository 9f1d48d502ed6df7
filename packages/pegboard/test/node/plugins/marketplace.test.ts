import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import { draftAdd, draftUpdate, workspaceStore } from "../../../src/node/index.ts";
import { makeFolder } from "../workspace-folder.ts";

const CLAUDE = ".claude-plugin/marketplace.json";
const CODEX = ".agents/plugins/marketplace.json";
const plugin = (name: string, more: object = {}) => JSON.stringify({ name, version: "1.0.0", ...more });
const skill = (name: string) => `---\nname: ${name}\ndescription: d\n---\nDo it.\n`;

/** A workspace, a marketplace beside it, and what is said of an attempt to add something. */
function setUp(files: Readonly<Record<string, string>>) {
  const folder = makeFolder();
  const market = join(folder.path, "..", "market");
  const write = (file: string, text: string, base = market) => {
    mkdirSync(dirname(join(base, file)), { recursive: true });
    writeFileSync(join(base, file), text);
  };
  for (const [file, text] of Object.entries(files)) write(file, text);
  const store = workspaceStore(folder.path);
  const add = async (source: string) => {
    const draft = await draftAdd(store, source);
    await draft.commit();
    return draft;
  };
  const lock = () => (JSON.parse(readFileSync(store.lock, "utf8")) as { plugins: Record<string, unknown> }).plugins;
  return { folder, market, write, store, add, lock };
}

/** Makes a repository of a folder. Answers with its address and its commit. */
function commit(folder: string): { readonly url: string; readonly sha: string } {
  const git = (...args: string[]) =>
    spawnSync("git", ["-c", "user.name=a", "-c", "user.email=a@b.example", ...args], { cwd: folder, encoding: "utf8" })
      .stdout;
  git("init", "--quiet");
  git("add", ".");
  git("commit", "--quiet", "-m", "a change");
  return { url: `file://${folder}`, sha: git("rev-parse", "HEAD").trim() };
}

describe("a marketplace", () => {
  test.each([CLAUDE, CODEX])("in %s lists its plugins, and one is added by its name", async (file) => {
    const { market, add, lock, folder } = setUp({
      [file]: JSON.stringify({
        name: "acme-market",
        owner: { name: "Ada" },
        plugins: [
          { name: "fmt", source: "./plugins/fmt", description: "Formats" },
          { name: "lint", source: { source: "local", path: "./plugins/lint" }, policy: { installation: "AVAILABLE" } },
          { name: "odd", source: { source: "pigeon" } },
          { name: "kept", source: "./plugins/fmt", policy: { installation: "NOT_AVAILABLE" } },
          { source: "./nameless" },
          7,
        ],
      }),
      "plugins/fmt/.claude-plugin/plugin.json": plugin("fmt"),
      "plugins/fmt/skills/s/SKILL.md": skill("s"),
      "plugins/lint/.codex-plugin/plugin.json": plugin("lint"),
    });
    const listed = await add(market).catch((error: Error) => error.message);
    for (const text of ['"acme-market"', "fmt  Formats", "lint", '"pigeon" is not known', "not available", "fmt@"])
      expect(listed).toContain(text);
    expect(existsSync(join(folder.path, "plugins"))).toBe(false);
    const { found } = await add(`fmt@${market}`);
    expect(found.loaded!.plugin.skills).toMatchObject([{ name: "s" }]);
    expect(existsSync(join(folder.path, "plugins/fmt/skills/s/SKILL.md"))).toBe(true);
    await add(`lint@${market}`);
    expect(lock()).toMatchObject({ fmt: { source: `fmt@${market}`, format: "claude" }, lint: { format: "codex" } });
    await expect(add(`lnt@${market}`)).rejects.toMatchObject({
      code: "not_found",
      message: expect.stringContaining('did you mean "lint"?'),
    });
    await expect(add(`kept@${market}`)).rejects.toThrow("not available");
  });

  test("is told from the root of its plugins, and knows what plugins were called before", async () => {
    const { market, add } = setUp({
      [CLAUDE]: JSON.stringify({
        name: "m",
        metadata: { pluginRoot: "./deep/plugins" },
        plugins: [{ name: "fmt", source: "fmt" }],
        renames: { format: "fmt" },
      }),
      "deep/plugins/fmt/.claude-plugin/plugin.json": plugin("fmt"),
    });
    await expect(add(`format@${market}`)).rejects.toThrow('it is called "fmt" now');
    expect((await add(`fmt@${market}`)).name).toBe("fmt");
  });

  test("in a repository gives the plugin of one commit, and an update fetches the next", async () => {
    const { market, write, add, lock, store } = setUp({
      [CLAUDE]: JSON.stringify({ name: "m", plugins: [{ name: "fmt", source: "./fmt" }] }),
      "fmt/.claude-plugin/plugin.json": plugin("fmt"),
    });
    const first = commit(market);
    await add(`fmt@git:${first.url}`);
    expect(lock()["fmt"]).toMatchObject({
      source: `fmt@git:${first.url}`,
      resolved: `fmt@git:${first.url}#${first.sha}`,
    });
    write("fmt/.claude-plugin/plugin.json", plugin("fmt", { version: "2.0.0" }));
    const second = commit(market);
    const draft = await draftUpdate(store, "fmt");
    expect(draft.contents).toMatchObject({ version: "2.0.0", resolved: `fmt@git:${first.url}#${second.sha}` });
    draft.discard();
  });

  test("can have plugins in other repositories, and in folders of those", async () => {
    const { market, write, add, lock } = setUp({});
    const other = join(market, "..", "other");
    write(".claude-plugin/plugin.json", plugin("whole"), other);
    write("tools/part/.claude-plugin/plugin.json", plugin("part"), other);
    const { url, sha } = commit(other);
    const plugins = [
      { name: "whole", source: { source: "url", url, sha } },
      { name: "part", source: { source: "git-subdir", url, path: "tools/part" } },
      { name: "away", source: { source: "git-subdir", url, path: "../.." } },
    ];
    write(CLAUDE, JSON.stringify({ name: "m", plugins }));
    await add(`whole@${market}`);
    await add(`part@${market}`);
    expect(lock()).toMatchObject({ whole: { resolved: `git:${url}#${sha}` }, part: { resolved: `git:${url}#${sha}` } });
    await expect(add(`away@${market}`)).rejects.toThrow("leads out");
  });

  test.each([
    ["a path upwards", "../secret"],
    ["a path from the root", "/etc"],
    ["a link", "./link"],
    ["the repository itself", "./.git"],
  ])("gives nothing that %s leads to outside of it", async (_, source) => {
    const { market, write, add, folder } = setUp({
      [CLAUDE]: JSON.stringify({ name: "m", plugins: [{ name: "x", source }] }),
    });
    write(".claude-plugin/plugin.json", plugin("x"), join(market, "..", "secret"));
    symlinkSync("../secret", join(market, "link"));
    await expect(add(`x@${market}`)).rejects.toThrow(/leads out/);
    expect(existsSync(join(folder.path, "plugins/x"))).toBe(false);
  });

  test("of somebody else names nothing that lies on this machine", async () => {
    const { fetchFromMarket } = await import("../../../src/node/plugins/fetch-market.ts");
    const { market, folder } = setUp({
      [CLAUDE]: JSON.stringify({ name: "m", plugins: [{ name: "x", source: { source: "url", url: "file:///home" } }] }),
    });
    const archive = join(folder.path, "..", "market.tgz");
    spawnSync("tar", ["czf", archive, "-C", dirname(market), "market"]);
    const from = { kind: "market", plugin: "x", market: { kind: "archive", path: archive } } as const;
    const fetching = fetchFromMarket(from, join(folder.path, "new"), { scratch: join(folder.path, "scratch") });
    await expect(fetching).rejects.toThrow("names something that is");
  });
});

describe("an entry of a marketplace", () => {
  test("is the manifest of a plugin that has none when it is not strict, and must not contradict one", async () => {
    const entry = { name: "fmt", strict: false, version: "3.0.0", skills: ["./more"] };
    const { market, write, add } = setUp({
      [CLAUDE]: JSON.stringify({ name: "m", plugins: [{ ...entry, source: "./fmt" }] }),
      "fmt/more/s/SKILL.md": skill("s"),
    });
    const { contents } = await add(`fmt@${market}`);
    expect(contents).toMatchObject({ version: "3.0.0", format: "claude", skills: { s: expect.any(String) } });
    write("fmt/.claude-plugin/plugin.json", plugin("fmt"));
    write(CLAUDE, JSON.stringify({ name: "m", plugins: [{ ...entry, name: "fmt", source: "./fmt" }] }));
    await expect(add(`fmt@${market}`)).rejects.toThrow("has a manifest, and its marketplace says too");
  });

  test("that is strict needs a plugin with its own manifest and the same name", async () => {
    const plugins = [
      { name: "bare", source: "./bare" },
      { name: "alias", source: "./fmt" },
    ];
    const { market, add } = setUp({
      [CLAUDE]: JSON.stringify({ name: "m", plugins }),
      "bare/readme.md": "nothing",
      "fmt/.claude-plugin/plugin.json": plugin("fmt"),
    });
    await expect(add(`bare@${market}`)).rejects.toThrow("no plugin");
    await expect(add(`alias@${market}`)).rejects.toThrow('calls itself "fmt"');
  });
});
