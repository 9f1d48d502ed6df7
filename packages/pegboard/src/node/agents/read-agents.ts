import { closeSync, existsSync, fstatSync, readdirSync, readFileSync } from "node:fs";
import { basename, extname, join, relative, sep } from "node:path";
import type { Agent, Json } from "@pegboard/contract";
import type { AgentFile } from "../../agents/agent-file.ts";
import type { Diagnostic } from "../../core/diagnostic.ts";
import { messageOf, PegboardError } from "../../core/error.ts";
import { describeServer } from "../../sources/mcp/server.ts";
import { openInside } from "../files/read-inside.ts";
import { serverFiles } from "../mcp/server-files.ts";
import { AGENTS_FOLDER, fromFile } from "../places.ts";
import { statOf } from "../stat-of.ts";
import { agentServer } from "./agent-server.ts";
import { parseByEnding } from "./parse-by-ending.ts";

/** One file of an agent, read; nothing of it has run. */
export interface ReadAgent extends AgentFile {
  readonly file: string;
  readonly layer: "user" | "project";
  /** Empty when it cannot be read. */
  readonly text: string;
  /** The code that it would run, in words. */
  readonly imports: readonly string[];
  /** The local files among that, and those that its text was filled in from. */
  readonly importedFiles: readonly string[];
}

/** More than this is no agent's file. */
const MAX_BYTES = 256 * 1024;

/**
 * The agents of a workspace, and those of the person; `models` are the names that the workspace gives to models. Only reads,
 * and never throws for what is in the files.
 */
export async function readAgents(
  workspace: string | undefined,
  home: string,
  models?: readonly string[],
): Promise<ReadAgent[]> {
  const own = join(home, AGENTS_FOLDER);
  return [
    ...(await readFolder(own, own, "user", models)),
    ...(workspace === undefined ? [] : await readFolder(join(workspace, AGENTS_FOLDER), workspace, "project", models)),
  ];
}

/** Reads one file below `root`, which no link may lead out of. Undefined: it is no agent's. */
async function readAgent(
  file: string,
  root: string,
  layer: ReadAgent["layer"],
  models: readonly string[] | undefined,
): Promise<ReadAgent | undefined> {
  const name = agentNameOf(file);
  try {
    const text = await readText(file, root);
    const parsed = await parseByEnding(text, { file, name, models, root });
    if (!parsed) return undefined;
    const agent = parsed.agent && withFixedPaths(parsed.agent, file);
    const code = Object.entries(agent?.toolsets ?? {}).filter(([key, entry]) => bringsCode(key, entry));
    return {
      ...parsed,
      ...(agent && { agent }),
      file,
      layer,
      text,
      imports: code.map(([key, entry]) => `agent "${agent!.name}": toolset "${key}" (${describeCode(entry)})`),
      importedFiles: [...parsed.filledFrom, ...code.flatMap(([, entry]) => filesOf(entry, root))],
    };
  } catch (error) {
    const diagnostic: Diagnostic = { severity: "error", code: "not_loaded", message: messageOf(error), file };
    const none = { fields: [], imports: [], importedFiles: [], rung: "none", format: "pegboard" } as const;
    return { ...none, diagnostics: [diagnostic], file, layer, text: "" };
  }
}

/** Whether a file in a folder of agents may be one: a text about the folder is not. */
function isAgentFile(name: string): boolean {
  return ENDINGS.includes(extname(name)) && name.toLowerCase() !== "readme.md";
}

const ENDINGS = [".md", ".toml", ".yaml", ".yml", ".json"];

/** What an agent is called when its file does not say: `reviewer` for `reviewer.md` and `reviewer.agent.md`. */
export function agentNameOf(file: string): string {
  return basename(file, extname(file)).replace(/\.(?:agent|chatmode)$/, "");
}

async function readFolder(
  folder: string,
  root: string,
  layer: ReadAgent["layer"],
  models: readonly string[] | undefined,
): Promise<ReadAgent[]> {
  if (!existsSync(folder)) return [];
  const names = readdirSync(folder).filter(isAgentFile).sort();
  const read = await Promise.all(names.map((name) => readAgent(join(folder, name), root, layer, models)));
  return read.filter((one) => one !== undefined);
}

async function readText(file: string, root: string): Promise<string> {
  const fd = await openInside(root, relative(root, file).split(sep).join("/"));
  try {
    const { size } = fstatSync(fd);
    if (size > MAX_BYTES)
      throw new PegboardError("invalid_config", `it has ${size} bytes; the file of an agent has at most ${MAX_BYTES}`);
    return readFileSync(fd, "utf8");
  } finally {
    closeSync(fd);
  }
}

/** The paths in an agent's file start at the file; an agent can be run from anywhere. */
function withFixedPaths(agent: Agent, file: string): Agent {
  if (!agent.toolsets) return agent;
  const toolsets = Object.entries(agent.toolsets).map(([key, entry]): [string, Json] => {
    const { module, command } = toCode(entry);
    if (module !== undefined) return [key, { ...(entry as object), module: fromFile(file, module) }];
    if (command === undefined) return [key, entry];
    const words = command.map((word) => (isFile(fromFile(file, word)) ? fromFile(file, word) : word));
    return [key, { ...(entry as object), command: words }];
  });
  return { ...agent, toolsets: Object.fromEntries(toolsets) };
}

/** What is neither a word about files and commands that are there anyway, nor the mere name of a toolset. */
function bringsCode(key: string, entry: Json): boolean {
  const isEmpty = typeof entry !== "object" || entry === null || Object.keys(entry).length === 0;
  return !isEmpty && key !== "filesystem" && key !== "shell" && agentServer(entry) !== "named";
}

function filesOf(entry: Json, root: string): string[] {
  const { module, command = [] } = toCode(entry);
  const server = agentServer(entry);
  if (server !== undefined && server !== "named") return serverFiles(server, root);
  return [...(module === undefined ? [] : [module]), ...command.filter(isFile)];
}

function describeCode(entry: Json): string {
  const { package: name, module, command } = toCode(entry);
  const server = agentServer(entry);
  if (server !== undefined && server !== "named") return `MCP server, ${describeServer(server)}`;
  if (name !== undefined) return `package ${name}`;
  return module ?? (command ? `command: ${JSON.stringify(command)}` : JSON.stringify(entry).slice(0, 200));
}

interface Code {
  readonly package?: string;
  readonly module?: string;
  readonly command?: readonly string[];
}

/** The code that an entry names, as far as it is what it should be. */
function toCode(entry: Json): Code {
  const { package: name, module, command } = Object(entry) as Record<string, unknown>;
  const isWords = Array.isArray(command) && command.every((word) => typeof word === "string");
  return {
    ...(typeof name === "string" && { package: name }),
    ...(typeof module === "string" && { module }),
    ...(isWords && { command }),
  };
}

function isFile(path: string): boolean {
  return statOf(path)?.isFile() ?? false;
}
