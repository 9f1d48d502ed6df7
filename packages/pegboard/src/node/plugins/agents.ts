import type { Agent } from "@pegboard/contract";
import { parseAgentFile } from "../../agents/agent-file.ts";
import { messageOf } from "../../core/error.ts";
import type { PluginFolder } from "./plugin-folder.ts";
import type { ReadItem } from "./read-item.ts";
import { brokenReport, type Sort, toReport } from "./report.ts";

/** How the agents of a plugin are read. */
export interface AgentOptions {
  readonly format: "claude" | "gemini";
  readonly models?: readonly string[] | undefined;
  /** Fills in variables of the instructions. */
  fill(text: string): string;
}

const MAX_DEPTH = 8;

/** Reads the agents in a folder and the folders below it; a path may also be one file. A bad one hurts no other. */
export async function readPluginAgents(
  folder: PluginFolder,
  path: string,
  options: AgentOptions,
): Promise<readonly ReadItem<Agent>[]> {
  const read: ReadItem<Agent>[] = [];
  const enter = async (at: string, depth: number): Promise<void> => {
    for (const { name, type } of (await folder.list(at)) ?? []) {
      const inner = `${at}/${name}`;
      if (type === "folder" && depth < MAX_DEPTH) await enter(inner, depth + 1);
      else if (type !== "folder" && isAgent(name)) read.push(await readPluginAgent(folder, inner, options));
    }
  };
  if ((await folder.typeOf(path)) === "file") return [await readPluginAgent(folder, path, options)];
  await enter(path, 1);
  return read;
}

function isAgent(name: string): boolean {
  return name.endsWith(".md") && name.toLowerCase() !== "readme.md";
}

async function readPluginAgent(
  folder: PluginFolder,
  path: string,
  { format, models, fill }: AgentOptions,
): Promise<ReadItem<Agent>> {
  const file = folder.absolute(path);
  const sort: Sort = { kind: "agent", format };
  try {
    const text = await folder.read(path);
    if (text === undefined) return { report: brokenReport(file, sort, "it is a link that leads nowhere") };
    const name = path.slice(path.lastIndexOf("/") + 1).replace(/\.md$/, "");
    const { agent, ...read } = parseAgentFile(text, { file, name, format, ...(models && { models }) });
    const report = toReport(file, sort, { ...read, loaded: agent !== undefined, ...(agent && { item: agent }) });
    return { ...(agent && { item: { ...agent, instructions: fill(agent.instructions) } }), report };
  } catch (error) {
    return { report: brokenReport(file, sort, messageOf(error)) };
  }
}
