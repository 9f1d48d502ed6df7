import { constants, copyFileSync, type Dirent, mkdirSync, readdirSync, realpathSync, statSync } from "node:fs";
import { join, relative, sep } from "node:path";
import { PegboardError } from "../../core/error.ts";
import { statOf } from "../stat-of.ts";
import { ARCHIVE_LIMITS } from "./archive-entry.ts";

/** What is made anew wherever a plugin goes: no digest covers it. */
export const LEFT_OUT: readonly string[] = [".git", "node_modules"];

/**
 * Copies a plugin into a folder that is not there yet. A link to a file in the plugin becomes a file. Rejects with
 * `invalid_config` for links that lead elsewhere, for what is no file, and for more than a plugin can be.
 */
export function copyFolder(from: string, to: string): void {
  const root = realpathSync(from);
  let files = 0;
  let bytes = 0;
  const copy = (folder: string): void => {
    mkdirSync(join(to, folder), { recursive: true });
    for (const entry of readdirSync(join(root, folder), { withFileTypes: true })) {
      if (LEFT_OUT.includes(entry.name)) continue;
      const path = join(folder, entry.name);
      if (entry.isDirectory()) {
        copy(path);
        continue;
      }
      const file = toFile(root, path, entry);
      bytes += statSync(file).size;
      if (++files > ARCHIVE_LIMITS.entries || bytes > ARCHIVE_LIMITS.total)
        throw refuse(root, `it has more than ${ARCHIVE_LIMITS.entries} files or ${ARCHIVE_LIMITS.total} bytes`);
      copyFileSync(file, join(to, path), constants.COPYFILE_EXCL);
    }
  };
  copy("");
}

function toFile(root: string, path: string, entry: Dirent): string {
  const written = join(root, path);
  if (entry.isFile()) return written;
  if (!entry.isSymbolicLink()) throw refuse(written, "it is neither a file, nor a folder, nor a link");
  const target = statOf(written) && realpathSync(written);
  const isInside =
    target !== undefined && relative(root, target).split(sep)[0] !== ".." && target.startsWith(root + sep);
  if (isInside && statSync(target).isFile()) return target;
  throw refuse(written, "it is a link to something else than a file of the plugin");
}

function refuse(path: string, why: string): PegboardError {
  return new PegboardError(
    "invalid_config",
    `${path} is not copied: ${why}. To use the folder where it is: pegboard plugin link`,
  );
}
