import { type InstalledFolder, installPackages, type Load, makeLoad } from "../install.ts";
import { VERSIONS } from "./versions.ts";

/** A temporary folder with packages of its own, which can be imported. */
export interface Installed extends Pick<InstalledFolder, "remove"> {
  readonly load: Load;
}

/** Installs one row of the table of versions. Rejects with what npm said. */
export async function install(row: keyof typeof VERSIONS): Promise<Installed> {
  const installed = await installPackages("pegboard-toolset-", VERSIONS[row]);
  return { load: await makeLoad(installed), remove: installed.remove };
}
