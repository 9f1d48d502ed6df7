import type { Schema } from "@pegboard/contract";
import type { Diagnostic } from "../core/diagnostic.ts";
import { messageOf } from "../core/error.ts";
import { fullName, nameProblem } from "../core/name.ts";
import { compileSchema } from "../core/schema.ts";

/** The most of one kind, such as tools, that one plugin may bring. */
const MOST = 1_000;

/**
 * Everything that is wrong with a value that should be a plugin, each with the file it comes from; with an error among it
 * the plugin is not to be used. Runs nothing of it and never throws.
 */
export function checkPlugin(value: unknown, file?: string): readonly Diagnostic[] {
  const found: Diagnostic[] = [];
  const tell: Tell = (message, severity = "error") =>
    found.push({ severity, code: "invalid_definition", message, ...(file !== undefined && { file }) });
  try {
    if (isObject(value)) checkFields(value, tell);
    else tell(`The plugin must be an object, it is ${describe(value)}`);
  } catch (error) {
    tell(`The plugin cannot be read: ${messageOf(error)}`);
  }
  return found;
}

type Fields = Readonly<Record<string, unknown>>;
type Tell = (message: string, severity?: Diagnostic["severity"]) => void;
/** What is wrong with an item, each in words that go on after its name. */
type Check = (item: Fields, plugin: string | undefined) => readonly (string | undefined)[];

const SEMVER = /^\d+\.\d+\.\d+(?:-[0-9A-Za-z.-]+)?(?:\+[0-9A-Za-z.-]+)?$/;
const STEPS = ["register", "start", "onStartFailed", "stop"];

function checkFields(plugin: Fields, tell: Tell): void {
  const { name, version, settingsSchema, activation, mcpServers } = plugin;
  const badName = nameProblem(name);
  const called = typeof name === "string" ? `Plugin ${JSON.stringify(name.slice(0, 80))}` : "The plugin";
  const say: Tell = (message, severity) => tell(`${called}: ${message}`, severity);
  if (badName) say(`name ${badName}`);
  if (typeof version !== "string" || version === "") say("version must be a text such as 1.2.3");
  else if (!SEMVER.test(version))
    say(`version "${version.slice(0, 80)}" is not a semantic version such as 1.2.3`, "warning");
  if (plugin["register"] === undefined && KINDS.every((kind) => plugin[kind] === undefined))
    say(`it has no register function and brings none of ${KINDS.join(", ")}`);
  for (const step of STEPS)
    if (plugin[step] !== undefined && typeof plugin[step] !== "function")
      say(`${step} must be a function, it is ${describe(plugin[step])}`);
  if (activation !== undefined && activation !== "always" && activation !== "tagged")
    say(`activation must be "always" or "tagged"`);
  const badSettings = settingsSchema === undefined ? undefined : schemaProblem(settingsSchema);
  if (badSettings !== undefined) say(`settingsSchema is not usable: ${badSettings}`);
  const prefix = badName ? undefined : (name as string);
  for (const [kind, check] of Object.entries(LISTS)) checkList(kind, plugin[kind], check, prefix, say);
  checkServers(mcpServers, say);
}

function checkList(kind: string, list: unknown, check: Check, plugin: string | undefined, say: Tell): void {
  if (list === undefined) return;
  if (!Array.isArray(list)) return say(`${kind} must be a list, it is ${describe(list)}`);
  if (list.length > MOST) return say(`${kind} has ${list.length} entries; ${MOST} are the most`);
  const seen = new Map<unknown, number>();
  for (const [index, item] of (list as readonly unknown[]).entries()) {
    const place = `${kind}[${index}]`;
    if (!isObject(item)) {
      say(`${place} must be an object, it is ${describe(item)}`);
      continue;
    }
    const { name } = item;
    const called = typeof name === "string" ? `${place} ${JSON.stringify(name.slice(0, 80))}` : place;
    for (const problem of check(item, plugin)) if (problem !== undefined) say(`${called}: ${problem}`);
    const twin = seen.get(name);
    if (twin === undefined) seen.set(name, index);
    else if (typeof name === "string") say(`${kind}[${twin}] and ${called} have the same name`);
  }
}

const LISTS: Readonly<Record<string, Check>> = {
  tools: (tool, plugin) => [
    toolNameProblem(tool["name"], plugin),
    textProblem(tool, "description"),
    ...("handler" in tool || !("execute" in tool || "open" in tool)
      ? [functionProblem(tool, "handler"), inputProblem(tool, "schema"), audienceProblem(tool)]
      : [functionProblem(tool, "open" in tool ? "open" : "execute"), inputProblem(tool, "input")]),
  ],
  agents: (agent) => [
    ownNameProblem(agent),
    textProblem(agent, "description", true),
    textProblem(agent, "instructions", true),
  ],
  skills: (skill) => [ownNameProblem(skill), textProblem(skill, "description"), functionProblem(skill, "read")],
  commands: (command) => [
    ownNameProblem(command),
    textProblem(command, "description", true),
    textProblem(command, "prompt", true),
  ],
  prompts: (prompt) => [
    ownNameProblem(prompt),
    textProblem(prompt, "description"),
    argumentsProblem(prompt),
    functionProblem(prompt, "get"),
  ],
  resources: (resource) => [
    ownNameProblem(resource),
    textProblem(resource, "uri"),
    ...["description", "mimeType"].map((field) =>
      resource[field] === undefined ? undefined : textProblem(resource, field, true),
    ),
    functionProblem(resource, "read"),
  ],
};

const KINDS = [...Object.keys(LISTS), "mcpServers"];

function checkServers(servers: unknown, say: Tell): void {
  if (servers === undefined) return;
  if (!isObject(servers)) return say(`mcpServers must be an object, it is ${describe(servers)}`);
  const names = Object.keys(servers);
  if (names.length > MOST) return say(`mcpServers has ${names.length} entries; ${MOST} are the most`);
  for (const name of names) {
    const server = servers[name];
    if (!isObject(server) || (typeof server["command"] !== "string") === (typeof server["url"] !== "string"))
      say(`mcpServers ${JSON.stringify(name.slice(0, 80))} must have either a command or a url`);
  }
}

function ownNameProblem({ name }: Fields): string | undefined {
  const problem = nameProblem(name);
  return problem && `name ${problem}`;
}

function toolNameProblem(name: unknown, plugin: string | undefined): string | undefined {
  const problem = ownNameProblem({ name });
  if (problem !== undefined || plugin === undefined) return problem;
  try {
    fullName(name, plugin);
    return undefined;
  } catch (error) {
    return messageOf(error);
  }
}

function textProblem(item: Fields, field: string, mayBeEmpty = false): string | undefined {
  const text = item[field];
  if (typeof text === "string" && (mayBeEmpty || text.trim() !== "")) return undefined;
  return `${field} must be a text${mayBeEmpty ? "" : " that is not empty"}`;
}

function argumentsProblem({ arguments: given = [] }: Fields): string | undefined {
  const isArgument = (one: unknown) =>
    isObject(one) && typeof one["name"] === "string" && ["string", "undefined"].includes(typeof one["description"]);
  return Array.isArray(given) && given.every(isArgument)
    ? undefined
    : "arguments must be a list of objects with a name";
}

function functionProblem(item: Fields, field: string): string | undefined {
  return typeof item[field] === "function" ? undefined : `${field} must be a function, it is ${describe(item[field])}`;
}

function audienceProblem({ audience }: Fields): string | undefined {
  return audience === undefined || ["agent", "human", "both"].includes(audience as string)
    ? undefined
    : `audience must be "agent", "human" or "both"`;
}

function inputProblem(item: Fields, field: string): string | undefined {
  const problem = schemaProblem(item[field], "object");
  return problem && `${field} is not usable: ${problem}`;
}

function schemaProblem(schema: unknown, root?: "object"): string | undefined {
  try {
    compileSchema(schema as Schema, { foreign: true, ...(root && { root }) });
    return undefined;
  } catch (error) {
    return messageOf(error);
  }
}

function isObject(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function describe(value: unknown): string {
  if (value === undefined) return "missing";
  if (value === null) return "null";
  if (Array.isArray(value)) return "a list";
  return typeof value === "object" ? "an object" : `a ${typeof value}`;
}
