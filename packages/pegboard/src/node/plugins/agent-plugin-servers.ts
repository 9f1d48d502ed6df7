import { resolve, sep } from "node:path";
import type { McpServer } from "@pegboard/contract";
import type { Diagnostic } from "../../core/diagnostic.ts";
import type { FieldReport } from "../../core/file-report.ts";
import { pointerSegment } from "../../core/json.ts";
import { fillVariables } from "../../plugins/variables.ts";
import { isObject, parseJsonFile } from "../../plugins/json-file.ts";

const SCHEMA = "https://agent-plugins.org/schemas/1.0.0/mcp.schema.json";

/** Where the plugin is, and where it keeps what it makes: absolute paths. */
export interface PluginPlaces {
  readonly root: string;
  readonly data: string;
}

/** The servers of an Agent Plugin. Folders and programs that they name may still lead out of it through links. */
export interface AgentPluginServers {
  readonly servers: Readonly<Record<string, McpServer>>;
  readonly diagnostics: readonly Diagnostic[];
  readonly fields: readonly FieldReport[];
}

/**
 * Reads the `mcp.json` of an Agent Plugin, version 1.0.0. What is wrong with the file leaves out all servers, what is wrong
 * with one leaves out that one. Only `${PLUGIN_ROOT}` and `${PLUGIN_DATA}` are filled in, once, and only where the
 * specification has them; whatever else looks like a variable is text. Never throws.
 */
export function parseAgentPluginServers(text: string, file: string, places: PluginPlaces): AgentPluginServers {
  const { value, diagnostics: faults, at } = parseJsonFile(text, file);
  if (!value) return { servers: {}, diagnostics: faults, fields: [] };
  const fail = (pointer: string, message: string): Diagnostic => ({
    severity: "error",
    code: "invalid_value",
    message,
    file,
    ...at(pointer),
  });
  const problem = fileProblem(value);
  if (problem !== undefined)
    return { servers: {}, diagnostics: [fail("", `${problem}: no server is used`)], fields: [] };
  const servers: Record<string, McpServer> = {};
  const diagnostics: Diagnostic[] = [];
  const fields: FieldReport[] = [];
  for (const [name, entry] of Object.entries(value["mcpServers"] as object)) {
    const server = toServer(entry, places);
    const isGood = typeof server !== "string";
    fields.push({ field: `mcpServers.${name}`, became: isGood ? "mapped" : "ignored" });
    if (isGood) Object.defineProperty(servers, name, { value: server, enumerable: true });
    else diagnostics.push(fail(`/mcpServers${pointerSegment(name)}`, `server "${name}" is left out: ${server}`));
  }
  return { servers, diagnostics, fields };
}

function fileProblem(value: Readonly<Record<string, unknown>>): string | undefined {
  if (value["$schema"] !== SCHEMA) return `$schema must be "${SCHEMA}"`;
  if (!isObject(value["mcpServers"])) return "mcpServers must be an object";
  const other = Object.keys(value).find((key) => key !== "$schema" && key !== "mcpServers");
  return other === undefined ? undefined : `unknown key "${other}"`;
}

/** The keys of each kind of server; any other is an error. */
const KEYS: Readonly<Record<string, readonly string[]>> = {
  stdio: ["type", "command", "args", "env", "cwd"],
  "streamable-http": ["type", "url", "headers"],
  sse: ["type", "url", "headers"],
};

function toServer(entry: unknown, places: PluginPlaces): McpServer | string {
  if (!isObject(entry)) return "it must be an object";
  const { type } = entry;
  if (typeof type !== "string" || !Object.hasOwn(KEYS, type)) return "type must be one of stdio, streamable-http, sse";
  const other = Object.keys(entry).find((key) => !KEYS[type]!.includes(key));
  if (other !== undefined) return `unknown key "${other}"`;
  return type === "stdio" ? toProgram(entry, places) : toAddress(entry, type === "sse" ? "sse" : "http");
}

function toProgram(entry: Readonly<Record<string, unknown>>, places: PluginPlaces): McpServer | string {
  const { command, args = [], env = {}, cwd = "./" } = entry;
  if (typeof command !== "string" || !/^(?:\.\/.+|[^/\\\s${}]+)$/.test(command))
    return "command must be one program: a name, or a path that begins with ./";
  if (!Array.isArray(args) || !args.every((word) => typeof word === "string")) return "args must be a list of texts";
  if (!isTexts(env)) return "env must map names to texts";
  const reserved = Object.keys(env).find((name) => ["PLUGIN_ROOT", "PLUGIN_DATA"].includes(name));
  if (reserved !== undefined) return `env must not set ${reserved}: it is always set`;
  if (typeof cwd !== "string" || !/^(?:\.\/|\$\{PLUGIN_(?:ROOT|DATA)\}(?:\/|$))/.test(cwd))
    return "cwd must begin with ./, ${PLUGIN_ROOT} or ${PLUGIN_DATA}";
  const variables = { PLUGIN_ROOT: places.root, PLUGIN_DATA: places.data };
  const fill = (text: string) => fillVariables(text, variables);
  const base = cwd.startsWith("${PLUGIN_DATA}") ? places.data : places.root;
  const folder = resolve(places.root, fill(cwd));
  if (!isBelow(base, folder)) return "cwd must not lead out of the plugin";
  const program = command.startsWith("./") ? resolve(places.root, command) : command;
  if (program !== command && !isBelow(places.root, program)) return "command must not lead out of the plugin";
  return {
    command: program,
    args: args.map(fill),
    env: {
      ...Object.fromEntries(Object.entries(env).map(([name, value]) => [name, fill(value)])),
      ...variables,
    },
    cwd: folder,
    literal: true,
  };
}

function isBelow(folder: string, path: string): boolean {
  return path === folder || path.startsWith(folder + sep);
}

// A token of HTTP, and what may stand behind its colon.
const HEADER = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
const HEADER_VALUE = /^(?:[\x21-\x7e\x80-\xff](?:[\t\x20-\x7e\x80-\xff]*[\x21-\x7e\x80-\xff])?)?$/;

function toAddress(entry: Readonly<Record<string, unknown>>, type: "http" | "sse"): McpServer | string {
  const { url, headers = {} } = entry;
  const problem = addressProblem(url);
  if (problem !== undefined) return problem;
  if (!isTexts(headers)) return "headers must map names to texts";
  const names = Object.keys(headers).map((name) => name.toLowerCase());
  const twice = names.find((name, index) => names.indexOf(name) < index);
  if (twice !== undefined) return `headers has "${twice}" twice: case does not count`;
  const bad = Object.entries(headers).find(([name, value]) => !HEADER.test(name) || !HEADER_VALUE.test(value));
  if (bad) return `headers: ${JSON.stringify(bad[0].slice(0, 80))} is no header of HTTP`;
  return { url: url as string, type, literal: true, ...(names.length > 0 && { headers }) };
}

function addressProblem(url: unknown): string | undefined {
  const parsed = typeof url === "string" && /^https?:\/\//i.test(url) ? URL.parse(url) : null;
  if (!parsed || /[\s\\]/.test(url as string)) return "url must be an address that begins with https:// or http://";
  if (parsed.username !== "" || parsed.password !== "" || /^https?:\/\/[^/?#]*@/i.test(url as string))
    return "url must not hold a name or a password";
  if ((url as string).includes("#")) return "url must not have a part behind #";
  if (parsed.protocol === "http:" && !isLoopback(parsed.hostname))
    return "url must begin with https://: only this machine itself may be reached by http://";
  return undefined;
}

function isLoopback(host: string): boolean {
  return host === "localhost" || host === "[::1]" || /^127(?:\.\d+){3}$/.test(host);
}

function isTexts(value: unknown): value is Readonly<Record<string, string>> {
  return isObject(value) && Object.values(value).every((one) => typeof one === "string");
}
