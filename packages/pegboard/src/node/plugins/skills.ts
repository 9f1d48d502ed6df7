import { basename } from "node:path";
import type { Skill } from "@pegboard/contract";
import { parseSkillFile, type SkillFile } from "../../agents/skill-file.ts";
import type { Diagnostic } from "../../core/diagnostic.ts";
import { messageOf, PegboardError } from "../../core/error.ts";
import { openLinkedSkill } from "./linked-skill.ts";
import type { PluginFolder } from "./plugin-folder.ts";
import { keepFirst, type ReadItem } from "./read-item.ts";
import { brokenReport, type Sort, toReport } from "./report.ts";

/** How skills are read. */
export interface SkillOptions {
  /** Only what conforms to the Agent Skills specification is taken. */
  readonly strict?: boolean;
  /** Where links to skills may lead to, besides the plugin itself. */
  readonly around?: string | undefined;
  /** Fills in variables of the text when it is read; `folder` is the skill's own. */
  fill?(text: string, folder: string): string;
}

const SORT: Sort = { kind: "skill", format: "agent-skills" };
const FILE = "SKILL.md";
const MOST_FILES = 1_000;
const MAX_DEPTH = 8;

/** Reads the skills in a folder: each folder right below it that holds a `SKILL.md`. A bad one hurts no other. */
export async function readSkills(
  folder: PluginFolder,
  path: string,
  options: SkillOptions = {},
): Promise<readonly ReadItem<Skill>[]> {
  const read: ReadItem<Skill>[] = [];
  for (const { name, type } of (await folder.list(path)) ?? []) {
    const at = `${path}/${name}`;
    if (type === "link") read.push(...(await readLinked(folder, at, options, LEADS_OUT)));
    else if (type === "folder") read.push(...(await readSkill(folder, at, options)));
  }
  return keepFirst(read);
}

const LEADS_OUT = "it is a link that leads out of the plugin, or nowhere";

/** Reads one skill; nothing comes of a folder that is none. Its text and its other files are read when they are asked for. */
export async function readSkill(
  folder: PluginFolder,
  path: string,
  options: SkillOptions = {},
): Promise<readonly ReadItem<Skill>[]> {
  let file = `${path}/${FILE}`;
  try {
    // Nearly all are called so: a look at the whole folder is for the others, and where the name must be exactly this.
    let text = options.strict ? undefined : await folder.read(file);
    if (text === undefined) {
      const found = await findFile(folder, path, options.strict === true);
      if (found === undefined) return [];
      file = `${path}/${found}`;
      text = await folder.read(file);
    }
    if (text === undefined) return [{ report: brokenReport(folder.absolute(file), SORT, LEADS_OUT) }];
    return [toSkill(parse(folder, path, file, text), folder, { path, file }, options)];
  } catch (error) {
    return readLinked(folder, file, options, messageOf(error));
  }
}

/** Reads the skill that a link out of the plugin leads to, where it may; else `problem` is what is wrong with it. */
async function readLinked(
  folder: PluginFolder,
  path: string,
  { around, ...options }: SkillOptions,
  problem: string,
): Promise<readonly ReadItem<Skill>[]> {
  const file = folder.absolute(path);
  const linked = options.strict ? undefined : openLinkedSkill(file, around);
  if (!linked) return [{ report: brokenReport(file, SORT, problem) }];
  return (await readSkill(linked, "", options)).map((read) => ({ ...read, report: { ...read.report, path: file } }));
}

/** Whichever way its name is spelled: some file systems do not tell. */
async function findFile(folder: PluginFolder, path: string, exactly: boolean): Promise<string | undefined> {
  const names = ((await folder.list(path)) ?? []).map(({ name }) => name);
  if (names.includes(FILE) || exactly) return names.find((name) => name === FILE);
  return names.find((name) => name.toLowerCase() === FILE.toLowerCase());
}

function parse(folder: PluginFolder, path: string, file: string, text: string): SkillFile {
  return parseSkillFile(text, { file: folder.absolute(file), folder: basename(folder.absolute(path)) });
}

function toSkill(
  parsed: SkillFile,
  folder: PluginFolder,
  { path, file }: { readonly path: string; readonly file: string },
  { strict = false, fill = (text) => text }: SkillOptions,
): ReadItem<Skill> {
  const extra: Diagnostic[] = [];
  const name = file.slice(path.length + 1);
  if (name !== FILE) extra.push(odd("warning", "file_name", `the file is called ${name}; it should be ${FILE}`));
  if (strict)
    extra.push(...parsed.departures.map((one) => odd("error", "not_conforming", `${one}: the skill is left out`)));
  const taken = strict && parsed.departures.length > 0 ? undefined : parsed.skill;
  const report = toReport(folder.absolute(file), SORT, {
    ...parsed,
    loaded: taken !== undefined,
    ...(parsed.skill && { item: parsed.skill }),
    diagnostics: [...parsed.diagnostics, ...extra],
  });
  if (!taken) return { report };
  const skill: Skill = {
    ...taken,
    async read() {
      const text = new TextDecoder().decode(await folder.readBytes(file));
      return fill(parse(folder, path, file, text).body, folder.absolute(path));
    },
    list: () => listFiles(folder, path, file),
    async readFile(inner) {
      const files = await listFiles(folder, path, file);
      if (files.includes(inner)) return folder.readBytes(`${path}/${inner}`);
      const hint = files.length === 0 ? "it has no other files" : `it has ${files.slice(0, 20).join(", ")}`;
      throw new PegboardError("not_found", `Skill "${taken.name}" has no file "${inner.slice(0, 200)}": ${hint}`);
    },
  };
  return { item: skill, report };
}

function odd(severity: Diagnostic["severity"], code: string, message: string): Diagnostic {
  return { severity, code, message };
}

async function listFiles(folder: PluginFolder, path: string, own: string): Promise<readonly string[]> {
  const files: string[] = [];
  const enter = async (at: string, depth: number): Promise<void> => {
    for (const { name, type } of (await folder.list(at)) ?? []) {
      const inner = `${at}/${name}`;
      if (files.length >= MOST_FILES) return;
      // What a person does not see in a folder is not the skill's: `.git` and the like.
      if (name.startsWith(".") || name === "node_modules") continue;
      if (type === "file" && inner !== own) files.push(inner.slice(path.length + 1));
      else if (type === "folder" && depth < MAX_DEPTH) await enter(inner, depth + 1);
    }
  };
  await enter(path, 1);
  return files;
}
