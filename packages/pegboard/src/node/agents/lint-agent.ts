import type { Agent } from "@pegboard/contract";
import type { Diagnostic } from "../../core/diagnostic.ts";
import { candidates } from "../../core/bare-name.ts";
import { matchesName, SEPARATOR } from "../../core/name.ts";
import { nearest } from "../../core/nearest.ts";
import type { Registry } from "../../core/registry.ts";
import { knownToolsets } from "./load-toolsets.ts";
import { readAgentToolsets } from "./toolset-entries.ts";

/** An agent, with the file that it stands in. */
export interface AgentText {
  readonly agent: Agent;
  readonly file?: string | undefined;
  /** Where lines are looked up; without it none is told. */
  readonly text?: string | undefined;
  /** The plugin that brings it: a bare name is its tool first. */
  readonly plugin?: string | undefined;
}

/** What else stands in a list is told where the file is read. */
const NAME = /^[A-Za-z*][A-Za-z0-9_*-]*$/;

/**
 * What an agent says about tools and toolsets that are not on this board: nothing of it will be there when it runs. What
 * begins with one of `unseen` is not judged: the tools of such a source are known once it runs.
 */
export function lintAgent(
  { agent, file, text, plugin }: AgentText,
  board: Registry,
  unseen: readonly string[] = [],
): Diagnostic[] {
  const { tools = [], promptTools = [], toolsets = {}, requirements = {} } = agent;
  const names = [...board.names(), ...promptTools.map(({ name }) => name), ...Object.keys(toolsets)];
  const listed = [
    tools,
    ...promptTools.map((tool) => tool.tools ?? []),
    requirements.oneOf ?? [],
    requirements.all ?? [],
  ];
  const entries = new Set(listed.flat());
  const patterns = new Set(Array.from(entries, (entry) => entry.replace(/^!/, "")));
  const meant = (pattern: string) => (names.includes(pattern) ? [pattern] : candidates(pattern, board, plugin));
  const at = (word: string) => ({ ...(file !== undefined && { file }), ...(text !== undefined && toLine(text, word)) });
  return [
    ...Array.from(patterns)
      .filter((pattern) => NAME.test(pattern) && !isOf([...Object.keys(toolsets), ...unseen], pattern))
      .filter((pattern) => !names.some((name) => matchesName(pattern, name)) && meant(pattern).length === 0)
      .map((pattern): Diagnostic => ({ ...unknownTool(pattern, names), ...at(pattern) })),
    ...Array.from(entries)
      .filter((entry) => !entry.startsWith("!") && meant(entry).length > 1)
      .map((bare): Diagnostic => ({ ...ambiguousTool(bare, meant(bare)), ...at(bare) })),
    ...readAgentToolsets(agent, [...knownToolsets(board), ...unseen]).problems.map(({ key, message }): Diagnostic => ({
      severity: "error",
      code: "unknown_toolset",
      message,
      ...at(key),
    })),
  ];
}

/** Which tools these sources will bring is known when they are loaded. */
function isOf(sources: readonly string[], pattern: string): boolean {
  const at = pattern.indexOf(SEPARATOR);
  return at > 0 && sources.includes(pattern.slice(0, at));
}

function unknownTool(pattern: string, names: readonly string[]): Diagnostic {
  const slip = nearest(pattern, names);
  const message = pattern.includes("*")
    ? `no tool matches "${pattern}"`
    : `there is no tool "${pattern}"${slip === undefined ? "" : `, did you mean "${slip}"?`}`;
  return { severity: "warning", code: "unknown_tool", message };
}

function ambiguousTool(bare: string, meant: readonly string[]): Diagnostic {
  const message = `"${bare}" stands for several tools, so it allows none: ${meant.join(", ")}`;
  return { severity: "error", code: "ambiguous_tool", message, fix: "write the one that is meant" };
}

function toLine(text: string, word: string): { readonly line?: number } {
  const isIn = (line: string) => line.split(/[^\w*-]+/).includes(word);
  const index = text.split("\n").findIndex(isIn);
  return index < 0 ? {} : { line: index + 1 };
}
