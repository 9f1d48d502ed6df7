import { realpathSync } from "node:fs";
import { basename, dirname, join, resolve, sep } from "node:path";
import { namesBelow, type Root } from "./root.ts";

/**
 * Names that, wherever they stand, make other programs run something or decide what may run: version control with its
 * hooks, configuration of agents, editors and package managers, workflows, and Pegboard's own.
 */
export const PROTECTED_NAMES: readonly string[] = [
  ".git",
  ".githooks",
  ".gitmodules",
  ".gitconfig",
  ".github",
  ".gitlab-ci.yml",
  ".hg",
  ".husky",
  ".pegboard",
  "pegboard.yaml",
  ".mcp.json",
  ".claude",
  ".codex",
  ".cursor",
  ".gemini",
  ".opencode",
  ".vscode",
  ".idea",
  ".devcontainer",
  ".envrc",
  ".npmrc",
  ".yarnrc.yml",
  ".ssh",
  ".bashrc",
  ".bash_profile",
  ".profile",
  ".zshrc",
];

/** Tells whether a real path inside a root is, or is below, something that is never changed without asking. */
export type IsProtected = (root: Root, real: string) => boolean;

/**
 * Protects what is called one of the names below a root, and what `paths` name: files or folders, there or not yet. Upper
 * and lower case, and the two spellings of accents, are one, as on some disks.
 */
export function toProtection(paths: readonly string[] = []): IsProtected {
  const names = new Set(PROTECTED_NAMES.map(fold));
  const fixed = paths.map((path) => fold(realOf(path)));
  return (root, real) => {
    const folded = fold(real);
    // What Windows calls .git where long names are not kept.
    const named = namesBelow(root, real)
      .map(fold)
      .some((name) => names.has(name) || /^git~\d+$/.test(name));
    // A folder that is mounted may itself lie in somebody's settings; in a repository's own it may not.
    const inside = folded.split(sep).includes(".git");
    return named || inside || fixed.some((path) => folded === path || folded.startsWith(path + sep));
  };
}

function fold(text: string): string {
  // Up and down again: some small letters, such as the long s, only meet their fellows as capitals.
  return text.normalize("NFC").toUpperCase().toLowerCase();
}

function realOf(path: string): string {
  try {
    return realpathSync.native(path);
  } catch {
    const full = resolve(path);
    return dirname(full) === full ? full : join(realOf(dirname(full)), basename(full));
  }
}
