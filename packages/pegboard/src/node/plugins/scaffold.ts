import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { PegboardError } from "../../core/error.ts";
import { nameProblem } from "../../core/name.ts";
import type { PluginStore } from "./plugin-store.ts";
import { commandPluginFiles } from "./scaffold-command.ts";
import { modulePluginFiles } from "./scaffold-module.ts";

/** The kinds of plugins that can be made: programs with a manifest, or a module. */
export type PluginKind = "command" | "module";

/** A plugin that was made. */
export interface MadePlugin {
  readonly folder: string;
  /** Relative to the folder. */
  readonly files: readonly string[];
}

/**
 * Makes a plugin with one tool, a readme and a test that runs offline. Throws `invalid_config` for a name that no plugin can
 * have, and `duplicate` when something of that name is there; nothing is changed then.
 */
export function scaffoldPlugin(
  { folder: place }: Pick<PluginStore, "folder">,
  name: string,
  kind: PluginKind,
): MadePlugin {
  const problem = nameProblem(name);
  if (problem !== undefined)
    throw new PegboardError("invalid_config", `A plugin cannot be called "${name.slice(0, 80)}": its name ${problem}`);
  const folder = join(place, name);
  if (existsSync(folder))
    throw new PegboardError("duplicate", `${folder} is there already; nothing was changed. Choose another name`);
  const files = kind === "command" ? commandPluginFiles(name) : modulePluginFiles(name);
  mkdirSync(place, { recursive: true });
  const draft = mkdtempSync(join(place, ".draft-"));
  try {
    for (const [path, text] of Object.entries(files)) {
      mkdirSync(dirname(join(draft, "plugin", path)), { recursive: true });
      writeFileSync(join(draft, "plugin", path), text);
    }
    renameSync(join(draft, "plugin"), folder);
  } finally {
    rmSync(draft, { recursive: true, force: true });
  }
  return { folder, files: Object.keys(files) };
}
