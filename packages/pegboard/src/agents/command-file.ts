import type { Command } from "@pegboard/contract";
import type { Diagnostic } from "../core/diagnostic.ts";
import { createFindings, type Field, type FieldOutcome, type Findings } from "./field.ts";
import { CLAUDE } from "./foreign/claude.ts";
import { chooseAlias } from "./foreign/model-names.ts";
import { deniedWith, toolsOf } from "./foreign/tool-names.ts";
import { findSecondBlock } from "./front-matter.ts";
import type { Rung } from "./front-matter-rungs.ts";
import { reportInlineShell } from "./inline-shell.ts";
import { firstWords, readPromptFile, textOf } from "./prompt-file.ts";
import { rightIn, rightOf, slipOf } from "./rights.ts";
import { splitNames } from "./tool-patterns.ts";

/** What came of the file of a command. */
export interface CommandFile {
  /** Absent: nothing came of it. When something about its tools cannot be read, it has none. */
  readonly command?: Command;
  readonly diagnostics: readonly Diagnostic[];
  readonly rung: Rung;
  readonly fields: readonly FieldOutcome[];
}

/** What is known besides the text. */
export interface CommandFileOptions {
  /** Where it is, for diagnostics. */
  readonly file?: string;
  /** What people call it up by. */
  readonly name: string;
  /** The names that the workspace gives to models. */
  readonly models?: readonly string[];
}

/** Reads a command: markdown whose text is the prompt. Never throws, and never runs what the text would have run. */
export function parseCommandFile(text: string, { file, name, models = [] }: CommandFileOptions): CommandFile {
  const findings = createFindings(file, "command");
  const { fields, rung, body, bodyLine } = readPromptFile(text, findings);
  const read = (key: string) => {
    const value = textOf(fields.get(key));
    if (fields.has(key)) findings.became(key, value === undefined ? "ignored" : "mapped");
    return value;
  };
  const [description = firstWords(body), argumentHint] = [read("description"), read("argument-hint")];
  const model = readModel(fields.get("model"), models, findings);
  const tools = readTools(fields.values(), findings);
  reportOtherFields(fields.values(), name, findings);
  reportLostRights(body, fields.size === 0, findings);
  reportInlineShell(body, bodyLine, findings);
  if (body === "" && !findings.has("no-agent"))
    findings.add("no-agent", { code: "empty_body", message: "the command has no text", fix: "write its prompt" });
  const command: Command = {
    name,
    description,
    prompt: body,
    ...(argumentHint !== undefined && { argumentHint }),
    ...(model !== undefined && { model }),
    ...(findings.has("no-tools") ? { tools: [] } : tools && { tools }),
  };
  return {
    ...(!findings.has("no-agent") && { command }),
    diagnostics: findings.diagnostics,
    rung,
    fields: findings.fields,
  };
}

/** Says so when fields about tools stand where they are only text: below a front matter that ends early, or without one. */
function reportLostRights(body: string, isBare: boolean, findings: Findings): void {
  const start = body.split("\n", 10).join("\n");
  const isLost = isBare
    ? rightIn(start, new Set()) !== undefined
    : findSecondBlock(body, (key) => rightOf(key) !== undefined) !== undefined;
  if (!isLost) return;
  const message = "fields about tools stand in the text, where they count for nothing: the command gets no tools";
  findings.add("no-tools", { code: "front_matter_cut", message, fix: "put them between two lines --- at the start" });
}

function readModel(field: Field | undefined, models: readonly string[], findings: Findings): string | undefined {
  const written = textOf(field);
  if (written === undefined) return undefined;
  const { model, note } = chooseAlias(written, models);
  findings.became("model", note === undefined ? "mapped" : "approximated", note);
  return model;
}

/** The tools that its run may use. Elsewhere such a list saves questions; here it only takes away. */
function readTools(fields: Iterable<Field>, findings: Findings): readonly string[] | undefined {
  let tools: string[] | undefined;
  for (const field of fields) {
    const right = rightOf(field.path)?.field;
    if (right !== "tools" && right !== "blocked_tools") continue;
    const names = typeof field.value === "string" ? splitNames(field.value) : field.value;
    if (!Array.isArray(names) || !names.every((one) => typeof one === "string")) {
      const message = `${field.path} must be a list of names: the command gets no tools`;
      findings.became(field.path, "unsafe", "no list of names");
      findings.add("no-tools", { code: "invalid_value", message, place: field.place() });
      continue;
    }
    const own = right === "tools" ? toAllowed(names, field, findings) : toDenied(names);
    findings.became(field.path, "approximated", `${own.join(", ") || "no tools"}; nothing is approved by it`);
    tools = [...(tools ?? []), ...own];
  }
  return tools;
}

// A tool that is named for certain inputs is meant as a whole: the run can do no more than its agent could without the list.
function toAllowed(names: readonly string[], field: Field, findings: Findings): readonly string[] {
  if (names.includes("*")) return ["*"];
  const unknown = names.filter((name) => toOwn(name) === undefined);
  if (unknown.length > 0) {
    const message = `${field.path}: left out, because there is no such tool here: ${unknown.slice(0, 20).join(", ")}`;
    findings.add("warning", { code: "unknown_tool", message, place: field.place() });
  }
  return [...new Set(names.flatMap((name) => toOwn(name) ?? []))];
}

function toDenied(names: readonly string[]): readonly string[] {
  return names.flatMap((name) => deniedWith(toOwn(name) ?? [bare(name)]).map((tool) => `!${tool}`));
}

/** Our tools for the name of another program's; undefined when nobody knows it. */
function toOwn(name: string): readonly string[] | undefined {
  const tools = toolsOf(bare(name)) ?? CLAUDE.serverTool?.(bare(name));
  return typeof tools === "string" ? [tools] : tools;
}

function bare(name: string): string {
  return name.split("(", 1)[0]!.trim();
}

/** Fields that are read above. */
const READ = ["description", "argument-hint", "model"];
/** Fields that other programs act on, and what that would mean here. */
const FOREIGN: Readonly<Record<string, string>> = {
  arguments: "$ARGUMENTS and $1 to $9 are filled in",
  effort: "the agent's own effort stays",
  shell: "commands in its text are not run",
  "disable-model-invocation": "only people call up commands",
  "user-invocable": "only people call up commands",
};
const FOR_PEOPLE = ["version", "author", "tags", "category", "license", "metadata", "title"];

function reportOtherFields(fields: Iterable<Field>, name: string, findings: Findings): void {
  for (const field of fields) {
    const { path } = field;
    const right = rightOf(path)?.field;
    if (READ.includes(path) || right === "tools" || right === "blocked_tools") continue;
    if (path === "name") reportName(field, name, findings);
    else if (path === "hooks") findings.became(path, "unsafe", "hooks of a command are not run");
    else if (FOR_PEOPLE.includes(path)) findings.became(path, "ignored", "for people");
    else if (FOREIGN[path] !== undefined) findings.became(path, "ignored", FOREIGN[path]);
    else reportUnknown(field, findings);
  }
}

function reportUnknown({ path, place }: Field, findings: Findings): void {
  const meant = slipOf(path);
  const what = meant === undefined ? "" : `, which may be meant to be "${meant}": the command gets no tools`;
  findings.became(path, meant === undefined ? "ignored" : "unsafe", "unknown");
  const finding = { code: "unknown_key", message: `unknown key "${path}"${what}`, place: place() };
  findings.add(meant === undefined ? "warning" : "no-tools", finding);
}

function reportName(field: Field, name: string, findings: Findings): void {
  if (textOf(field) === name) findings.became("name", "mapped");
  else findings.became("name", "ignored", `people call it up by the name of its file, /${name}`);
}
