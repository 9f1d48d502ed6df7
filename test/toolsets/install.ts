import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { type InstalledFolder, installPackages } from "../install.ts";
import { VERSIONS } from "./versions.ts";

/** A temporary folder with packages of its own, which can be imported. */
export interface Installed extends Pick<InstalledFolder, "remove"> {
  /** Imports a package as a module in that folder would. */
  load(specifier: string): Promise<Record<string, any>>;
}

/** Installs one row of the table of versions. Rejects with what npm said. */
export async function install(row: keyof typeof VERSIONS): Promise<Installed> {
  const { folder, remove } = await installPackages("pegboard-toolset-", VERSIONS[row]);
  // Packages that only have an `import` condition cannot be found with `require.resolve`: a module on the spot can.
  const loader = join(folder, "load.mjs");
  await writeFile(loader, "export const load = (specifier) => import(specifier);\n");
  const { load } = (await import(pathToFileURL(loader).href)) as Pick<Installed, "load">;
  return { load, remove };
}
