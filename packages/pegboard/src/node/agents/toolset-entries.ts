import type { Agent, Json, JsonSchema, McpServer } from "@pegboard/contract";
import { nameProblem } from "../../core/name.ts";
import { nearest } from "../../core/nearest.ts";
import { readEntry } from "../../sources/mcp/config-entry.ts";
import type { ShellPolicy } from "../../tools/shell/decide.ts";
import { checkConfig } from "../check-config.ts";
import type { HostCommandEntry, ToolsetEntry } from "../config-file.ts";
import { HOST_TOOL_SCHEMA, SHELL_RULES_SCHEMA, TOOLSET_SCHEMA } from "../config-schema.ts";
import type { FilesystemScope } from "../files/mounts.ts";

/** One entry of an agent's `toolsets`: code of its own, less of what is there anyway, or merely that it is wanted. */
export type AgentToolset =
  | { readonly kind: "code"; readonly key: string; readonly entry: ToolsetEntry }
  | { readonly kind: "command"; readonly entry: HostCommandEntry }
  | { readonly kind: "filesystem"; readonly scope: FilesystemScope }
  | { readonly kind: "shell"; readonly policy: ShellPolicy }
  | { readonly kind: "server"; readonly key: string; readonly server: McpServer }
  | { readonly kind: "wanted"; readonly key: string }
  /** A server of the workspace that is not there: the agent works without. */
  | { readonly kind: "absent"; readonly key: string };

/** The toolsets of an agent, and what is wrong with the others: each a sentence that names the agent. */
export interface AgentToolsets {
  readonly toolsets: readonly AgentToolset[];
  readonly problems: readonly { readonly key: string; readonly message: string }[];
}

/** Reads what an agent says about toolsets. `known` are those of the workspace. Nothing is loaded. */
export function readAgentToolsets({ name, toolsets = {} }: Agent, known: readonly string[]): AgentToolsets {
  const read = Object.entries(toolsets).map(([key, entry]) => ({ key, is: readToolset(key, entry, known) }));
  return {
    toolsets: read.flatMap(({ is }) => (typeof is === "string" ? [] : [is])),
    problems: read.flatMap(({ key, is }) =>
      typeof is === "string" ? [{ key, message: `Agent "${name}": ${is}` }] : [],
    ),
  };
}

const FILESYSTEM: JsonSchema = {
  type: "object",
  properties: { paths: { type: "array", items: { type: "string" } }, readonly: { type: "boolean" } },
  additionalProperties: false,
};

const SHELL: JsonSchema = {
  type: "object",
  properties: { default: { enum: ["ask", "blocked"] }, rules: SHELL_RULES_SCHEMA },
  additionalProperties: false,
};

function readToolset(key: string, entry: Json, known: readonly string[]): AgentToolset | string {
  if (!isEmpty(entry)) {
    if (key === "filesystem")
      return known.includes(key) ? checked(key, entry, FILESYSTEM, toFiles) : unknown(key, known);
    if (key === "shell") return known.includes(key) ? checked(key, entry, SHELL, toShell) : unknown(key, known);
    const problem = nameProblem(key);
    if (problem !== undefined) return `the name of the toolset "${key}" ${problem}`;
    if (Object.hasOwn(Object(entry) as object, "command"))
      return checked(key, { ...(entry as object), name: key }, HOST_TOOL_SCHEMA, toCommand);
    if (Object.hasOwn(Object(entry) as object, "mcp")) return toServer(key, (entry as { mcp: Json }).mcp, known);
    return checked(key, entry, TOOLSET_SCHEMA, (value) => ({ kind: "code", key, entry: value as ToolsetEntry }));
  }
  return known.includes(key) ? { kind: "wanted", key } : unknown(key, known);
}

function checked(
  key: string,
  entry: Json,
  schema: JsonSchema,
  toToolset: (value: unknown) => AgentToolset,
): AgentToolset | string {
  const problems = checkConfig(schema, entry).map(({ path, message }) => `${path === "" ? "" : `${path}: `}${message}`);
  return problems.length > 0 ? `toolset "${key}": ${problems.join("; ")}` : toToolset(entry);
}

/** A server that the agent brings, or the name of one that the workspace has. */
function toServer(key: string, mcp: Json, known: readonly string[]): AgentToolset | string {
  if (mcp !== true && typeof mcp !== "string") {
    const read = readEntry(mcp);
    return "problem" in read ? `MCP server "${key}": ${read.problem}` : { kind: "server", key, server: read.server };
  }
  const name = typeof mcp === "string" ? mcp : key;
  return { kind: known.includes(name) ? "wanted" : "absent", key: name };
}

function toCommand(value: unknown): AgentToolset {
  return { kind: "command", entry: value as HostCommandEntry };
}

function toFiles(value: unknown): AgentToolset {
  return { kind: "filesystem", scope: value as FilesystemScope };
}

function toShell(value: unknown): AgentToolset {
  return { kind: "shell", policy: value as ShellPolicy };
}

// `filesystem: {}`, `filesystem:` and `filesystem: true` are three ways to write the same.
function isEmpty(entry: Json): boolean {
  return entry === null || entry === true || (typeof entry === "object" && Object.keys(entry).length === 0);
}

function unknown(key: string, known: readonly string[]): string {
  const near = nearest(key, known);
  const hint = near ? `, did you mean "${near}"?` : ".";
  return `there is no toolset "${key}"${hint} Known: ${known.join(", ") || "none"}; one that the agent brings itself needs package, module or command`;
}
