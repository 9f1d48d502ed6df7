import { createHash } from "node:crypto";
import { createRequire, registerHooks } from "node:module";
import { sep } from "node:path";
import { pathToFileURL } from "node:url";
import { filesBelow } from "./files-below.ts";
import { stamp } from "./stamp.ts";

const FRESH = "pegboard-fresh";

/** The folders whose modules are imported anew, by the digests of what was in them. */
const folders = new Map<string, string>();

/**
 * The address of a module in a folder as that is now: when anything in the folder has changed, the module and all modules
 * of the folder that it leads to are imported anew. Installed packages are not.
 */
export function toFreshUrl(file: string, folder: string): string {
  const digest = createHash("sha256").update(filesBelow(folder).map(stamp).join("\n")).digest("hex").slice(0, 16);
  if (folders.size === 0) passOnFreshness();
  if (!folders.has(digest)) {
    folders.set(digest, `${pathToFileURL(folder).href}/`);
    forgetRequired(folder);
  }
  const url = pathToFileURL(file);
  url.searchParams.set(FRESH, digest);
  return url.href;
}

/** What a fresh module imports from its folder is as fresh as it is. */
function passOnFreshness(): void {
  registerHooks({
    resolve(specifier, context, nextResolve) {
      const resolved = nextResolve(specifier, context);
      const digest = context.parentURL?.includes(FRESH) ? new URL(context.parentURL).searchParams.get(FRESH) : null;
      const folder = digest === null ? undefined : folders.get(digest);
      if (folder === undefined || !resolved.url.startsWith(folder) || isInstalled(resolved.url, folder))
        return resolved;
      const url = new URL(resolved.url);
      url.searchParams.set(FRESH, digest!);
      return { ...resolved, url: url.href };
    },
  });
}

function isInstalled(url: string, folder: string): boolean {
  return url.slice(folder.length - 1).includes("/node_modules/");
}

/** CommonJS knows its modules by their paths alone. */
function forgetRequired(folder: string): void {
  const { cache } = createRequire(import.meta.url);
  for (const path of Object.keys(cache))
    if (path.startsWith(folder + sep) && !path.slice(folder.length).includes(`${sep}node_modules${sep}`))
      delete cache[path];
}
