import type { Agent, Json, PromptTool } from "@pegboard/contract";
import { nameProblem } from "../core/name.ts";
import { type Field, type Findings, isMapping } from "./field.ts";
import { wrong } from "./field-readers.ts";
import { readServers } from "./mcp-field.ts";
import { readPromptTool } from "./prompt-tool-entry.ts";
import { listOf, readPattern } from "./tool-patterns.ts";

/** What an agent has of tools. */
export type AgentTools = Pick<Agent, "tools" | "promptTools" | "toolsets">;

/** The fields that say so, where they are there. */
export interface ToolFields {
  readonly tools?: Field | undefined;
  readonly blocked?: Field | undefined;
  readonly toolsets?: Field | undefined;
  /** MCP servers, which are toolsets too. */
  readonly servers?: Field | undefined;
}

const IMPORTS = ["module", "package", "command", "mcp"];

/**
 * Reads `tools` by the type of each entry: a text is a name that is allowed, a mapping with `prompt` a prompt tool, one with
 * `module`, `package`, `command` or `mcp` an import. What cannot be read never allows more than what can.
 */
export function readTools({ tools, blocked, toolsets, servers }: ToolFields, findings: Findings): AgentTools {
  const listed = tools && readList(tools, findings);
  const denials = blocked ? readDenials(blocked, findings) : [];
  if (servers) findings.became(servers.path, "mapped");
  const own = { ...(servers && readServers(servers, findings)), ...(toolsets && readToolsets(toolsets, findings)) };
  for (const { entry, key, value } of listed?.imports ?? []) {
    if (Object.hasOwn(own, key)) refuseEntry(entry, `there is another toolset named "${key}"`, findings);
    else own[key] = value;
  }
  const patterns = toPatterns(listed, denials);
  return {
    ...(patterns && { tools: patterns }),
    ...(listed && listed.prompts.length > 0 && { promptTools: listed.prompts }),
    ...(Object.keys(own).length > 0 && { toolsets: own }),
  };
}

interface Listed {
  readonly patterns: { readonly entry: Field; readonly pattern: string }[];
  readonly prompts: PromptTool[];
  readonly imports: { readonly entry: Field; readonly key: string; readonly value: Json }[];
  /** It is empty, or something of it could not be read: where it names nothing, nothing is allowed. */
  closed: boolean;
}

/** The scope that a list comes to; undefined is no restriction. */
function toPatterns(listed: Listed | undefined, denials: readonly string[]): readonly string[] | undefined {
  const patterns = listed?.patterns.map(({ pattern }) => pattern) ?? [];
  // A list of nothing but denials would allow the rest.
  if (listed?.closed && patterns.every((pattern) => pattern.startsWith("!"))) return [];
  const all = [...patterns, ...denials];
  return all.length > 0 ? all : undefined;
}

function readList(field: Field, findings: Findings): Listed {
  const entries = listOf(field, findings, "no-tools") ?? [];
  if (typeof field.value === "string") findings.became(field.path, "approximated", "a text, read as a list");
  const listed: Listed = { patterns: [], prompts: [], imports: [], closed: entries.length === 0 };
  for (const entry of entries) readEntry(entry, listed, findings);
  return listed;
}

function readEntry(entry: Field, listed: Listed, findings: Findings): void {
  const { value } = entry;
  if (isMapping(value) && Object.hasOwn(value, "prompt")) {
    const prompt = readPromptTool(entry, findings);
    const twin = prompt && listed.prompts.some(({ name }) => name === prompt.name);
    if (twin) refuseEntry(entry, `there is another prompt tool named "${prompt.name}"`, findings);
    else if (prompt) listed.prompts.push(prompt);
    return;
  }
  if (isMapping(value) && IMPORTS.some((key) => Object.hasOwn(value, key))) {
    const { name, ...rest } = value;
    const key = name ?? nameOf(rest);
    const problem = nameProblem(key);
    if (problem !== undefined) refuseEntry(entry, `its name ${problem}; write name: …`, findings);
    else listed.imports.push({ entry, key: key as string, value: rest as Json });
    return;
  }
  const pattern = isMapping(value) ? undefined : readPattern(entry, findings, "without");
  if (pattern !== undefined) listed.patterns.push({ entry, pattern });
  // Whatever it was meant to be, the list may have been meant to be all that is allowed.
  else listed.closed = true;
  if (isMapping(value))
    refuseEntry(entry, `it has neither prompt (a prompt tool) nor ${IMPORTS.join(", ")} (an import)`, findings);
}

/** `./tools/my-tool.ts` is `my-tool`, `@scope/name` is `name`, a server is itself. */
function nameOf(entry: Readonly<Record<string, unknown>>): string | undefined {
  const from = IMPORTS.map((key) => entry[key]).find((value) => value !== undefined);
  const first: unknown = Array.isArray(from) ? from[0] : from;
  if (typeof first !== "string") return undefined;
  return first.slice(first.lastIndexOf("/") + 1).replace(/\.[a-z]{1,4}$/, "");
}

function readDenials(field: Field, findings: Findings): string[] {
  const entries = listOf(field, findings, "no-tools") ?? [];
  if (typeof field.value === "string") findings.became(field.path, "approximated", "a text, read as a list");
  return entries.flatMap((entry) => readPattern(entry, findings, "no-tools", true) ?? []);
}

// What a toolset says can also take away, so one that cannot be read must not simply be left out.
function readToolsets(field: Field, findings: Findings): Record<string, Json> {
  const toolsets: Record<string, Json> = {};
  if (!isMapping(field.value)) {
    wrong(field, "a mapping of names to settings", findings, "no-tools");
    return toolsets;
  }
  for (const [key, value] of Object.entries(field.value)) {
    const member = field.member(key);
    const problem = nameProblem(key);
    if (problem !== undefined) {
      const message = `${field.path}: the name "${key.slice(0, 80)}" ${problem}`;
      findings.add("no-tools", { code: "invalid_name", message, place: member.place() });
    } else if (value !== null && value !== true && !isMapping(value)) {
      wrong(member, "a mapping (key: value), or true", findings, "no-tools");
    } else toolsets[key] = value as Json;
  }
  return toolsets;
}

function refuseEntry(entry: Field, why: string, findings: Findings): void {
  findings.add("without", {
    code: "invalid_entry",
    message: `${entry.path} is left out: ${why}`,
    place: entry.place(),
  });
}
