import { execFile } from "node:child_process";
import { copyFile, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { promisify } from "node:util";

/** A temporary folder with packages of its own, which share nothing with those of this repository. */
export interface InstalledFolder {
  readonly folder: string;
  remove(): Promise<void>;
}

/** Imports a package as a module in its folder would. */
export type Load = (specifier: string) => Promise<Record<string, any>>;

const FLAGS = ["--no-audit", "--no-fund", "--ignore-scripts", "--loglevel=error"];

/** Installs packages, named with their exact versions, into a new folder whose name begins so. Rejects with what npm said. */
export function installPackages(prefix: string, packages: readonly string[]): Promise<InstalledFolder> {
  return fill(prefix, (folder) => npm("install", "--prefix", folder, ...packages));
}

/**
 * Installs what the `package.json` and the lock of a folder say into a new one whose name begins so. What packages want of
 * their peers is not looked at: some disagree. Rejects with what npm said.
 */
export function installLocked(prefix: string, from: URL, ...flags: readonly string[]): Promise<InstalledFolder> {
  return fill(prefix, async (folder) => {
    for (const name of ["package.json", "package-lock.json"])
      await copyFile(fileURLToPath(new URL(name, from)), join(folder, name));
    // `npm ci` refuses a lock without packages that only other platforms have, and that are not to be had.
    await npm("install", "--no-save", "--prefix", folder, "--legacy-peer-deps", ...flags);
  });
}

/** Lets packages of a folder be imported. Those with an `import` condition only are not found by `require.resolve`. */
export async function makeLoad({ folder }: InstalledFolder): Promise<Load> {
  const loader = join(folder, "load.mjs");
  await writeFile(loader, "export const load = (specifier) => import(specifier);\n");
  const { load } = (await import(pathToFileURL(loader).href)) as { load: Load };
  return load;
}

async function fill(prefix: string, install: (folder: string) => Promise<unknown>): Promise<InstalledFolder> {
  const folder = await mkdtemp(join(tmpdir(), prefix));
  const remove = () => rm(folder, { recursive: true, force: true });
  try {
    await install(folder);
    return { folder, remove };
  } catch (error) {
    await remove();
    throw error;
  }
}

function npm(command: string, ...rest: readonly string[]) {
  return promisify(execFile)("npm", [command, ...FLAGS, ...rest]);
}
