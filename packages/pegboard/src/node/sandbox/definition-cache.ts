import { createHash } from "node:crypto";
import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { SentTools } from "./protocol.ts";

/**
 * Remembers which tools a source yields, so that they can be listed without running its code. What is remembered is never
 * believed for a call: before that, the code runs and must yield the same.
 */
export interface DefinitionCache<Listed extends Listing = SentTools> {
  read(key: string): Listed | undefined;
  write(key: string, tools: Listed): void;
  /** The code does not always yield the same: it is not remembered again. */
  refuse(key: string): void;
}

/** What is remembered at least. What has problems is not remembered. */
interface Listing {
  readonly tools: readonly unknown[];
  readonly problems: readonly unknown[];
}

const MOST = 500;
const REFUSED = "refused";

/** A cache in a folder. What cannot be read or written is as if it were not there. */
export function createDefinitionCache<Listed extends Listing = SentTools>(folder: string): DefinitionCache<Listed> {
  const fileOf = (key: string) => join(folder, `${createHash("sha256").update(key).digest("hex")}.json`);
  const read = (key: string): unknown => {
    try {
      return JSON.parse(readFileSync(fileOf(key), "utf8"));
    } catch {
      return undefined;
    }
  };
  const write = (key: string, value: unknown) => {
    try {
      mkdirSync(folder, { recursive: true, mode: 0o700 });
      const draft = `${fileOf(key)}.${process.pid}.tmp`;
      writeFileSync(draft, JSON.stringify(value), { mode: 0o600 });
      renameSync(draft, fileOf(key));
      forgetOldest(folder);
    } catch {
      // It is only slower without.
    }
  };
  return {
    read(key) {
      const value = read(key) as Listed | string | undefined;
      return Array.isArray((value as Listed | undefined)?.tools) ? (value as Listed) : undefined;
    },
    write(key, tools) {
      if (tools.problems.length === 0 && read(key) !== REFUSED) write(key, tools);
    },
    refuse: (key) => write(key, REFUSED),
  };
}

function forgetOldest(folder: string): void {
  const names = readdirSync(folder);
  if (names.length <= MOST) return;
  const age = (name: string) => statSync(join(folder, name), { throwIfNoEntry: false })?.mtimeMs ?? 0;
  const ages = new Map(names.map((name) => [name, age(name)]));
  const oldest = names.sort((a, b) => ages.get(a)! - ages.get(b)!).slice(0, names.length - MOST / 2);
  for (const name of oldest) rmSync(join(folder, name), { force: true });
}
