import { resolve } from "node:path";
import type { Folder } from "../../tools/shell/folder.ts";
import { fullPath, isBelow, locate, realOf } from "./locate.ts";
import { isForeignRepository } from "./repository.ts";

/**
 * A folder of the workspace at `root`. It looks, and holds nothing: what is exchanged between the look and the run is for
 * the sandbox to stop.
 */
export function createFolder(root: string, cwd: string): Folder {
  let realRoot: string | undefined;
  const real = () => (realRoot ??= realOf(root) ?? root);
  return {
    locate: (path) => locate(real(), cwd, path),
    enter(path) {
      const next = resolve(cwd, path);
      const leads = isBelow(next, root) && locate(real(), cwd, path) === "folder";
      return leads && realOf(next) === realOf(fullPath(cwd, path)) ? createFolder(root, next) : undefined;
    },
    isForeign: () => isForeignRepository(real(), realOf(cwd) ?? cwd),
  };
}
