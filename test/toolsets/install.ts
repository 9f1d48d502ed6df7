import { execFile } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { VERSIONS } from "./versions.ts";

/** A temporary folder with packages of its own, which share nothing with those of this repository. */
export interface Installed {
  /** Imports a package as a module in that folder would. */
  load(specifier: string): Promise<Record<string, any>>;
  remove(): Promise<void>;
}

/** Installs one row of the table of versions. Rejects with what npm said. */
export async function install(row: keyof typeof VERSIONS): Promise<Installed> {
  const folder = await mkdtemp(join(tmpdir(), "pegboard-toolset-"));
  const remove = () => rm(folder, { recursive: true, force: true });
  try {
    const flags = ["--no-audit", "--no-fund", "--ignore-scripts", "--loglevel=error"];
    await promisify(execFile)("npm", ["install", "--prefix", folder, ...flags, ...VERSIONS[row]]);
    // Packages that only have an `import` condition cannot be found with `require.resolve`: a module on the spot can.
    const loader = join(folder, "load.mjs");
    await writeFile(loader, "export const load = (specifier) => import(specifier);\n");
    const { load } = (await import(pathToFileURL(loader).href)) as Pick<Installed, "load">;
    return { load, remove };
  } catch (error) {
    await remove();
    throw error;
  }
}
