import { basename, dirname, extname } from "node:path";
import type { Agent } from "@pegboard/contract";
import type { AgentFile } from "../agents/agent-file.ts";
import { toName } from "../agents/agent-name.ts";
import { parseCommandFile } from "../agents/command-file.ts";
import { looksLikeAgent } from "../agents/foreign/detect.ts";
import { parseOpencodeAgents } from "../agents/foreign/whole-file.ts";
import { parseSkillFile } from "../agents/skill-file.ts";
import type { Diagnostic } from "../core/diagnostic.ts";
import { messageOf } from "../core/error.ts";
import type { FileReport } from "../core/file-report.ts";
import { parseLooseJson } from "../plugins/json-file.ts";
import { readNamedFiles } from "./agents/named-files.ts";
import { parseByEnding } from "./agents/parse-by-ending.ts";
import { agentNameOf } from "./agents/read-agents.ts";
import { readSmallText } from "./check-text.ts";
import type { FileGuess } from "./check-walk.ts";
import { brokenReport, type ReadFile, type Sort, toReport } from "./plugins/report.ts";
import { toServers } from "./plugins/servers.ts";

/** What is known around the files. */
export interface ForeignCheck {
  /** No link may lead out of it. */
  readonly root: string;
  /** The names that the workspace gives to models. */
  readonly models: readonly string[];
  /** What is wrong with an agent where it would run. */
  lint(agent: Agent, path: string, text: string): readonly Diagnostic[];
}

type Read = (text: string, path: string, check: ForeignCheck) => Promise<readonly FileReport[]> | readonly FileReport[];

const SORTS: Readonly<Record<FileGuess, Sort>> = {
  skill: { kind: "skill", format: "agent-skills" },
  command: { kind: "command", format: "claude" },
  agent: { kind: "agent", format: "pegboard" },
  opencode: { kind: "agent", format: "opencode" },
  servers: { kind: "mcp", format: "mcp" },
  text: { kind: "agent", format: "pegboard" },
  data: { kind: "agent", format: "unknown" },
};

const READERS: Readonly<Record<FileGuess, Read>> = {
  skill: readSkill,
  command: readCommand,
  agent: readAgent,
  text: (text, path, check) => (looksLikeAgent(text) ? readAgent(text, path, check) : []),
  data: readAgent,
  opencode: readOpencode,
  servers: readServers,
};

/**
 * Reports on one file of another program, or an agent of ours. Nothing for a file that turns out to be none of them. Never
 * rejects: what cannot be read is a report too.
 */
export async function checkForeign(
  { path, guess }: { readonly path: string; readonly guess: FileGuess },
  check: ForeignCheck,
): Promise<readonly FileReport[]> {
  try {
    return await READERS[guess](readSmallText(path, check.root), path, check);
  } catch (error) {
    // What only might have been something is not missed.
    return guess === "text" || guess === "data" ? [] : [brokenReport(path, SORTS[guess], messageOf(error))];
  }
}

function readSkill(text: string, path: string): readonly FileReport[] {
  const { skill, ...read } = parseSkillFile(text, { file: path, folder: basename(dirname(path)) });
  return [toReport(path, SORTS.skill, toRead(skill, read))];
}

function readCommand(text: string, path: string, { models }: ForeignCheck): readonly FileReport[] {
  const name = toName(basename(path, extname(path)).replaceAll(/_{2,}/g, "_"));
  if (name === undefined) return [brokenReport(path, SORTS.command, "no name can be made of the name of the file")];
  const { command, ...read } = parseCommandFile(text, { file: path, name, models });
  return [toReport(path, SORTS.command, toRead(command, read))];
}

async function readOpencode(
  text: string,
  path: string,
  { models, root }: ForeignCheck,
): Promise<readonly FileReport[]> {
  const { texts: files } = await readNamedFiles(text, path, root);
  return parseOpencodeAgents(text, { file: path, models, files }).map((parsed) => toAgentReport(path, parsed));
}

async function readAgent(
  text: string,
  path: string,
  { models, root, lint }: ForeignCheck,
): Promise<readonly FileReport[]> {
  const parsed = await parseByEnding(text, { file: path, name: agentNameOf(path), models, root });
  if (!parsed) return [];
  const more = parsed.agent ? lint(parsed.agent, path, text) : [];
  return [toAgentReport(path, { ...parsed, diagnostics: [...parsed.diagnostics, ...more] })];
}

function readServers(text: string, path: string): readonly FileReport[] {
  const { value, diagnostics } = parseLooseJson(text, path);
  if (!value) return [toReport(path, SORTS.servers, { loaded: false, fields: [], diagnostics })];
  const options = { format: "mcp", variables: {}, env: process.env, fill: (written: string) => written };
  return [toServers(value, path, options).report];
}

/** The report on the file of an agent. */
export function toAgentReport(path: string, { agent, format, rung, fields, diagnostics }: AgentFile): FileReport {
  return toReport(path, { kind: "agent", format }, toRead(agent, { rung, fields, diagnostics }));
}

function toRead(item: ReadFile["item"], read: Omit<ReadFile, "loaded" | "item">): ReadFile {
  return { ...read, loaded: item !== undefined, ...(item && { item }) };
}
