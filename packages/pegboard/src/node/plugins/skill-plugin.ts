import { basename } from "node:path";
import { messageOf } from "../../core/error.ts";
import { type ForeignPluginDeps, toNothing, toPluginName, toReadPlugin } from "./foreign-plugin.ts";
import type { PluginFolder } from "./plugin-folder.ts";
import type { ReadPlugin } from "./read-plugin.ts";
import { brokenReport } from "./report.ts";
import { readSkill, readSkills } from "./skills.ts";

/**
 * Reads a folder that is a skill, or has a folder of skills, and no manifest: a plugin that is called like the folder.
 * `path` is where the skills are. Never rejects.
 */
export async function readSkillPlugin(
  folder: PluginFolder,
  path: string,
  deps: ForeignPluginDeps,
): Promise<ReadPlugin> {
  const head = { format: "agent-skills", path: path === "" ? "SKILL.md" : path } as const;
  const sort = { kind: "plugin", format: head.format };
  const fail = (message: string) => toNothing(folder, head, brokenReport(folder.root, sort, message));
  const name = toPluginName(basename(folder.root));
  if (name === undefined) return fail("no name can be made of the name of the folder");
  try {
    const skills = path === "" ? await readSkill(folder, path) : await readSkills(folder, path);
    return toReadPlugin(folder, { ...head, name }, { skills, reports: [] }, deps);
  } catch (error) {
    return fail(messageOf(error));
  }
}
