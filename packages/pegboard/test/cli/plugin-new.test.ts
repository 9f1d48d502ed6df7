import { spawnSync } from "node:child_process";
import { mkdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { makePluginPlace } from "./plugin-place.ts";

const PACKAGE = fileURLToPath(new URL("../../", import.meta.url));

test.each(["command", "module"])(
  "a plugin of the kind %s is made: its tool can be called at once, and its own test passes",
  async (kind) => {
    const place = await makePluginPlace();
    const made = await place.json("plugin", "new", "greeter", "--kind", kind);
    expect(made).toMatchObject({ name: "greeter", kind, trusted: true, folder: place.path("plugins/greeter") });
    expect(made.files).toEqual(expect.arrayContaining(["README.md", "plugin.test.ts"]));
    expect(await place.run("call", "greeter__greet", "name=Ada")).toMatchObject({ code: 0, stdout: "Hello, Ada!\n" });
    expect((await place.run("check", "--strict")).code).toBe(0);
    await place.run("plugin", "config", "greeter", "greeting=Ahoy");
    expect(await place.run("call", "greeter__greet", "name=Ada")).toMatchObject({ code: 0, stdout: "Ahoy, Ada!\n" });
    // As if pegboard were installed there.
    mkdirSync(place.path("node_modules"));
    symlinkSync(PACKAGE, place.path("node_modules/pegboard"));
    const { status, stdout } = spawnSync(
      process.execPath,
      ["--conditions=pegboard:source", "--test", "plugin.test.ts"],
      {
        cwd: made.folder,
        encoding: "utf8",
        env: { PATH: process.env["PATH"], PEGBOARD_HOME: join(place.home, "none") },
      },
    );
    expect({ status, stdout }).toMatchObject({ status: 0, stdout: expect.stringContaining("pass 1") });
  },
);

test("a plugin is not made where something is, nor with a name that none can have", async () => {
  const place = await makePluginPlace({ "plugins/greeter/notes.txt": "mine" });
  expect(await place.run("plugin", "new", "greeter")).toMatchObject({
    code: 1,
    stderr: expect.stringContaining("nothing was changed"),
  });
  expect(place.read("plugins/greeter/notes.txt")).toBe("mine");
  expect(await place.run("plugin", "new", "../x")).toMatchObject({
    code: 2,
    stderr: expect.stringContaining("must start with a letter"),
  });
});
