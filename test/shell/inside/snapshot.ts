import { lstatSync, readdirSync } from "node:fs";
import { join } from "node:path";

/** Every file below a folder, by its path from there, with what changes when it is written. */
export type Snapshot = ReadonlyMap<string, string>;

/** Takes a snapshot. */
export function snapshot(folder: string): Snapshot {
  const files = new Map<string, string>();
  const visit = (path: string) => {
    for (const entry of readdirSync(join(folder, path), { withFileTypes: true })) {
      const name = path === "" ? entry.name : `${path}/${entry.name}`;
      const { mode, size, mtimeMs, ino } = lstatSync(join(folder, name));
      files.set(name, entry.isDirectory() ? `${mode}` : `${mode} ${size} ${mtimeMs} ${ino}`);
      if (entry.isDirectory()) visit(name);
    }
  };
  visit("");
  return files;
}

/** The paths that appeared, changed or went away. */
export function changes(before: Snapshot, after: Snapshot): string[] {
  const gone = [...before.keys()].filter((path) => !after.has(path));
  return [...gone, ...[...after].filter(([path, state]) => before.get(path) !== state).map(([path]) => path)];
}
