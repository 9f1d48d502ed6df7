import { execFile } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";

/** A temporary folder with packages of its own, which share nothing with those of this repository. */
export interface InstalledFolder {
  readonly folder: string;
  remove(): Promise<void>;
}

/** Installs packages, named with their exact versions, into a new folder whose name begins so. Rejects with what npm said. */
export async function installPackages(prefix: string, packages: readonly string[]): Promise<InstalledFolder> {
  const folder = await mkdtemp(join(tmpdir(), prefix));
  const remove = () => rm(folder, { recursive: true, force: true });
  try {
    const flags = ["--no-audit", "--no-fund", "--ignore-scripts", "--loglevel=error"];
    await promisify(execFile)("npm", ["install", "--prefix", folder, ...flags, ...packages]);
    return { folder, remove };
  } catch (error) {
    await remove();
    throw error;
  }
}
