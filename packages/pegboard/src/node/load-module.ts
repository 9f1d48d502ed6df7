import { existsSync, statSync } from "node:fs";
import { registerHooks } from "node:module";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { messageOf, PegboardError } from "../core/error.ts";
import { toFreshUrl } from "./fresh-import.ts";

/**
 * Imports a local file. A file that has changed since is imported anew; what it imports itself is only when it is of the
 * folder, if one is given.
 */
export async function importFile(file: string, folder?: string): Promise<Record<string, unknown>> {
  const stats = statSync(file, { throwIfNoEntry: false });
  if (!stats?.isFile()) throw new PegboardError("invalid_definition", `There is no file ${file}`);
  if (folder !== undefined) return importUrl(toFreshUrl(file, folder), file);
  const url = pathToFileURL(file);
  url.searchParams.set("v", `${stats.mtimeMs}-${stats.size}`);
  return importUrl(url.href, file);
}

/**
 * Imports an npm package from a folder of its own below `packages`, or else from where the workspace has it. Packages live
 * apart because their peer ranges clash.
 */
export async function importPackage(
  specifier: string,
  workspace: string,
  packages: string,
): Promise<Record<string, unknown>> {
  const manifest = packageJson(specifier, workspace, packages);
  if (manifest !== undefined) {
    resolveFromFolders();
    const url = pathToFileURL(manifest);
    url.searchParams.set(IMPORTED, specifier);
    return importUrl(url.href, specifier);
  }
  const name = packageName(specifier);
  throw new PegboardError(
    "unavailable",
    `The package "${name}" is not installed. Install it with: npm install --prefix ${packageFolder(name, packages)} ${name}`,
  );
}

/** The `package.json` of the package that would be imported, or undefined when it is not installed. */
export function packageJson(specifier: string, workspace: string, packages: string): string | undefined {
  const name = packageName(specifier);
  const folder = [packageFolder(name, packages), workspace].find((candidate) =>
    existsSync(join(candidate, "node_modules", name)),
  );
  return folder && join(folder, "node_modules", name, "package.json");
}

function packageFolder(name: string, packages: string): string {
  return join(packages, name.replace("/", "+"));
}

function packageName(specifier: string): string {
  return specifier
    .split("/")
    .slice(0, specifier.startsWith("@") ? 2 : 1)
    .join("/");
}

const IMPORTED = "pegboard-import";
let registered = false;

// Node resolves a bare specifier only from the importing file; a package is to be found from another folder.
function resolveFromFolders(): void {
  if (registered) return;
  registered = true;
  registerHooks({
    resolve(specifier, context, nextResolve) {
      const name = specifier.includes(IMPORTED) ? new URL(specifier).searchParams.get(IMPORTED) : null;
      return name === null ? nextResolve(specifier, context) : nextResolve(name, { ...context, parentURL: specifier });
    },
  });
}

async function importUrl(url: string, shown: string): Promise<Record<string, unknown>> {
  try {
    return (await import(url)) as Record<string, unknown>;
  } catch (error) {
    throw new PegboardError("unavailable", `${shown} cannot be imported: ${messageOf(error)}`, { cause: error });
  }
}
