import { closeSync, constants, fstatSync, openSync, readFileSync, realpathSync } from "node:fs";
import { sep } from "node:path";
import { PegboardError } from "../core/error.ts";

/** More than this is nothing that somebody wrote. */
const MAX_BYTES = 2 * 1024 * 1024;

/**
 * The text of a regular file. A link is followed where it stays below `root`. Throws for anything else, and never waits: a
 * pipe is opened without, and not read.
 */
export function readSmallText(path: string, root: string): string {
  try {
    return readRegular(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ELOOP") throw error;
    return readRegular(insideOf(root, path));
  }
}

const FLAGS = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;

function readRegular(path: string): string {
  const fd = openSync(path, FLAGS);
  try {
    const stats = fstatSync(fd);
    if (!stats.isFile()) throw new PegboardError("invalid_config", "it is no regular file");
    if (stats.size > MAX_BYTES)
      throw new PegboardError("invalid_config", `it has ${stats.size} bytes; at most ${MAX_BYTES} are read`);
    return readFileSync(fd, "utf8");
  } finally {
    closeSync(fd);
  }
}

function insideOf(root: string, link: string): string {
  const real = realpathSync(link);
  if (real.startsWith(realpathSync(root) + sep)) return real;
  throw new PegboardError("denied", `it is a link that leads out of ${root}, and is not followed`);
}
