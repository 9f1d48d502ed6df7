import { realpathSync, statSync } from "node:fs";
import { dirname, isAbsolute, resolve, sep } from "node:path";
import type { Locate } from "../../tools/shell/profile.ts";

/**
 * Says where paths lead from a folder, links followed: whether that is inside of `root`. It is a look, not a hold: what is
 * exchanged between the look and the run is for the sandbox to stop.
 */
export function createLocate(root: string, cwd: string): Locate {
  let realRoot: string | undefined;
  return (path) => {
    realRoot ??= realOf(root) ?? root;
    // Joined, not resolved: behind a link, .. is the folder around what the link leads to.
    const full = isAbsolute(path) ? path : `${cwd}/${path}`;
    try {
      const real = realpathSync.native(full);
      if (!isBelow(real, realRoot)) return "outside";
      return statSync(real).isDirectory() ? "folder" : "file";
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code === "ENAMETOOLONG") return "absent";
      if ((code !== "ENOENT" && code !== "ENOTDIR") || path.split(/[/\\]/).includes("..")) return "outside";
      return isBelow(nearestReal(resolve(full)), realRoot) ? "absent" : "outside";
    }
  };
}

/** Whether a path is a folder or lies in it, by their texts. */
export function isBelow(path: string, folder: string): boolean {
  return path === folder || path.startsWith(folder.endsWith(sep) ? folder : folder + sep);
}

/** The real path of something, or undefined when it is not there. */
export function realOf(path: string): string | undefined {
  try {
    return realpathSync.native(path);
  } catch {
    return undefined;
  }
}

function nearestReal(path: string): string {
  for (let folder = dirname(path); ; folder = dirname(folder)) {
    const real = realOf(folder);
    if (real !== undefined || folder === dirname(folder)) return real ?? folder;
  }
}
