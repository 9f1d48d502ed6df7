import { PegboardError } from "../core/error.ts";
import { matchesPath } from "../core/glob.ts";
import type { FileStore } from "../core/vfs.ts";

/** Which virtual files may be read and written, as globs of paths. Absent is all of them, empty is none. */
export interface VfsScope {
  readonly read?: readonly string[];
  readonly write?: readonly string[];
  /** Whether what is under `agents/` may be written: such a file is an agent at once. Absent is no, whatever the globs. */
  readonly editAgents?: boolean;
}

const MAX_SUGGESTIONS = 5;
const MAX_TYPO = 3;

/** Throws `denied` when the path is outside one of the scopes, whether or not there is such a file. */
export function checkScope(scope: readonly VfsScope[], access: "read" | "write", path: string): void {
  const narrow = scope.find((one) => !covers(one[access], path));
  if (narrow !== undefined) {
    const allowed = narrow[access]?.join(", ");
    throw new PegboardError("denied", `May not ${access} "${path}": toolsets.vfs.${access} allows only ${allowed}`);
  }
  if (access === "write" && path.startsWith("agents/") && !mayEditAgents(scope))
    throw new PegboardError(
      "denied",
      `May not write "${path}": files under agents/ are agents, and editing agents is not permitted here (toolsets.vfs.edit_agents in pegboard.yaml, scope.editAgents of a session)`,
    );
}

/** Every path that may be read, sorted. */
export async function listReadable(files: FileStore, scope: readonly VfsScope[]): Promise<readonly string[]> {
  const paths = await files.list();
  return paths.filter((path) => scope.every(({ read }) => covers(read, path)));
}

/** The error for a path that is no file. It names near paths, only such as may be read. */
export async function missingFile(files: FileStore, scope: readonly VfsScope[], path: string): Promise<PegboardError> {
  const near = nearPaths(path, await listReadable(files, scope));
  const hint = near.length === 0 ? "vfs_list shows which files there are" : `near it are ${near.join(", ")}`;
  return new PegboardError("not_found", `There is no file "${path}": ${hint}`);
}

// Where nobody says anything about it, nobody has permitted it.
function mayEditAgents(scope: readonly VfsScope[]): boolean {
  return scope.length > 0 && scope.every(({ editAgents }) => editAgents === true);
}

function covers(globs: readonly string[] | undefined, path: string): boolean {
  return globs === undefined || globs.some((glob) => matchesPath(glob, path));
}

/** The paths that are a typo away, or the same file name in another folder, nearest first. */
function nearPaths(path: string, paths: readonly string[]): readonly string[] {
  return paths
    .map((other) => ({ other, size: typoSize(path.toLowerCase(), other.toLowerCase()) }))
    .filter(({ other, size }) => size <= MAX_TYPO || fileName(other) === fileName(path))
    .sort((a, b) => a.size - b.size)
    .slice(0, MAX_SUGGESTIONS)
    .map(({ other }) => other);
}

/** How much is left of the longer text without the beginning and the end that both share. Linear, unlike a true distance. */
function typoSize(a: string, b: string): number {
  const shorter = Math.min(a.length, b.length);
  let start = 0;
  while (start < shorter && a[start] === b[start]) start++;
  let end = 0;
  while (end < shorter - start && a.at(-1 - end) === b.at(-1 - end)) end++;
  return Math.max(a.length, b.length) - start - end;
}

function fileName(path: string): string {
  return path.slice(path.lastIndexOf("/") + 1).toLowerCase();
}
