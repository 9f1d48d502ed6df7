import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { PegboardError } from "../../core/error.ts";
import { canonicalJson } from "../../core/json.ts";
import { nameProblem } from "../../core/name.ts";
import { withFileLock } from "../file-lock.ts";
import type { PluginContents } from "./contents.ts";

/** A plugin as a person agreed to it. */
export interface LockedPlugin extends PluginContents {
  /** Where it was asked for; a path is one from the folder of the lock file. */
  readonly source: string;
  /** Exactly what was fetched, where the source can mean different things at different times. */
  readonly resolved?: string;
  /** Of code: it has run as far as its hooks, and what it brought then is all that it may bring. */
  readonly registered?: true;
}

/** Plugins by the names of their folders. */
export type Locked = Readonly<Record<string, LockedPlugin>>;

const VERSION = 1;

/** Reads a lock file; one that is not there locks nothing. Throws `invalid_config` for one that cannot be relied on. */
export function readLock(file: string): Locked {
  if (!existsSync(file)) return {};
  const { version, plugins } = parse(readFileSync(file, "utf8"));
  if (typeof version === "number" && version > VERSION)
    throw new PegboardError("invalid_config", `${file} was written by a newer Pegboard: it has the version ${version}`);
  if (version !== VERSION || !isRecord(plugins) || !Object.entries(plugins).every(isLocked))
    throw new PegboardError(
      "invalid_config",
      `${file} is damaged: take it from your version control again, or delete it and add your plugins again`,
    );
  return plugins as Locked;
}

/** Puts a plugin into a lock file, or takes it out of it. The file is there as a whole, before or after. */
export async function changeLock(file: string, name: string, plugin: LockedPlugin | undefined): Promise<void> {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  await withFileLock(`${file}.busy`, () => {
    const { [name]: _, ...others } = readLock(file);
    const plugins = plugin ? { ...others, [name]: plugin } : others;
    const draft = `${file}.${process.pid}.tmp`;
    writeFileSync(draft, `${toText({ version: VERSION, plugins })}\n`);
    renameSync(draft, file);
  });
}

/** The same for the same contents, whatever order they came in. */
function toText(value: unknown): string {
  return JSON.stringify(JSON.parse(canonicalJson(value)), null, 2);
}

function parse(text: string): { readonly version?: unknown; readonly plugins?: unknown } {
  try {
    return Object(JSON.parse(text)) as object;
  } catch {
    return {};
  }
}

const RECORDS = [
  "tools",
  "agents",
  "skills",
  "commands",
  "mcpServers",
  "prompts",
  "resources",
  "hooks",
  "dependencies",
  "scripts",
];
const TEXTS = ["source", "version", "format", "digest"];

function isLocked([name, value]: readonly [string, unknown]): boolean {
  return (
    // Names become paths.
    nameProblem(name) === undefined &&
    isRecord(value) &&
    TEXTS.every((key) => typeof value[key] === "string") &&
    RECORDS.every((key) => isRecord(value[key]) && Object.values(value[key]).every((text) => typeof text === "string"))
  );
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
