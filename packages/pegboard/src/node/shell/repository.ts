import { lstatSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { isBelow, realOf } from "./locate.ts";

/**
 * Whether git would work in a folder below `root`, both without links, with a repository that came with other files and
 * says more than a fresh clone does: its settings and hooks name programs. Never throws; what cannot be read says more.
 */
export function isForeignRepository(root: string, cwd: string): boolean {
  try {
    for (let folder = cwd; folder !== root && isBelow(folder, root); folder = dirname(folder)) {
      const own = join(folder, ".git");
      const found = lstatSync(own, { throwIfNoEntry: false });
      if (found?.isDirectory()) return !isPlain(own);
      if (found) return !found.isFile() || !isKeptIn(join(root, ".git"), own);
    }
    return false;
  } catch {
    return true;
  }
}

// Submodules and work trees keep theirs in the repository of the workspace, which git wrote.
function isKeptIn(repository: string, file: string): boolean {
  const target = /^gitdir: (.+?)\n*$/.exec(readFileSync(file, "utf8"))?.[1];
  const real = target === undefined ? undefined : realOf(resolve(dirname(file), target));
  return real !== undefined && isBelow(real, repository);
}

/** Whether a repository is as a clone or `git init` leaves it: settings without programs, no hooks, nothing half done. */
function isPlain(repository: string): boolean {
  const names = readdirSync(repository);
  if (names.some((name) => /^(?:rebase-|sequencer|modules|worktrees|commondir|config\.)/i.test(name))) return false;
  const hooks = names.includes("hooks") ? readdirSync(join(repository, "hooks")) : [];
  return hooks.every((name) => name.endsWith(".sample")) && hasPlainSettings(join(repository, "config"));
}

const SETTINGS: Readonly<Record<string, RegExp>> = {
  core: /^(?:repositoryformatversion|filemode|bare|logallrefupdates|ignorecase|precomposeunicode|symlinks)$/,
  remote: /^(?:url|fetch)$/,
  branch: /^(?:remote|merge|rebase)$/,
  user: /^(?:name|email)$/,
};

// A line that says anything else, or goes on in the next one, is not plain.
function hasPlainSettings(file: string): boolean {
  let section: string | undefined;
  for (const line of readFileSync(file, "utf8")
    .split("\n")
    .map((one) => one.trim())) {
    const [, opened] = /^\[([a-z]+)(?: "[\w./-]+")?\]$/.exec(line) ?? [];
    const [, key] = /^([a-z]+) = [^\\]*$/i.exec(line) ?? [];
    if (opened !== undefined) section = opened;
    else if (line !== "" && !(key !== undefined && SETTINGS[section ?? ""]?.test(key.toLowerCase()))) return false;
  }
  return true;
}
