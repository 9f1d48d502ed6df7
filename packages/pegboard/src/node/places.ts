import { existsSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, join, resolve } from "node:path";

/** The file that makes a folder a workspace. */
export const CONFIG_FILE = "pegboard.yaml";

/** The folder of agents, in a workspace and among the person's own settings. */
export const AGENTS_FOLDER = "agents";

/** The folder of plugins, in a workspace and among the person's own settings. */
export const PLUGINS_FOLDER = "plugins";

/** The file that says which plugins were added, and as what; beside the folder of plugins. */
export const LOCK_FILE = "pegboard.lock";

/** Which plugins a person has switched off, among their own settings. */
export const PLUGIN_SWITCHES = "plugins.yaml";

/** What a person keeps as settings of plugins, among their own settings. */
export const STORED_SETTINGS = "plugin-settings.json";

/** The workspace around a folder: the nearest one upwards that holds a `pegboard.yaml`, or undefined. */
export function findWorkspace(from: string): string | undefined {
  for (let folder = resolve(from); ; folder = dirname(folder)) {
    if (existsSync(join(folder, CONFIG_FILE))) return folder;
    if (dirname(folder) === folder) return undefined;
  }
}

/** The folder of the person's own settings: `PEGBOARD_HOME`, else the platform's. */
export function userFolder(env: NodeJS.ProcessEnv = process.env): string {
  if (env["PEGBOARD_HOME"]) return resolve(env["PEGBOARD_HOME"]);
  if (process.platform === "win32") return join(env["APPDATA"] ?? join(homedir(), "AppData", "Roaming"), "pegboard");
  if (process.platform === "darwin") return join(homedir(), "Library", "Application Support", "pegboard");
  return join(env["XDG_CONFIG_HOME"] ?? join(homedir(), ".config"), "pegboard");
}

/** The folder of a workspace's data: `PEGBOARD_DATA`, else `.pegboard` in it. */
export function dataFolder(workspace: string, env: NodeJS.ProcessEnv = process.env): string {
  return env["PEGBOARD_DATA"] ? resolve(env["PEGBOARD_DATA"]) : join(workspace, ".pegboard");
}

/** The file that holds a workspace's log and virtual files; outside of a workspace, one of the person's own. */
export function databaseFile(folder: string, home: string): string {
  const data = existsSync(join(folder, CONFIG_FILE)) ? dataFolder(folder) : join(home, "scratch");
  return join(data, "pegboard.db");
}

/** A path that a configuration file names, from that file's own folder. */
export function fromFile(file: string, path: string): string {
  return resolve(dirname(file), path);
}
