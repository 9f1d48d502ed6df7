import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { PegboardError } from "../../core/error.ts";
import { NO_GIT } from "./no-git.ts";
import type { PluginSource } from "./plugin-source.ts";
import { runFetcher } from "./run-fetcher.ts";
import { unpackArchive } from "./unpack-archive.ts";

/**
 * Fetches a package into a folder that is not there yet, as the registry has it. No script of it runs. Resolves to exactly
 * what was fetched. `scratch` is a folder for what is needed meanwhile.
 */
export async function fetchNpm(
  { name, range }: PluginSource & { readonly kind: "npm" },
  folder: string,
  { scratch, signal }: { readonly scratch: string; readonly signal?: AbortSignal | undefined },
): Promise<string> {
  const spec = range === undefined ? name : `${name}@${range}`;
  mkdirSync(scratch, { recursive: true });
  // Without it, npm would follow the .npmrc of the workspace around.
  writeFileSync(join(scratch, "package.json"), "{}");
  const printed = await runFetcher(["npm", "pack", "--json", "--ignore-scripts", NO_GIT, "--silent", "--", spec], {
    cwd: scratch,
    signal,
  });
  const { filename, version, integrity } = firstOf(printed);
  if (!filename || !version || /[/\\]/.test(filename))
    throw new PegboardError("unavailable", `npm pack ${spec} did not say what it fetched; nothing was changed`);
  unpackArchive(join(scratch, filename), folder);
  return `npm:${name}@${version}${integrity ? ` ${integrity}` : ""}`;
}

function firstOf(printed: string): { filename?: string; version?: string; integrity?: string } {
  try {
    // npm 11 answers with an object by name, earlier ones with a list.
    return Object(Object.values(Object(JSON.parse(printed)) as object)[0]) as object;
  } catch {
    return {};
  }
}
