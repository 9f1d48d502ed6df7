import { existsSync, realpathSync, statSync } from "node:fs";
import { sep } from "node:path";
import { messageOf, PegboardError } from "../../core/error.ts";

/** A folder that nothing may lead out of, by its real path. */
export interface Root {
  readonly real: string;
  /**
   * Whether the system tells where an open descriptor leads, so that what is checked is what is used. Without it paths are
   * checked before and after, which narrows the time in which somebody could exchange a folder but does not close it.
   */
  readonly exact: boolean;
}

/** A path as people and models write it, and where it leads: names below a root. */
export interface Place {
  readonly root: Root;
  readonly names: readonly string[];
  readonly path: string;
}

const EXACT = process.platform === "linux" && existsSync("/proc/self/fd");

/** The root that a folder is. Throws `invalid_config` when there is no such folder. */
export function toRoot(folder: string, exact: boolean = EXACT): Root {
  try {
    const real = realpathSync.native(folder);
    // A name that is no text cannot be told from its neighbours.
    if (!real.includes("\uFFFD") && statSync(real).isDirectory()) return { real, exact };
  } catch (error) {
    throw new PegboardError("invalid_config", `The folder ${folder} cannot be used: ${messageOf(error)}`, {
      cause: error,
    });
  }
  throw new PegboardError("invalid_config", `${folder} is no folder whose path is text`);
}

/** Whether a real path is the root or below it. */
export function isInside({ real: root }: Root, real: string): boolean {
  return real === root || real.startsWith(root.endsWith(sep) ? root : root + sep);
}

/** The names that lead from the root to a real path inside it. */
export function namesBelow({ real: root }: Root, real: string): readonly string[] {
  return real.slice(root.length).split(sep).filter(Boolean);
}

/** The path of names below a root, before any link is followed. */
export function joinBelow({ real: root }: Root, names: readonly string[]): string {
  return names.length === 0 ? root : [root.endsWith(sep) ? root.slice(0, -1) : root, ...names].join(sep);
}
