import { spawnSync } from "node:child_process";
import { chmodSync, existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { makeTarball, makeZip } from "../node/plugins/make-archive.ts";
import { startRegistry } from "./npm-registry.ts";
import { kit, makePluginPlace, type PluginPlace } from "./plugin-place.ts";
import type { Outcome } from "./run.ts";

/** Everything in a folder of plugins, drafts too. */
const inPlugins = (place: PluginPlace) => (existsSync(place.path("plugins")) ? readdirSync(place.path("plugins")) : []);

const callKit = (place: PluginPlace, tool = "one") => place.run("call", `kit__${tool}`, "--json");

describe("pegboard plugin add", () => {
  test("shows what comes, changes nothing without a yes, and adds it with one: the workspace stays trusted", async () => {
    const place = await makePluginPlace();
    const source = place.plugin("kit", kit("1.0.0", ["one", "two"]));
    const asked = await place.run("plugin", "add", source);
    expect(asked).toMatchObject({ code: 3, stdout: "" });
    expect(asked.stderr).toContain("+ tool  one");
    expect(asked.stderr).toContain('runs: ["node","run.js"]');
    expect(asked.stderr).toContain("agree with --yes");
    expect(inPlugins(place)).toEqual([]);
    expect(existsSync(place.path("pegboard.lock"))).toBe(false);
    const added = await place.json("plugin", "add", source, "--yes");
    expect(added).toMatchObject({ name: "kit", version: "1.0.0", source, added: true, trusted: true });
    expect(inPlugins(place)).toEqual(["kit"]);
    expect(await callKit(place)).toMatchObject({ code: 0 });
    const lock = JSON.parse(place.read("pegboard.lock"));
    expect(lock).toMatchObject({ version: 1, plugins: { kit: { source, version: "1.0.0", digest: added.digest } } });
    expect(Object.keys(lock.plugins.kit.tools)).toEqual(["one", "two"]);
    const again = await place.run("plugin", "add", source, "--yes");
    expect(again).toMatchObject({ code: 1, stderr: expect.stringContaining("pegboard plugin update kit") });
  });

  test("asks on a terminal, and a no changes nothing", async () => {
    const place = await makePluginPlace();
    const source = place.plugin("kit", kit("1.0.0", ["one"]));
    const refused = await place.onTerminal([["Add kit? [y/N]", "n\n"]], "plugin", "add", source);
    expect(refused.code).toBe(3);
    expect(inPlugins(place)).toEqual([]);
    const agreed = await place.onTerminal([["Add kit? [y/N]", "y\n"]], "plugin", "add", source);
    expect(agreed.code).toBe(0);
    expect(inPlugins(place)).toEqual(["kit"]);
  });

  test("with --user goes to the person's own plugins, without any workspace", async () => {
    const place = await makePluginPlace();
    const source = place.plugin("kit", kit("1.0.0", ["one"]));
    const cwd = place.plugin("nowhere", { "a.txt": "" });
    const without = await place.runWith({ cwd }, "plugin", "add", source, "--yes");
    expect(without).toMatchObject({ code: 2, stderr: expect.stringContaining("--user") });
    expect(await place.runWith({ cwd }, "plugin", "add", source, "--user", "--yes")).toMatchObject({ code: 0 });
    expect(existsSync(join(place.home, "plugins/kit/plugin.json"))).toBe(true);
    expect(existsSync(join(place.home, "pegboard.lock"))).toBe(true);
    expect((await place.json("plugin", "list")).plugins).toMatchObject([
      { name: "kit", place: "user", installed: "added", locked: true },
    ]);
  });

  test.each([
    ["a folder that is no plugin", { "a.txt": "" }, /no plugin/],
    ["a manifest with errors", { "plugin.json": '{ "name": 1 }' }, /name/],
  ])("refuses %s and says why", async (_, files, why) => {
    const place = await makePluginPlace();
    const outcome = await place.run("plugin", "add", place.plugin("bad", files), "--yes");
    expect(outcome.code).toBe(2);
    expect(outcome.stderr).toMatch(why);
    expect(inPlugins(place)).toEqual([]);
  });

  test("refuses a source that would make git or npm do something else, and says how sources are written", async () => {
    const place = await makePluginPlace();
    const outcome = await place.run("plugin", "add", "git:ext::sh -c true", "--yes");
    expect(outcome).toMatchObject({ code: 2, stderr: expect.stringContaining("a repository is git:https://…") });
  });

  test("takes archives; PM041: one that leads out of itself leaves nothing behind", async () => {
    const place = await makePluginPlace();
    const entries = Object.entries(kit("2.0.0", ["one"])).map(([path, content]) => ({ path: `kit/${path}`, content }));
    const archives = {
      "kit.tgz": makeTarball(entries),
      "bad.zip": makeZip([...entries, { path: "../evil.js", content: "1" }]),
    };
    for (const [name, bytes] of Object.entries(archives)) writeFileSync(place.path(name), bytes);
    const bad = await place.run("plugin", "add", "bad.zip", "--yes");
    expect(bad).toMatchObject({ code: 2, stderr: expect.stringContaining("nothing was written") });
    expect([inPlugins(place), existsSync(place.path("evil.js"))]).toEqual([[], false]);
    expect(await place.json("plugin", "add", "kit.tgz", "--yes")).toMatchObject({ name: "kit", source: "./kit.tgz" });
    expect(await callKit(place)).toMatchObject({ code: 0 });
  });

  test("lists what a marketplace has, and adds one of it by its name", async () => {
    const place = await makePluginPlace();
    const plugins = [{ name: "fmt", source: "./fmt", description: "Formats" }];
    const market = place.plugin("market", {
      ".claude-plugin/marketplace.json": JSON.stringify({ name: "acme", plugins }),
      "fmt/.claude-plugin/plugin.json": JSON.stringify({ name: "fmt", version: "1.0.0" }),
      "fmt/skills/s/SKILL.md": "---\nname: s\ndescription: d\n---\nDo.\n",
    });
    const listed = await place.run("plugin", "add", market, "--yes");
    expect(listed).toMatchObject({ code: 2, stderr: expect.stringContaining(`pegboard plugin add fmt@${market}`) });
    expect(listed.stderr).toContain("fmt  Formats");
    expect(await place.json("plugin", "add", `fmt@${market}`, "--yes")).toMatchObject({ name: "fmt", added: true });
    expect((await place.json("plugin", "list")).plugins).toMatchObject([
      { name: "fmt", status: "healthy", locked: true, source: `fmt@${market}` },
    ]);
    expect(await place.run("plugin", "update", "fmt")).toMatchObject({ code: 0 });
  });

  test("fetches one commit of a repository, without its hooks", async () => {
    const place = await makePluginPlace();
    const folder = place.plugin("repository", kit("1.0.0", ["one"]));
    const git = (...args: string[]) =>
      spawnSync("git", ["-c", "user.name=a", "-c", "user.email=a@b.example", ...args], {
        cwd: folder,
        encoding: "utf8",
      }).stdout.trim();
    git("init", "--quiet");
    git("add", ".");
    git("commit", "--quiet", "-m", "first");
    git("tag", "v1");
    const commit = git("rev-parse", "HEAD");
    writeFileSync(join(folder, "plugin.json"), kit("2.0.0", ["one"])["plugin.json"]!);
    git("commit", "--quiet", "-am", "second");
    const url = `file://${folder}`;
    const added = await place.json("plugin", "add", `git:${url}#v1`, "--yes");
    expect(added).toMatchObject({ version: "1.0.0", source: `git:${url}#v1`, resolved: `git:${url}#${commit}` });
    expect(readdirSync(place.path("plugins/kit")).sort()).toEqual(["plugin.json", "run.js"]);
  });

  test("HP32: fetches a package from a registry, runs none of its scripts, and shows which those are", async () => {
    const place = await makePluginPlace();
    const ran = join(place.home, "ran");
    const list = JSON.stringify({ name: "kit", version: "1.2.3", scripts: { postinstall: `touch ${ran}`, test: "x" } });
    const files = { ...kit("1.2.3", ["one"]), "package.json": list };
    const outcome = await addFrom(place, { kit: { version: "1.2.3", files } }, "npm:kit");
    expect(JSON.parse(outcome.stdout)).toMatchObject({
      source: "npm:kit",
      resolved: expect.stringMatching(/^npm:kit@1\.2\.3 sha/),
    });
    expect(outcome.stderr).toMatch(/\+ script +postinstall +not run: touch /);
    expect(existsSync(ran)).toBe(false);
    expect(readFileSync(place.path("plugins/kit/package.json"), "utf8")).toBe(list);
  });

  test("HP32: installs what a module imports, and runs no script of that either", async () => {
    const place = await makePluginPlace();
    const ran = join(place.home, "ran");
    // What would make npm run another program for git.
    const evil = place.plugin("evil", { "git.sh": `#!/bin/sh\ntouch ${ran}\n` });
    chmodSync(join(evil, "git.sh"), 0o755);
    const npmrc = `git=${join(evil, "git.sh")}\nignore-scripts=false\n`;
    place.write(".npmrc", npmrc);
    const toPackage = (name: string, more: object) =>
      JSON.stringify({ name, version: "1.0.0", type: "module", ...more });
    const index = `import { word } from "words";
      export default { name: "mod", version: "3.0.0", tools: [{ name: "say", description: "Says", schema: { type: "object" }, handler: async () => word }] };`;
    const packages = {
      mod: {
        version: "1.0.0",
        files: {
          ".npmrc": npmrc,
          "index.js": index,
          "package.json": toPackage("mod", { main: "index.js", dependencies: { words: "^1.0.0" } }),
        },
      },
      words: {
        version: "1.0.0",
        files: {
          "index.js": 'export const word = "hello";',
          "package.json": toPackage("words", { exports: "./index.js", scripts: { install: `touch ${ran}` } }),
        },
      },
    };
    const outcome = await addFrom(place, packages, "npm:mod@1.0.0");
    expect(JSON.parse(outcome.stdout)).toMatchObject({ name: "mod", version: "3.0.0" });
    expect(outcome.stderr).toMatch(/\+ dependency +words +\^1\.0\.0/);
    expect(outcome.stderr).toMatch(/\+ script +words +not run/);
    expect(existsSync(ran)).toBe(false);
    expect(await place.run("call", "mod__say")).toMatchObject({ code: 0, stdout: "hello\n" });
    const built = place.plugin("built", {
      ".npmrc": npmrc,
      "index.js": index,
      "package.json": toPackage("built", { main: "index.js", dependencies: { words: `git+file://${evil}` } }),
    });
    expect(await place.run("plugin", "add", built, "--yes")).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("nothing was changed"),
    });
    expect([existsSync(ran), existsSync(place.path("plugins/built"))]).toEqual([false, false]);
  });
});

/** Adds a plugin with a registry that holds these packages alone. */
async function addFrom(
  place: PluginPlace,
  packages: Parameters<typeof startRegistry>[0],
  source: string,
): Promise<Outcome> {
  const home = place.plugin("npm-home", {
    ".npmrc": `registry=${await startRegistry(packages)}\nupdate-notifier=false\n`,
  });
  const outcome = await place.runWith({ env: { HOME: home } }, "plugin", "add", source, "--yes", "--json");
  expect(outcome).toMatchObject({ code: 0 });
  return outcome;
}
