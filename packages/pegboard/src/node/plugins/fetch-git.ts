import { mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import type { PluginSource } from "./plugin-source.ts";
import { copyFolder } from "./copy-folder.ts";
import { runFetcher } from "./run-fetcher.ts";

// Nothing that a repository brings is run by fetching it, nor what was set up here for other repositories.
const SAFE = [
  "core.hooksPath=/dev/null",
  "core.fsmonitor=false",
  "init.templateDir=",
  "protocol.ext.allow=never",
  "gc.auto=0",
];
const ENV = { GIT_TERMINAL_PROMPT: "0", GIT_ALLOW_PROTOCOL: "https:http:ssh:git:file" };

/**
 * Fetches one commit of a repository into a folder that is not there yet, without hooks and submodules. Resolves to exactly
 * what was fetched. `scratch` is a folder for what is needed meanwhile.
 */
export async function fetchGit(
  { url, ref = "HEAD" }: PluginSource & { readonly kind: "git" },
  folder: string,
  { scratch, signal }: { readonly scratch: string; readonly signal?: AbortSignal | undefined },
): Promise<string> {
  mkdirSync(scratch, { recursive: true });
  const git = (...args: readonly string[]) =>
    runFetcher(["git", ...args], { cwd: scratch, env: { ...ENV, ...toVariables(SAFE) }, signal });
  await git("init", "--quiet");
  await git("fetch", "--quiet", "--depth=1", "--no-tags", "--no-recurse-submodules", "--", url, ref);
  await git("checkout", "--quiet", "--detach", "FETCH_HEAD");
  const commit = (await git("rev-parse", "HEAD")).trim();
  rmSync(join(scratch, ".git"), { recursive: true, force: true });
  copyFolder(scratch, folder);
  return `git:${url}#${commit}`;
}

/** Settings of git as variables: these go before every file. */
function toVariables(settings: readonly string[]): Record<string, string> {
  const pairs = settings.flatMap((setting, index) => {
    const [key = "", ...value] = setting.split("=");
    return [
      [`GIT_CONFIG_KEY_${index}`, key],
      [`GIT_CONFIG_VALUE_${index}`, value.join("=")],
    ];
  });
  return { GIT_CONFIG_COUNT: String(settings.length), ...(Object.fromEntries(pairs) as Record<string, string>) };
}
