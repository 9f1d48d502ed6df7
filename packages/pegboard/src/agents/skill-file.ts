import type { Skill } from "@pegboard/contract";
import type { Diagnostic } from "../core/diagnostic.ts";
import { nameProblem } from "../core/name.ts";
import { toName } from "./agent-name.ts";
import { createFindings, type Field, type FieldOutcome, type Findings } from "./field.ts";
import type { Rung } from "./front-matter-rungs.ts";
import { reportInlineShell } from "./inline-shell.ts";
import { firstWords, readPromptFile, textOf } from "./prompt-file.ts";
import { rightOf } from "./rights.ts";
import { departuresFromSpec } from "./skill-spec.ts";
import { splitNames } from "./tool-patterns.ts";

/** What came of a `SKILL.md`. */
export interface SkillFile {
  /** Absent: nothing came of it. */
  readonly skill?: Pick<Skill, "name" | "description" | "tools" | "forModels">;
  /** What a model reads when it takes up the skill. */
  readonly body: string;
  readonly diagnostics: readonly Diagnostic[];
  readonly rung: Rung;
  readonly fields: readonly FieldOutcome[];
  /** What the Agent Skills specification does not allow, one sentence each; empty for a skill that conforms to it. */
  readonly departures: readonly string[];
}

/** What is known besides the text: where it is, for diagnostics, and the name of its folder. */
export interface SkillFileOptions {
  readonly file?: string;
  readonly folder: string;
}

/**
 * Reads a skill. Never throws: a name that is missing is the folder's, a missing description the first words of the text.
 * The tools that it names are told, and grant nothing.
 */
export function parseSkillFile(text: string, { file, folder }: SkillFileOptions): SkillFile {
  const findings = createFindings(file, "skill");
  const { fields, rung, body, bodyLine } = readPromptFile(text, findings);
  const name = readName(fields.get("name"), folder, findings);
  const description = readDescription(fields, body, findings);
  const tools = readTools(fields.values(), findings);
  const forModels = readForModels(fields.get("disable-model-invocation"), findings);
  reportOtherFields(fields.values(), findings);
  reportInlineShell(body, bodyLine, findings);
  if (body === "" && !findings.has("no-agent"))
    findings.add("no-agent", { code: "empty_body", message: "the skill has no text", fix: "write what is to be done" });
  const skill = name !== undefined && {
    name,
    description: description || name,
    ...(tools && { tools }),
    ...(forModels === false && { forModels }),
  };
  return {
    ...(skill && !findings.has("no-agent") && { skill }),
    body,
    diagnostics: findings.diagnostics,
    rung,
    fields: findings.fields,
    departures: departuresFromSpec(fields, rung, folder),
  };
}

function readName(field: Field | undefined, folder: string, findings: Findings): string | undefined {
  const written = textOf(field);
  if (field) findings.became("name", "mapped");
  if (written !== undefined && nameProblem(written) === undefined) return written;
  const name = [written, folder].flatMap((text) => (text === undefined ? [] : (toSkillName(text) ?? []))).at(0);
  if (name === undefined) {
    const message = `neither its name nor its folder ${JSON.stringify(folder.slice(0, 80))} can be the name of a skill`;
    findings.add("no-agent", { code: "invalid_name", message, fix: "add name: my-skill" });
  } else if (written !== undefined) {
    findings.became("name", "approximated", name);
    const message = `name ${nameProblem(written)}; the skill is called "${name}"`;
    findings.add("warning", { code: "changed_name", message, ...(field && { place: field.place() }) });
  } else if (name !== folder) {
    const message = `its folder's name is no name of a skill; it is called "${name}"`;
    findings.add("warning", { code: "changed_name", message });
  }
  return name;
}

// Elsewhere a name may start with a digit.
function toSkillName(text: string): string | undefined {
  return toName(text) ?? (/^[0-9]/.test(text) ? toName(`skill-${text}`) : undefined);
}

function readDescription(fields: ReadonlyMap<string, Field>, body: string, findings: Findings): string {
  const [field, when] = [fields.get("description"), fields.get("when_to_use")];
  const [written, use] = [textOf(field), textOf(when)];
  if (field) findings.became("description", written === undefined ? "ignored" : "mapped");
  if (when) findings.became("when_to_use", "approximated", "added to the description");
  if (written === undefined) {
    const message = "description is missing: the first words of the text stand in for it";
    const fix = "add description: what it is for, and when";
    findings.add("warning", { code: "missing_description", message, place: { line: 1 }, fix });
  }
  return [written ?? firstWords(body), use].filter(Boolean).join("\n");
}

function readTools(fields: Iterable<Field>, findings: Findings): readonly string[] | undefined {
  const found = [...fields].filter(({ path }) => rightOf(path)?.field === "tools");
  if (found.length === 0) return undefined;
  return found.flatMap((field) => {
    const names = typeof field.value === "string" ? splitNames(field.value) : field.value;
    const isList = Array.isArray(names) && names.every((name) => typeof name === "string");
    findings.became(field.path, isList ? "mapped" : "ignored", isList ? "told, not granted" : "no list of names");
    return isList ? (names as string[]) : [];
  });
}

function readForModels(field: Field | undefined, findings: Findings): boolean {
  if (!field) return true;
  findings.became(field.path, "mapped");
  const { value } = field;
  return value !== true && !(typeof value === "string" && ["true", "yes"].includes(value.toLowerCase()));
}

/** Fields that are read above. */
const READ = ["name", "description", "when_to_use", "disable-model-invocation"];
/** Fields that other programs act on, and what that would mean here. */
const FOREIGN: Readonly<Record<string, string>> = {
  model: "the model of whoever takes it up stays",
  effort: "the effort of whoever takes it up stays",
  context: "it is read in the conversation that takes it up",
  agent: "it is read by whoever takes it up",
  background: "it is read by whoever takes it up",
  paths: "it is offered everywhere",
  shell: "commands in its text are not run",
  "user-invocable": "people find it in the list",
  "argument-hint": "a skill takes no arguments",
  arguments: "a skill takes no arguments",
};
const FOR_PEOPLE = ["license", "compatibility", "metadata", "version", "author", "tags", "category", "keywords"];

function reportOtherFields(fields: Iterable<Field>, findings: Findings): void {
  for (const { path, place } of fields) {
    if (READ.includes(path) || rightOf(path)?.field === "tools") continue;
    if (path === "hooks") findings.became(path, "unsafe", "hooks of a skill are not run");
    else if (FOR_PEOPLE.includes(path)) findings.became(path, "ignored", "for people");
    else if (FOREIGN[path] !== undefined) findings.became(path, "ignored", FOREIGN[path]);
    else if (rightOf(path)) findings.became(path, "ignored", "a skill grants and forbids nothing");
    else {
      findings.became(path, "ignored", "unknown");
      findings.add("warning", { code: "unknown_key", message: `unknown key "${path}"`, place: place() });
    }
  }
}
