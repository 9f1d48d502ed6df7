import { statSync } from "node:fs";

/** A text that changes when a file does, as far as a look from outside tells. */
export function stamp(file: string): string {
  const stats = statSync(file, { throwIfNoEntry: false });
  return stats ? `${file} ${stats.mtimeMs} ${stats.size}` : `${file} missing`;
}
