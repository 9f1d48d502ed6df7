import { readdirSync, realpathSync } from "node:fs";
import { join } from "node:path";
import { statOf } from "./stat-of.ts";

/**
 * All files and links below a folder, but those of installed packages; none when there is no such folder. Links to folders
 * are followed. Each folder is looked into once, however many links lead to it, and by its own path where it is below.
 */
export function filesBelow(folder: string): string[] {
  const seen = new Set<string>();
  const files: string[] = [];
  let places = [folder];
  while (places.length > 0) {
    const links: string[] = [];
    for (const place of places) {
      if (!isNew(place, seen)) continue;
      for (const entry of readdirSync(place, { withFileTypes: true })) {
        const path = join(place, entry.name);
        if (entry.isFile() || entry.isSymbolicLink()) files.push(path);
        if (entry.name === "node_modules") continue;
        if (entry.isDirectory()) places.push(path);
        else if (entry.isSymbolicLink()) links.push(path);
      }
    }
    places = links.sort();
  }
  return files.sort();
}

function isNew(place: string, seen: Set<string>): boolean {
  if (!statOf(place)?.isDirectory()) return false;
  const real = realpathSync(place);
  if (seen.has(real)) return false;
  seen.add(real);
  return true;
}
