import { statOf } from "./stat-of.ts";

/** A text that changes when a file does, as far as a look from outside tells. */
export function stamp(file: string): string {
  const stats = statOf(file);
  return stats ? `${file} ${stats.mtimeMs} ${stats.size}` : `${file} missing`;
}
