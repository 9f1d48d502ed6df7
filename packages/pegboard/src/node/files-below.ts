import { existsSync, readdirSync } from "node:fs";
import { join, sep } from "node:path";

/** All files and links below a folder, but those of installed packages; none when there is no such folder. */
export function filesBelow(folder: string): string[] {
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() || entry.isSymbolicLink())
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((file) => !file.slice(folder.length).includes(`${sep}node_modules${sep}`))
    .sort();
}
