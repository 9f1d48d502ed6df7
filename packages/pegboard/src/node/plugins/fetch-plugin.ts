import { copyFolder } from "./copy-folder.ts";
import type { FetchedSource } from "./plugin-source.ts";

/** A folder for what is needed while something is fetched, and what ends that. */
export interface FetchOptions {
  readonly scratch: string;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Brings a plugin into a folder that is not there yet; nothing of it runs. Resolves to exactly what was fetched, where the
 * source can mean different things at different times. Rejects with an error that says what is wrong with the source.
 */
export async function fetchPlugin(
  source: FetchedSource,
  folder: string,
  options: FetchOptions,
): Promise<string | undefined> {
  switch (source.kind) {
    case "npm":
      return (await import("./fetch-npm.ts")).fetchNpm(source, folder, options);
    case "git":
      return (await import("./fetch-git.ts")).fetchGit(source, folder, options);
    case "archive":
      (await import("./unpack-archive.ts")).unpackArchive(source.path, folder);
      return undefined;
    case "folder":
      copyFolder(source.path, folder);
      return undefined;
  }
}
