import { readdirSync, statSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { messageOf } from "../core/error.ts";
import type { FileReport } from "../core/file-report.ts";
import { checkForeign, type ForeignCheck } from "./check-foreign.ts";
import { isModule, ownKindOf } from "./check-kind.ts";
import { toOwnReports } from "./check-own.ts";
import { checkPlugin } from "./check-plugin.ts";
import { createCheckPlaces, type CheckPlaces } from "./check-places.ts";
import { findFiles, type FoundFile, guessOf } from "./check-walk.ts";
import { inspectFiles, type InspectOptions, inspectWorkspace } from "./inspect.ts";
import { CONFIG_FILE, PLUGINS_FOLDER } from "./places.ts";

/** How files are checked. */
export interface CheckOptions extends InspectOptions {
  /** Is told how far the check is, in files. */
  onProgress?(done: number, total: number): void;
}

/** A part of a check: how many files it is about, and what it finds out about them. */
interface Step {
  readonly files: number;
  run(): Promise<readonly FileReport[]>;
}

/** So many files of a tree are looked at in one go: one by one, most of the time would go into waiting. */
const FILES_AT_ONCE = 32;

/**
 * Checks files and folders, and yields what it finds out about each file as soon as it is known. A folder with a
 * `pegboard.yaml` is a workspace and is checked as a whole; every other is searched for agents, skills, commands, plugins
 * and lists of MCP servers, ours and those of other programs. A bad or missing path is a report with an error and stops
 * nothing. Code runs only where the person trusts it, or `trust` says so.
 */
export async function* checkPaths(paths: readonly string[], options: CheckOptions): AsyncGenerator<FileReport> {
  const places = createCheckPlaces(options);
  const steps = paths.map((path) => resolve(path)).flatMap((path) => toSteps(path, places, options));
  const total = steps.reduce((sum, { files }) => sum + files, 0);
  let done = 0;
  for (const { files, run } of steps) {
    options.onProgress?.(done, total);
    yield* await run();
    done += files;
    // Whoever wants to interrupt gets the word.
    await new Promise(setImmediate);
  }
}

function toSteps(path: string, places: CheckPlaces, options: CheckOptions): Step[] {
  const stats = statSync(path, { throwIfNoEntry: false });
  if (!stats) return [one(async () => [broken(path, "missing", "there is no such file or folder")])];
  if (!stats.isDirectory()) return [one(() => checkFile(path, places, options))];
  if (statSync(join(path, CONFIG_FILE), { throwIfNoEntry: false })) return toWorkspaceSteps(path, places, options);
  const found = meantAsAgents(findFiles(path), path);
  const modules = readdirSync(path).filter(isModule).sort();
  if (found.length > 0 || modules.length === 0) return toTreeSteps(found, path, places, options);
  return [
    one(() =>
      checkOwn(
        modules.map((name) => ({ path: join(path, name), kind: "tools" })),
        options,
      ),
    ),
  ];
}

function one(run: Step["run"]): Step {
  return { files: 1, run };
}

/** Where nothing but texts lie in a folder that somebody names, they are meant. */
function meantAsAgents(found: readonly FoundFile[], folder: string): readonly FoundFile[] {
  if (!found.every(({ path, guess }) => guess === "text" && dirname(path) === folder)) return found;
  return found.map(({ path }) => ({ path, guess: "agent" }));
}

function toWorkspaceSteps(folder: string, places: CheckPlaces, options: CheckOptions): Step[] {
  const plugins = findFiles(join(folder, PLUGINS_FOLDER)).filter(({ guess }) => guess === "plugin");
  return [
    one(async () => toOwnReports(await inspectWorkspace(folder, options))),
    ...plugins.map(({ path }) => one(() => checkPlugin(path, places, folder))),
  ];
}

/** A plugin tells about everything that it brings; what else is found in its folder is looked at on its own. */
function toTreeSteps(found: readonly FoundFile[], root: string, places: CheckPlaces, options: CheckOptions): Step[] {
  const told = new Set<string>();
  const check = async ({ path, guess }: FoundFile, around: ForeignCheck) => {
    if (guess === "workspace") return toOwnReports(await inspectWorkspace(path, options));
    return guess === "plugin" ? checkPlugin(path, places, around.root) : checkForeign({ path, guess }, around);
  };
  const checkAll = async (files: readonly FoundFile[]) => {
    const around = await places.around(root);
    const reports: FileReport[] = [];
    for (const file of files) {
      if (told.has(file.path)) continue;
      for (const report of await check(file, around)) {
        told.add(report.path);
        reports.push(report);
      }
    }
    return reports;
  };
  const steps = Array.from({ length: Math.ceil(found.length / FILES_AT_ONCE) }, (_, index): Step => {
    const files = found.slice(index * FILES_AT_ONCE, (index + 1) * FILES_AT_ONCE);
    return { files: files.length, run: () => checkAll(files) };
  });
  const nothing = `the folder holds no ${CONFIG_FILE}, no tools, agents, skills, commands or plugins`;
  const last = async () =>
    told.size > 0 ? [] : [broken(root, "missing", nothing, "make a workspace with: pegboard init")];
  return [...steps, { files: 0, run: last }];
}

async function checkFile(path: string, places: CheckPlaces, options: CheckOptions): Promise<readonly FileReport[]> {
  const guess = guessOf(basename(path), basename(dirname(path)) === "commands" ? "commands" : "anything");
  if (guess !== undefined) {
    // Who names a file means it.
    const meant = guess === "text" ? "agent" : guess;
    const reports = await checkForeign({ path, guess: meant }, await places.around(dirname(path)));
    if (reports.length > 0) return reports;
  }
  const kind = ownKindOf(path);
  if (kind) return checkOwn([{ path, kind }], options);
  const message = `it is none of the files that can be checked: ${KNOWN.join(", ")}`;
  return [broken(path, "unknown_format", message)];
}

const KNOWN = [
  "pegboard.yaml",
  "policy.yaml",
  "host tools (YAML)",
  "tools (TypeScript or JavaScript)",
  "agents, skills and commands (Markdown)",
  "agents of other programs (TOML, YAML, JSON)",
  "lists of MCP servers (JSON)",
];

async function checkOwn(
  files: Parameters<typeof inspectFiles>[0],
  options: CheckOptions,
): Promise<readonly FileReport[]> {
  try {
    return toOwnReports(await inspectFiles(files, options));
  } catch (error) {
    return files.map(({ path }) => broken(path, "not_loaded", messageOf(error)));
  }
}

function broken(path: string, code: string, message: string, fix?: string): FileReport {
  const diagnostic = { severity: "error", code, message, ...(fix !== undefined && { fix }) } as const;
  return { path, kind: "unknown", format: "unknown", loaded: false, fields: [], diagnostics: [diagnostic] };
}
