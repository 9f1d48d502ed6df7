import { closeSync, fstatSync, readFileSync } from "node:fs";
import { dirname, isAbsolute, relative, resolve, sep } from "node:path";
import { openInside } from "../files/read-inside.ts";

/** The texts of files that another one names, by the words that name them. */
export interface NamedFiles {
  readonly texts: ReadonlyMap<string, string>;
  readonly files: readonly string[];
}

const NAMED = /\{file:([^{}\n]+)\}/g;
const MOST = 20;
const MAX_BYTES = 256 * 1024;

/**
 * Reads the files that a text names as `{file:path}`, a path from the file that it stands in. Only what lies below `root` is
 * read, links followed, and nothing hidden: what is called `.env` is no prompt. What cannot be read is simply not there.
 */
export async function readNamedFiles(text: string, file: string, root: string): Promise<NamedFiles> {
  const texts = new Map<string, string>();
  const files: string[] = [];
  const names = new Set(Array.from(text.matchAll(NAMED), ([, name]) => name!).slice(0, MOST));
  for (const name of names) {
    const path = resolve(dirname(file), name.trim());
    if (isAbsolute(name.trim()) || isHidden(path, dirname(file), root)) continue;
    const read = await readText(path, root).catch(() => undefined);
    if (read === undefined) continue;
    texts.set(name, read);
    files.push(path);
  }
  return { texts, files };
}

/** The folder of the file itself may be a hidden one. */
function isHidden(path: string, folder: string, root: string): boolean {
  const inner = relative(folder, path);
  const way = inner.split(sep)[0] === ".." ? relative(root, path) : inner;
  return way === "" || way.split(sep).some((name) => name.startsWith("."));
}

async function readText(path: string, root: string): Promise<string | undefined> {
  const fd = await openInside(root, relative(root, path).split(sep).join("/"));
  try {
    return fstatSync(fd).size > MAX_BYTES ? undefined : readFileSync(fd, "utf8").trim();
  } finally {
    closeSync(fd);
  }
}
