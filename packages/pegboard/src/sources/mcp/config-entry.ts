import type { McpServer } from "@pegboard/contract";
import { mapTexts, someText } from "../../core/map-texts.ts";
import { commandProblem, urlProblem } from "./server.ts";

/** What became of a field. `unsafe` would have widened what the server may do. */
export interface EntryNote {
  readonly field: string;
  readonly became: "approximated" | "ignored" | "unsafe";
  readonly note: string;
}

/** An entry, read. */
export type ReadEntry =
  | { readonly server: McpServer; readonly disabled: boolean; readonly notes: readonly EntryNote[] }
  | { readonly problem: string; readonly notes: readonly EntryNote[] };

type Entry = Readonly<Record<string, unknown>>;

const HTTP = ["http", "streamable-http", "streamableHttp", "streamable_http", "remote"];
const PROGRAM = ["stdio", "local"];

/** Fields that say who need not be asked. Only the operator says that. */
const WIDENING = ["trust", "alwaysAllow", "autoApprove", "alwaysLoad", "autoApproved"];
/** Fields that name the tools to use, and those that name the tools to leave out. */
const USED = [
  "tools",
  "includeTools",
  "include_tools",
  "enabledTools",
  "enabled_tools",
  "allowedTools",
  "allowed_tools",
];
const LEFT_OUT = ["excludeTools", "exclude_tools", "disabledTools", "disabled_tools", "blockedTools", "blocked_tools"];
const FOR_PROGRAMS = ["command", "args", "env", "environment", "cwd"];
const FOR_ADDRESSES = ["url", "httpUrl", "serverUrl", "headers", "http_headers"];
const FOR_BOTH = ["type", "transport", "disabled", "enabled", "name", "description", "title"];
const KNOWN = [...FOR_PROGRAMS, ...FOR_ADDRESSES, ...FOR_BOTH, ...USED, ...LEFT_OUT];

/** Reads one entry of a list of servers, in any of the spellings in use. Never throws. */
export function readEntry(entry: unknown): ReadEntry {
  if (typeof entry !== "object" || entry === null || Array.isArray(entry))
    return { problem: "it must be a mapping with command or url", notes: [] };
  const fields = mapTexts(entry as Entry, fromOpencode, (key) => key);
  const notes = notesOn(fields);
  if (someText(fields, (text) => text.includes("{file:")))
    return { problem: "{file:…} is not read: write what it holds as secret://name", notes };
  const reached = toServer(fields);
  if (typeof reached === "string") return { problem: reached, notes };
  const tools = toUsed(fields);
  if (typeof tools === "string") return { problem: tools, notes };
  const server: McpServer = tools ? { ...reached, tools } : reached;
  return { server, disabled: fields["disabled"] === true || fields["enabled"] === false, notes };
}

/** opencode writes `{env:NAME}` for what all others write as `${NAME}`. */
function fromOpencode(text: string): string {
  return text.replaceAll(/(?<!\$)\{env:([A-Za-z_]\w*)\}/g, "${$1}");
}

function toServer(entry: Entry): McpServer | string {
  const type = entry["type"] ?? entry["transport"];
  const isUrl = ["url", "httpUrl", "serverUrl"].some((key) => entry[key] !== undefined);
  if (type !== undefined && !["sse", ...HTTP, ...PROGRAM].includes(type as string))
    return `type ${JSON.stringify(type)} is not one of stdio, http, sse`;
  if (isUrl && entry["command"] !== undefined) return "it has both command and url: it must be one of them";
  if (isUrl) return toAddress(entry, type);
  return entry["command"] === undefined ? "it has neither command nor url" : toProgram(entry);
}

function toProgram(entry: Entry): McpServer | string {
  const { command: given, args: more = [], cwd } = entry;
  // opencode writes the program and its arguments as one list.
  const words = Array.isArray(given) ? given : [given];
  const args = [...words.slice(1), ...(Array.isArray(more) ? more : [undefined])];
  const [command] = words;
  if (typeof command !== "string") return "command must be a text";
  if (!args.every((word) => typeof word === "string" || typeof word === "number"))
    return "args must be a list of texts";
  const problem = commandProblem(command);
  if (problem !== undefined) return problem;
  const env = toTexts(entry["env"] ?? entry["environment"]);
  if (env === undefined) return "env must be a mapping of names to texts";
  if (cwd !== undefined && typeof cwd !== "string") return "cwd must be a text";
  return {
    command,
    ...(args.length > 0 && { args: args.map(String) }),
    ...(Object.keys(env).length > 0 && { env }),
    ...(cwd !== undefined && { cwd }),
  };
}

function toAddress(entry: Entry, type: unknown): McpServer | string {
  const url = entry["httpUrl"] ?? entry["url"] ?? entry["serverUrl"];
  if (typeof url !== "string") return "url must be a text";
  // What a variable stands for is checked when it is filled in.
  const problem = url.includes("${") ? undefined : urlProblem(url);
  if (problem !== undefined) return problem;
  const headers = toTexts(entry["headers"] ?? entry["http_headers"]);
  if (headers === undefined) return "headers must be a mapping of names to texts";
  const names = Object.keys(headers).map((name) => name.toLowerCase());
  const twice = names.find((name, index) => names.indexOf(name) < index);
  if (twice !== undefined) return `headers has ${twice} more than once`;
  const isHttp = entry["httpUrl"] !== undefined || (type !== "remote" && HTTP.includes(type as string));
  return {
    url,
    ...(type === "sse" ? { type: "sse" as const } : isHttp && { type: "http" as const }),
    ...(names.length > 0 && { headers }),
  };
}

/** Which tools are used, by any of the fields that say so. A field that cannot be read uses nothing: it would widen. */
function toUsed(entry: Entry): string[] | string | undefined {
  const used: string[] = [];
  for (const field of [...USED, ...LEFT_OUT].filter((name) => entry[name] !== undefined && entry[name] !== null)) {
    const names = entry[field];
    if (!Array.isArray(names) || !names.every((name): name is string => typeof name === "string" && name !== ""))
      return `${field} must be a list of names of tools`;
    if (USED.includes(field) && names.length === 0) return used.length === 0 ? [] : `${field} is empty`;
    used.push(...(LEFT_OUT.includes(field) ? names.map((name) => `!${name}`) : names));
  }
  return used.length === 0 ? undefined : used;
}

/** A mapping of texts, also written as a list of names and values; undefined when it is none. */
function toTexts(value: unknown): Record<string, string> | undefined {
  if (value === undefined || value === null) return {};
  const pairs: (readonly [unknown, unknown])[] = Array.isArray(value)
    ? value.map((pair: unknown) => [(Object(pair) as Entry)["name"], (Object(pair) as Entry)["value"]])
    : typeof value === "object"
      ? Object.entries(value)
      : [[undefined, undefined]];
  const isPlain = (one: unknown) => ["string", "number", "boolean"].includes(typeof one);
  if (!pairs.every(([name, one]) => typeof name === "string" && isPlain(one))) return undefined;
  return Object.fromEntries(pairs.map(([name, one]) => [name as string, String(one)]));
}

function notesOn(entry: Entry): EntryNote[] {
  return Object.keys(entry).flatMap((field): EntryNote[] => {
    if (WIDENING.includes(field))
      return [{ field, became: "unsafe", note: "who is asked is decided by the policy of the operator alone" }];
    if (KNOWN.includes(field)) return [];
    return [{ field, became: "ignored", note: "says nothing that Pegboard acts on" }];
  });
}
