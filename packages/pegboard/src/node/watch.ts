import { existsSync, type FSWatcher, watch } from "node:fs";
import { basename, dirname } from "node:path";
import { statOf } from "./stat-of.ts";

const QUIET_MS = 60;

/**
 * Calls `changed` soon after any of the places (files, or folders and what is directly in them) changes, appears or goes.
 * The places are asked for anew after each change.
 */
export function watchFiles(places: () => readonly string[], changed: () => void): Disposable {
  const watchers = new Map<string, FSWatcher>();
  let timer: NodeJS.Timeout | undefined;

  function notice(): void {
    clearTimeout(timer);
    timer = setTimeout(() => {
      changed();
      follow();
    }, QUIET_MS);
  }

  // Editors replace files, so it is the folder around a file that is watched.
  function follow(): void {
    const wanted = new Map<string, Set<string> | undefined>();
    for (const place of places()) {
      const isFolder = statOf(place)?.isDirectory() ?? false;
      if (isFolder) wanted.set(place, undefined);
      const [parent, name] = nearestFolder(place);
      if (wanted.has(parent) && wanted.get(parent) === undefined) continue;
      wanted.set(parent, (wanted.get(parent) ?? new Set()).add(name));
    }
    for (const [folder, watcher] of watchers) {
      watcher.close();
      watchers.delete(folder);
    }
    for (const [folder, names] of wanted) {
      const watcher = watch(folder, (_, name) => {
        if (name === null || names === undefined || names.has(name)) notice();
      });
      watcher.on("error", () => {});
      watchers.set(folder, watcher);
    }
  }

  follow();
  return {
    [Symbol.dispose]() {
      clearTimeout(timer);
      for (const watcher of watchers.values()) watcher.close();
    },
  };
}

/** The folder around a place that is there, and what in it is, or will be, on the way to the place. */
function nearestFolder(place: string): [folder: string, name: string] {
  const folder = dirname(place);
  return folder === place || existsSync(folder) ? [folder, basename(place)] : nearestFolder(folder);
}
