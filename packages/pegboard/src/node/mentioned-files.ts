import { readFileSync } from "node:fs";
import { dirname, extname, resolve } from "node:path";
import { statOf } from "./stat-of.ts";

const SOURCES = [".ts", ".mts", ".cts", ".js", ".mjs", ".cjs", ".json", ".yaml", ".yml"];

/**
 * These files, and all that they mention by a relative path, and so on. Whatever a source mentions may be imported by it:
 * too much is better than too little. Throws what `tooMany` gives when there are more than `most`.
 */
export function withMentionedFiles(
  files: readonly string[],
  most = Infinity,
  tooMany = () => new Error("too many files"),
): string[] {
  const found = new Set<string>();
  const queue = [...files];
  for (const file of queue) {
    if (found.has(file) || !isFile(file)) continue;
    if (found.size >= most) throw tooMany();
    found.add(file);
    if (SOURCES.includes(extname(file))) queue.push(...mentionedFiles(file));
  }
  return [...found].sort();
}

function mentionedFiles(file: string): string[] {
  const text = readFileSync(file, "utf8");
  return Array.from(text.matchAll(/["'`](\.{1,2}\/[^"'`\n]{1,400})["'`]/g), ([, path]) =>
    resolve(dirname(file), path!),
  ).filter(isFile);
}

function isFile(path: string): boolean {
  return statOf(path)?.isFile() ?? false;
}
