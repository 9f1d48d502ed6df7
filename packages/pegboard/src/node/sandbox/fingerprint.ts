import { createHash } from "node:crypto";
import { existsSync, readFileSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { withMentionedFiles } from "../mentioned-files.ts";
import { packageJson } from "../load-module.ts";
import type { Recipe } from "../load-recipe.ts";

// Grows when definitions are sent in another form.
const FORMAT = 1;

/** A text that changes when anything changes on which the definitions of a recipe's tools usually depend. */
export function fingerprint(recipe: Recipe, files: readonly string[], env: Readonly<Record<string, string>>): string {
  const local = withMentionedFiles(files).map((file) => [file, digest(readFileSync(file))]);
  return JSON.stringify([
    FORMAT,
    process.version,
    recipe,
    digest(JSON.stringify(env)),
    local,
    installed(recipe, files).map(stamp),
  ]);
}

/** What the package manager wrote about the packages that the code can import. */
function installed(recipe: Recipe, files: readonly string[]): string[] {
  if (recipe.kind === "toolset" && recipe.placed.entry.package !== undefined) {
    const manifest = packageJson(recipe.placed.entry.package, recipe.places.workspace, recipe.places.packages);
    return manifest === undefined ? [] : [manifest, ...lockFiles(manifest)];
  }
  return files.flatMap(lockFiles);
}

function lockFiles(from: string): string[] {
  const folders = [dirname(from)];
  while (dirname(folders.at(-1)!) !== folders.at(-1)) folders.push(dirname(folders.at(-1)!));
  return folders.map((folder) => join(folder, "node_modules", ".package-lock.json")).filter((file) => existsSync(file));
}

function stamp(file: string): string {
  const { mtimeMs, size } = statSync(file);
  return `${file} ${mtimeMs} ${size}`;
}

function digest(content: string | Buffer): string {
  return createHash("sha256").update(content).digest("hex");
}
