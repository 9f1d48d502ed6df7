import { copyFileSync, existsSync, mkdirSync, renameSync } from "node:fs";
import { join } from "node:path";
import type { FoundPlugin } from "./discover.ts";
import { NO_GIT } from "./no-git.ts";
import { readPackageWishes } from "./package-scripts.ts";
import { runFetcher } from "./run-fetcher.ts";

const LIST = "package.json";
const LOCK = "package-lock.json";
const PACKAGES = "node_modules";

/**
 * Installs what the code of a plugin imports beside it, as far as its `package.json` asks for packages of a registry; no
 * script runs. `scratch` is a folder that is not there yet. Whether something was installed. Rejects with `unavailable`.
 */
export async function installOwn(
  { code, folder }: FoundPlugin,
  { scratch, signal }: { readonly scratch: string; readonly signal?: AbortSignal | undefined },
): Promise<boolean> {
  if (!code || Object.keys((await readPackageWishes(folder)).dependencies).length === 0) return false;
  // Elsewhere, since npm does what an .npmrc beside a package.json says, also which programs it runs.
  mkdirSync(scratch, { recursive: true });
  for (const file of [LIST, LOCK])
    if (existsSync(folder.absolute(file))) copyFileSync(folder.absolute(file), join(scratch, file));
  const command = existsSync(join(scratch, LOCK)) ? "ci" : "install";
  const quiet = ["--omit=dev", "--no-audit", "--no-fund", "--silent"];
  await runFetcher(["npm", command, "--ignore-scripts", NO_GIT, ...quiet], { cwd: scratch, signal });
  for (const name of [LOCK, PACKAGES])
    if (existsSync(join(scratch, name))) renameSync(join(scratch, name), folder.absolute(name));
  return true;
}
