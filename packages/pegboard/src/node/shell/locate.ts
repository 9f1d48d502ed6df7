import { realpathSync, statSync } from "node:fs";
import { dirname, isAbsolute, relative, resolve, sep } from "node:path";
import { namesRepository, type Place } from "../../tools/shell/folder.ts";

/** Where a path leads from a folder, links followed: whether that is inside of `root`, itself without links. */
export function locate(root: string, cwd: string, path: string): Place {
  const full = fullPath(cwd, path);
  try {
    const real = realpathSync.native(full);
    if (!isBelow(real, root)) return "outside";
    if (namesRepository(relative(root, real))) return "repository";
    return statSync(real).isDirectory() ? "folder" : "file";
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (!ABSENT.has(code) || path.split(/[/\\]/).includes("..")) return "outside";
    const nearest = nearestReal(resolve(full));
    if (!isBelow(nearest, root)) return "outside";
    return namesRepository(path) || namesRepository(relative(root, nearest)) ? "repository" : "absent";
  }
}

const ABSENT: ReadonlySet<string | undefined> = new Set(["ENOENT", "ENOTDIR", "ENAMETOOLONG"]);

/** A path from a folder, joined and not resolved: behind a link, `..` is the folder around what the link leads to. */
export function fullPath(cwd: string, path: string): string {
  return isAbsolute(path) ? path : `${cwd}/${path}`;
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
