import { realpathSync, statSync } from "node:fs";
import { basename, dirname, join, sep } from "node:path";
import { openPluginFolder, type PluginFolder } from "./plugin-folder.ts";

/**
 * The skill that a link leads to: people who keep several plugins in one place link them to the skills that they share. It
 * must be in a folder `skills` inside of `around`, so that a link brings skills and nothing else. Undefined for all others.
 */
export function openLinkedSkill(link: string, around: string | undefined): PluginFolder | undefined {
  if (around === undefined) return undefined;
  try {
    const real = realpathSync(link);
    const folder = statSync(real).isDirectory() ? real : dirname(real);
    const isSkill = basename(dirname(folder)) === "skills" && (folder === real || basename(real) === "SKILL.md");
    return isSkill && folder.startsWith(join(realpathSync(around), sep)) ? openPluginFolder(folder) : undefined;
  } catch {
    // It leads nowhere.
    return undefined;
  }
}
