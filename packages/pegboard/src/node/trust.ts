import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, realpathSync, renameSync, writeFileSync } from "node:fs";
import { join, relative, resolve } from "node:path";
import { PegboardError } from "../core/error.ts";
import { filesBelow } from "./files-below.ts";
import { withMentionedFiles } from "./mentioned-files.ts";

/** What of a workspace can run, and whether the person has agreed to exactly that. */
export interface Trust {
  readonly workspace: string;
  readonly trusted: boolean;
  /** Over every file that can run or widen anything. */
  readonly digest: string;
  /** Those files, relative to the workspace. */
  readonly files: readonly string[];
  /** Whether the person trusted an earlier state of it. */
  readonly changed: boolean;
}

/** Reads the state of trust. Only reads: nothing of the workspace runs. `named` are files that its configuration names. */
export function readTrust(workspace: string, home: string, named: readonly string[]): Trust {
  const folder = realpathSync(workspace);
  const files = runnableFiles(folder, named);
  const digest = digestOf(folder, files);
  const recorded = readRecords(home)[folder];
  return {
    workspace: folder,
    trusted: recorded === digest,
    digest,
    files: files.map((file) => relative(folder, file)),
    changed: recorded !== undefined && recorded !== digest,
  };
}

/** The state of a folder that is no workspace: what lies in it does not run, so it is not even looked at. */
export function nothingToTrust(folder: string): Trust {
  return { workspace: folder, trusted: false, digest: "", files: [], changed: false };
}

/** Records that the person trusts a workspace as it is now. */
export function recordTrust({ workspace, digest }: Trust, home: string): void {
  const file = trustFile(home);
  mkdirSync(home, { recursive: true, mode: 0o700 });
  const draft = `${file}.${process.pid}.tmp`;
  writeFileSync(draft, `${JSON.stringify({ ...readRecords(home), [workspace]: digest }, null, 2)}\n`, { mode: 0o600 });
  renameSync(draft, file);
}

/** The error of work that needs trust. */
export function untrusted({ workspace, changed }: Trust): PegboardError {
  const why = changed ? "has changed since you trusted it" : "is not trusted";
  return new PegboardError(
    "untrusted",
    `The workspace ${workspace} ${why}: nothing in it is run. Look at it and agree with: pegboard trust -C ${workspace}`,
  );
}

/** The file that records trust. */
export function trustFile(home: string): string {
  return join(home, "trust.json");
}

const FOLDERS = ["tools", "plugins"];
const MAX_FILES = 10_000;

function runnableFiles(workspace: string, named: readonly string[]): string[] {
  const files = [
    join(workspace, "pegboard.yaml"),
    ...FOLDERS.flatMap((folder) => filesBelow(join(workspace, folder))),
    ...named.map((file) => resolve(workspace, file)),
  ];
  return withMentionedFiles(
    files,
    MAX_FILES,
    () =>
      new PegboardError(
        "untrusted",
        `The workspace ${workspace} has more than ${MAX_FILES} files that can run; it cannot be trusted as a whole`,
      ),
  );
}

function digestOf(workspace: string, files: readonly string[]): string {
  const hash = createHash("sha256");
  for (const file of files)
    hash.update(
      JSON.stringify([relative(workspace, file), createHash("sha256").update(readFileSync(file)).digest("hex")]),
    );
  return hash.digest("hex");
}

function readRecords(home: string): Record<string, string> {
  const file = trustFile(home);
  if (!existsSync(file)) return {};
  try {
    const value: unknown = JSON.parse(readFileSync(file, "utf8"));
    return typeof value === "object" && value !== null ? (value as Record<string, string>) : {};
  } catch {
    throw new PegboardError(
      "invalid_config",
      `${file} is not JSON: mend it, or delete it and trust your workspaces again`,
    );
  }
}
