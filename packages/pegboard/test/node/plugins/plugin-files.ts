import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach } from "vitest";
import type { CommandPluginDeps } from "../../../src/node/plugins/command-plugin.ts";
import type { ForeignPluginDeps } from "../../../src/node/plugins/foreign-plugin.ts";
import { openPluginFolder, type PluginFolder } from "../../../src/node/plugins/plugin-folder.ts";

/** A plugin in a temporary folder, and what it is read with. */
export interface PluginFiles {
  readonly folder: PluginFolder;
  readonly deps: CommandPluginDeps & ForeignPluginDeps;
  /** The folder around the plugin, which nothing of it may lead to. */
  readonly outside: string;
}

const made: string[] = [];

afterEach(() => {
  for (const folder of made.splice(0)) rmSync(folder, { recursive: true, force: true });
});

/** Makes a plugin of these files; an object `{ link }` is a symbolic link. It goes away after the test. */
export function makePlugin(files: Readonly<Record<string, string | { readonly link: string }>>): PluginFiles {
  const outside = mkdtempSync(join(tmpdir(), "pegboard-plugin-"));
  made.push(outside);
  const root = join(outside, "the-plugin");
  mkdirSync(root);
  for (const [path, content] of Object.entries(files)) {
    const file = join(root, path);
    mkdirSync(dirname(file), { recursive: true });
    if (typeof content === "string") writeFileSync(file, content);
    else symlinkSync(content.link, file);
  }
  const deps = {
    sandbox: () => {
      throw new Error("Nothing of a plugin may run while it is read");
    },
    environments: join(outside, "data", "plugin-environments"),
    project: join(outside, "project"),
    env: { HOME: "/home/ada" },
  };
  return { folder: openPluginFolder(root), deps, outside };
}
