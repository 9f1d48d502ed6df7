import type { AnyTool } from "../../core/registry.ts";
import { filesystemOf } from "../files/filesystem.ts";
import { locate } from "../files/mounts.ts";
import { joinBelow } from "../files/root.ts";

/** The absolute path that a file tool means by a path of its input; undefined for other tools and for what it does not reach. */
export function realPathOf(tool: AnyTool, path: string): string | undefined {
  try {
    const files = filesystemOf(tool);
    if (!files) return undefined;
    const { root, names } = locate(files.mounts(), path);
    return joinBelow(root, names);
  } catch {
    // The call itself tells what is wrong with it.
    return undefined;
  }
}
