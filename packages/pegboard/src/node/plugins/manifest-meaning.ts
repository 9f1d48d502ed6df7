import type { JsonSchema } from "@pegboard/contract";
import type { Diagnostic } from "../../core/diagnostic.ts";
import { messageOf } from "../../core/error.ts";
import { fullName, nameProblem } from "../../core/name.ts";
import { compileSchema } from "../../core/schema.ts";
import { CAPABILITY_WORDS } from "./capability-words.ts";
import { toInput, toWrittenSettings } from "./manifest-values.ts";
import { toSettingsSchema, type WrittenSettings } from "./settings.ts";

type Loose = Readonly<Record<string, unknown>>;

/** Tells what is wrong at a place of a manifest. */
export type Tell = (pointer: string, message: string, severity?: Diagnostic["severity"], code?: string) => void;

/** What a schema cannot say. What has the wrong type was told already. */
export function checkMeaning(manifest: Loose, told: ReadonlySet<string>, tell: Tell): void {
  const { name, tools, agents, config } = manifest;
  const problem = typeof name === "string" ? nameProblem(name) : undefined;
  if (problem) tell("/name", problem, "error", "invalid_name");
  const own = listOf(agents).flatMap((agent) => (typeof agent["name"] === "string" ? agent["name"] : []));
  const seen = new Set<string>();
  for (const [index, tool] of listOf(tools).entries()) {
    const at = `/tools/${index}`;
    if (typeof tool["name"] === "string") {
      checkToolName(tool["name"], problem ? undefined : name, at, tell);
      if (seen.has(tool["name"])) tell(`${at}/name`, `there are several tools named "${tool["name"]}"`);
      seen.add(tool["name"]);
    }
    checkCommand(tool["command"], at, tell);
    checkInput(tool["schema"], at, tell);
    checkCapabilities(tool["capabilities"], at, tell);
    for (const key of ["required_agent", "visible_to"]) checkBinding(tool[key], own, `${at}/${key}`, tell);
  }
  if (listOf(tools).length === 0 && listOf(agents).length === 0 && config === undefined)
    tell("", "it brings neither tools nor agents", "warning", "empty_plugin");
  const settings = [...told].some((path) => path.startsWith("/config")) ? undefined : toWrittenSettings(config);
  if (settings) checkSettings(settings, tell);
}

function checkToolName(name: string, plugin: unknown, at: string, tell: Tell): void {
  try {
    fullName(name, typeof plugin === "string" ? plugin : undefined);
  } catch (error) {
    tell(`${at}/name`, messageOf(error), "error", "invalid_name");
  }
}

/** What a shell would make more than one word of. */
const SHELL = /[\s;&|<>`$"'(){}*?!]/;

function checkCommand(command: unknown, at: string, tell: Tell): void {
  if (typeof command !== "string") return;
  const pointer = `${at}/command`;
  if (SHELL.test(command))
    tell(pointer, `"${command.slice(0, 80)}" is not one program: no shell reads it. Put its arguments into args`);
  else if (leavesFolder(command))
    tell(pointer, `"${command.slice(0, 80)}" is outside of the plugin: name a program, or a path inside of the plugin`);
}

/** Whether a path leads out of the folder that it starts in, as far as its text tells. */
export function leavesFolder(path: string): boolean {
  if (/^(?:[/\\~]|[A-Za-z]:)/.test(path)) return true;
  let depth = 0;
  for (const part of path.split(/[/\\]/)) {
    depth += part === ".." ? -1 : part === "" || part === "." ? 0 : 1;
    if (depth < 0) return true;
  }
  return false;
}

function checkInput(schema: unknown, at: string, tell: Tell): void {
  if (typeof schema !== "object" || schema === null || Array.isArray(schema)) return;
  try {
    compileSchema(toInput(schema as JsonSchema), { root: "object", foreign: true });
  } catch (error) {
    tell(`${at}/schema`, messageOf(error), "error", "invalid_schema");
  }
}

function checkCapabilities(capabilities: unknown, at: string, tell: Tell): void {
  for (const [index, word] of (Array.isArray(capabilities) ? capabilities : []).entries()) {
    if (typeof word !== "string" || CAPABILITY_WORDS.has(word)) continue;
    tell(
      `${at}/capabilities/${index}`,
      `capability "${word}" is unknown; there are ${[...CAPABILITY_WORDS.keys()].join(", ")}`,
    );
  }
}

/** An agent of nobody's could be anybody's some day: a bare name is one of the plugin's own. */
function checkBinding(binding: unknown, own: readonly string[], pointer: string, tell: Tell): void {
  const names = typeof binding === "string" ? [binding] : Array.isArray(binding) ? (binding as unknown[]) : [];
  for (const name of names) {
    if (typeof name !== "string" || own.includes(name)) continue;
    const [plugin, agent, more] = name.split("/");
    if (agent !== undefined && more === undefined && !nameProblem(plugin) && !nameProblem(agent))
      tell(
        pointer,
        `"${name}" is an agent of another plugin: without that plugin nobody can call the tool`,
        "warning",
        "foreign_agent",
      );
    else
      tell(
        pointer,
        `the plugin has no agent "${name}", so nobody could ever call the tool; its agents: ${own.join(", ") || "none"}. An agent of another plugin is written plugin/agent`,
        "error",
        "unknown_agent",
      );
  }
}

function checkSettings(settings: WrittenSettings, tell: Tell): void {
  for (const key of settings.required ?? [])
    if (!Object.hasOwn(settings.properties, key)) tell("/config", `required names "${key}", which is no setting`);
  const variables = new Set<string>();
  for (const [key, { type, enum: values, choices = values }] of Object.entries(settings.properties)) {
    if (type === "choice" && !choices) tell("/config", `setting "${key}" is a choice and names none: add enum: […]`);
    if (variables.has(key.toUpperCase()))
      tell("/config", `setting "${key}" differs from another one by its case alone`);
    variables.add(key.toUpperCase());
  }
  try {
    compileSchema(toSettingsSchema(settings), { foreign: true });
  } catch (error) {
    tell("/config", messageOf(error), "error", "invalid_schema");
  }
}

function listOf(value: unknown): readonly Loose[] {
  return Array.isArray(value) ? value.map((item) => Object(item) as Loose) : [];
}
