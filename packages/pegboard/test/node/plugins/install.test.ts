import { execFileSync } from "node:child_process";
import { existsSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { type Folder, makeFolder } from "../workspace-folder.ts";
import { echoTool, manifest, PLAIN } from "./manifest-files.ts";

const USES_IT = `console.log(JSON.stringify({ data: require("dependency") }));\n`;

/** A plugin whose one dependency lies in a folder, so that nothing is fetched. */
function makePlugin(value: string): Folder {
  const folder = makeFolder({
    "pegboard.yaml": PLAIN,
    "plugins/kit/plugin.json": manifest("kit", {
      tools: [echoTool("t")],
      runtime: "node",
      dependencies: { file: "package.json" },
    }),
    "plugins/kit/echo.js": USES_IT,
    "plugins/good/plugin.json": manifest("good", { tools: [echoTool("t")] }),
  });
  writeDependency(folder, value);
  return folder;
}

function writeDependency(folder: Folder, value: string): void {
  const place = join(folder.path, "dependencies", value);
  const scripts = { install: `echo ran > ${join(folder.path, "ran.txt")}` };
  folder.write(`dependencies/${value}/package.json`, JSON.stringify({ name: "dependency", version: "1.0.0", scripts }));
  folder.write(`dependencies/${value}/index.js`, `module.exports = ${JSON.stringify(value)};`);
  folder.write("plugins/kit/package.json", JSON.stringify({ dependencies: { dependency: `file:${place}` } }));
}

describe("the dependencies of a plugin", () => {
  test("A2-15: are installed once, in a place of their own, without running a script, and again when their file changes", async () => {
    const folder = makePlugin("first");
    const workspace = await folder.open();
    expect(workspace.plugins.get("kit")?.reason).toBeUndefined();
    expect(await workspace.open().call("kit__t")).toMatchObject({ ok: true, content: [{ text: "first" }] });
    const place = join(folder.path, ".pegboard/plugin-environments/kit");
    expect(readdirSync(join(folder.path, "plugins/kit"))).not.toContain("node_modules");
    expect(existsSync(join(folder.path, "ran.txt"))).toBe(false);

    writeFileSync(join(place, "mark"), "still the first");
    folder.write(
      "plugins/kit/plugin.json",
      manifest("kit", {
        version: "1.0.1",
        tools: [echoTool("t")],
        runtime: "node",
        dependencies: { file: "package.json" },
      }),
    );
    await workspace.reload();
    expect(existsSync(join(place, "mark"))).toBe(true);

    writeDependency(folder, "second");
    await workspace.reload();
    expect(existsSync(join(place, "mark"))).toBe(false);
    expect(await workspace.open().call("kit__t")).toMatchObject({ ok: true, content: [{ text: "second" }] });
  }, 60_000);

  test.each([
    ["cannot be had", (folder: Folder) => folder.write("plugins/kit/package.json", "{ not json")],
    [
      "are not listed in a file",
      (folder: Folder) =>
        folder.write(
          "plugins/kit/plugin.json",
          manifest("kit", { tools: [echoTool("t")], dependencies: { file: "no.json" } }),
        ),
    ],
    [
      "lie in a repository, whose scripts would run",
      (folder: Folder) => {
        const place = join(folder.path, "repository");
        folder.write(
          "repository/package.json",
          JSON.stringify({
            name: "dependency",
            version: "1.0.0",
            scripts: { prepare: `echo ran > ${join(folder.path, "ran.txt")}` },
          }),
        );
        const git = (...args: string[]) => execFileSync("git", ["-C", place, ...args], { stdio: "ignore" });
        git("init");
        git("add", ".");
        git("-c", "user.name=a", "-c", "user.email=a@example.com", "commit", "-m", "a");
        folder.write(
          "plugins/kit/package.json",
          JSON.stringify({ dependencies: { dependency: `git+file://${place}` } }),
        );
      },
    ],
    [
      "would have to be built",
      (folder: Folder) => {
        folder.write("plugins/kit/requirements.txt", "-e .\n");
        folder.write(
          "plugins/kit/plugin.json",
          manifest("kit", { tools: [echoTool("t")], runtime: "python3", dependencies: { file: "requirements.txt" } }),
        );
      },
    ],
  ])(
    "A2-15: that %s disable that plugin alone",
    async (_, spoil) => {
      const folder = makePlugin("first");
      spoil(folder);
      const workspace = await folder.open();
      expect(workspace.plugins.get("kit")).toMatchObject({
        status: "disabled",
        reason: expect.stringContaining("dependencies"),
      });
      expect(workspace.tools.get("kit__t")).toBeUndefined();
      expect(workspace.plugins.get("good")?.status).toBe("healthy");
    },
    60_000,
  );
});
