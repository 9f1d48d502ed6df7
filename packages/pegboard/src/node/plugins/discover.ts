import { existsSync, readdirSync, realpathSync } from "node:fs";
import { join } from "node:path";
import type { Diagnostic } from "../../core/diagnostic.ts";
import { messageOf } from "../../core/error.ts";
import { filesBelow } from "../files-below.ts";
import { stamp } from "../stamp.ts";
import { statOf } from "../stat-of.ts";
import type { CommandPluginDeps } from "./command-plugin.ts";
import type { ForeignPluginDeps } from "./foreign-plugin.ts";
import { openPluginFolder, type PluginFolder } from "./plugin-folder.ts";
import type { ReadPlugin } from "./read-plugin.ts";

/** A plugin that lies in a folder of plugins, whether it can be read or not. */
export interface FoundPlugin extends ReadPlugin {
  readonly folder: PluginFolder;
  /** Everything in it, for whoever decides whether to trust it. */
  readonly files: readonly string[];
  /** Changes exactly when something in it does. */
  readonly signature: string;
  /** Why it must not run, though it could be read. */
  readonly refused?: Diagnostic;
}

/** What is known when plugins of any form are read. */
export interface PluginFolderDeps extends CommandPluginDeps, ForeignPluginDeps {}

/** What was found where plugins are looked for. */
export interface Discovery {
  readonly plugins: readonly FoundPlugin[];
  /** What lies there and is none. */
  readonly diagnostics: readonly Diagnostic[];
}

/**
 * Reads all plugins in a folder of plugins, in the order of their names: each is a folder, or a link to one. Runs nothing
 * and never rejects. A place that is not there holds none.
 */
export async function discoverPlugins(place: string, deps: PluginFolderDeps): Promise<Discovery> {
  const plugins: FoundPlugin[] = [];
  const diagnostics: Diagnostic[] = [];
  for (const name of foldersIn(place)) {
    const found = await readPluginFolder(join(place, name), deps);
    if ("severity" in found) diagnostics.push(found);
    else plugins.push(found);
  }
  return { plugins, diagnostics };
}

/** Reads the plugin in a folder, in whichever form it is written, or says that there is none. */
export async function readPluginFolder(path: string, deps: PluginFolderDeps): Promise<FoundPlugin | Diagnostic> {
  try {
    const real = realpathSync(path);
    const folder = openPluginFolder(real);
    const format = await formatOf(folder);
    if (!format)
      return {
        severity: "warning",
        code: "no_manifest",
        message: `this folder is no plugin: there is neither a ${MARKERS.map(([marker]) => marker).join(", nor a ")} in it`,
        file: path,
      };
    const files = filesBelow(real);
    return { ...(await format.read(folder, deps)), folder, files, signature: files.map(stamp).join("\n") };
  } catch (error) {
    return {
      severity: "error",
      code: "not_read",
      message: `this plugin cannot be read: ${messageOf(error)}`,
      file: path,
    };
  }
}

type Read = (folder: PluginFolder, deps: PluginFolderDeps) => Promise<ReadPlugin>;

const readModule: Read = async (folder) => (await import("./module-plugin.ts")).readModulePlugin(folder);

// What a workspace does not hold is not loaded: every start would pay for it otherwise.
const MARKERS: readonly (readonly [marker: string, read: Read])[] = [
  ["plugin.json", async (folder, deps) => (await import("./root-manifest.ts")).readRootManifest(folder, deps)],
  [".claude-plugin/plugin.json", async (folder, deps) => (await import("./claude.ts")).readClaudePlugin(folder, deps)],
  [".codex-plugin/plugin.json", async (folder, deps) => (await import("./codex.ts")).readCodexPlugin(folder, deps)],
  ["gemini-extension.json", async (folder, deps) => (await import("./gemini.ts")).readGeminiExtension(folder, deps)],
  ...["index.ts", "index.mts", "index.js", "index.mjs"].map((marker) => [marker, readModule] as const),
  ["SKILL.md", async (folder, deps) => (await import("./skill-plugin.ts")).readSkillPlugin(folder, "", deps)],
  ["skills", async (folder, deps) => (await import("./skill-plugin.ts")).readSkillPlugin(folder, "skills", deps)],
  // Many a folder has one that is no plugin: whatever else is there comes first.
  ["package.json", readModule],
];

/** Markers that are folders. */
const FOLDERS = ["skills"];

async function formatOf(folder: PluginFolder): Promise<{ readonly read: Read } | undefined> {
  for (const [marker, read] of MARKERS) {
    if ((await folder.typeOf(marker)) === (FOLDERS.includes(marker) ? "folder" : "file")) return { read };
  }
  return undefined;
}

function foldersIn(place: string): string[] {
  if (!existsSync(place)) return [];
  return readdirSync(place)
    .filter((name) => !name.startsWith(".") && statOf(join(place, name))?.isDirectory())
    .sort();
}
