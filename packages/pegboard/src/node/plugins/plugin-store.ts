import { lstatSync, mkdirSync, mkdtempSync, renameSync, rmSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { PegboardError } from "../../core/error.ts";
import { nameProblem } from "../../core/name.ts";
import { dataFolder, LOCK_FILE, PLUGINS_FOLDER } from "../places.ts";
import { contentDigest } from "./content-digest.ts";
import type { FoundPlugin } from "./discover.ts";
import { changeLock, type LockedPlugin, readLock } from "./lock-file.ts";
import { readWell } from "./read-well.ts";

/** Where plugins are installed: in a workspace, or among the person's own settings. */
export interface PluginStore {
  /** The workspace, or the folder of the person's settings. */
  readonly base: string;
  /** The folder of plugins. */
  readonly folder: string;
  /** The lock file. */
  readonly lock: string;
  /** Where what plugins depend on is installed. */
  readonly environments: string;
  /** Where what is fetched waits until somebody agrees to it. */
  readonly drafts: string;
}

/** The plugins of a workspace. */
export function workspaceStore(workspace: string): PluginStore {
  return toStore(workspace, dataFolder(workspace));
}

/** The plugins of the person. */
export function userStore(home: string): PluginStore {
  return toStore(home, home);
}

function toStore(base: string, data: string): PluginStore {
  return {
    base,
    folder: join(base, PLUGINS_FOLDER),
    lock: join(base, LOCK_FILE),
    environments: join(data, "plugin-environments"),
    drafts: join(data, "plugin-drafts"),
  };
}

/** Reads a plugin that is to be linked. Rejects with `duplicate` when there is one of its name, or says what is wrong with it. */
export async function readLinkable(store: PluginStore, folder: string): Promise<FoundPlugin> {
  const found = await readWell(folder);
  if (lstatSync(join(store.folder, found.name), { throwIfNoEntry: false }))
    throw new PegboardError(
      "duplicate",
      `There is a plugin "${found.name}" in ${store.folder} already; nothing was changed`,
    );
  return found;
}

/** Uses a plugin where it is: what is edited there counts at once, and nothing of it is locked. */
export function linkPlugin(store: PluginStore, { name, folder }: FoundPlugin): void {
  mkdirSync(store.folder, { recursive: true });
  symlinkSync(folder.root, join(store.folder, name), process.platform === "win32" ? "junction" : "dir");
}

/** How a plugin came into the folder of plugins. */
export type Installed = "added" | "linked" | "own";

/** How the plugin of this name came to a store: `own` is one that somebody wrote there. Undefined when there is none. */
export function installedAs(store: PluginStore, name: string): Installed | undefined {
  const stats = nameProblem(name) === undefined && lstatSync(join(store.folder, name), { throwIfNoEntry: false });
  if (!stats) return undefined;
  if (stats.isSymbolicLink()) return "linked";
  return lockedIn(store, name) ? "added" : "own";
}

/**
 * Takes a plugin away: of a linked one the link alone, of one that was added its files and what was installed for it. Rejects
 * with `denied` for one that somebody wrote in the folder of plugins, with `not_found` when there is none.
 */
export async function removePlugin(store: PluginStore, name: string): Promise<void> {
  const as = installedAs(store, name);
  const path = join(store.folder, name);
  if (as === undefined && lockedIn(store, name)) return changeLock(store.lock, name, undefined);
  if (as === undefined) throw notAdded(store, name);
  if (as === "own")
    throw new PegboardError(
      "denied",
      `The plugin "${name}" was not added but written in ${path}; nothing was changed. Delete that folder, or switch it off with: pegboard plugin disable ${name}`,
    );
  if (as === "linked") {
    rmSync(path);
    return;
  }
  // Out of sight in one step; what is left behind when this fails is no plugin.
  const work = mkdtempSync(join(store.folder, ".draft-"));
  const old = join(work, name);
  renameSync(path, old);
  try {
    await changeLock(store.lock, name, undefined);
  } catch (error) {
    renameSync(old, path);
    throw error;
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
  rmSync(join(store.environments, name), { recursive: true, force: true });
}

/** What is locked of a plugin; undefined when it is not. */
export function lockedIn({ lock }: PluginStore, name: string): LockedPlugin | undefined {
  const locked = readLock(lock);
  return Object.hasOwn(locked, name) ? locked[name] : undefined;
}

/** The names of the plugins that were added. */
export function lockedNames({ lock }: PluginStore): readonly string[] {
  return Object.keys(readLock(lock)).sort();
}

/** Whether a plugin is what is locked, and would stay it with these contents. */
export function isUnchanged(store: PluginStore, name: string, contents: LockedPlugin): boolean {
  const path = join(store.folder, name);
  const isThere = lstatSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
  return isThere && lockedIn(store, name)?.digest === contents.digest && contentDigest(path) === contents.digest;
}

/** The error of a name that no plugin of a store has. */
export function notAdded({ folder }: PluginStore, name: string): PegboardError {
  return new PegboardError(
    "not_found",
    `There is no plugin "${name}" in ${folder}; pegboard plugin list shows what there is`,
  );
}
