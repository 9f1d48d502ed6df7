import type { FileReport } from "../../core/file-report.ts";
import { isAgentPlugin } from "../../plugins/agent-plugin.ts";
import { parseJsonFile } from "../../plugins/json-file.ts";
import { type CommandPluginDeps, MANIFEST_FILE, readCommandPlugin } from "./command-plugin.ts";
import { CLAUDE_MANIFEST, type ForeignPluginDeps } from "./foreign-plugin.ts";
import type { PluginFolder } from "./plugin-folder.ts";
import type { ReadPlugin } from "./read-plugin.ts";

/** Reads a folder with a `plugin.json`: one of ours, or that of an Agent Plugin, which its `$schema` tells. Never rejects. */
export async function readRootManifest(
  folder: PluginFolder,
  deps: CommandPluginDeps & ForeignPluginDeps,
): Promise<ReadPlugin> {
  // What cannot be read is told by whoever reads it next.
  const text = await folder.read(MANIFEST_FILE).catch(() => undefined);
  const { value } = parseJsonFile(text ?? "", MANIFEST_FILE);
  if (!value || !isAgentPlugin(value)) return readCommandPlugin(folder, deps);
  const portable = await (await import("./agent-plugin.ts")).readAgentPlugin(folder, deps);
  if ((await folder.typeOf(CLAUDE_MANIFEST).catch(() => undefined)) !== "file") return portable;
  return withClaude(portable, await (await import("./claude.ts")).readClaudePlugin(folder, deps));
}

/** The agents and commands that the same folder has for Claude Code: an Agent Plugin can have neither. */
function withClaude(portable: ReadPlugin, { loaded: claude }: ReadPlugin): ReadPlugin {
  if (!portable.loaded || !claude) return portable;
  const { plugin } = portable.loaded;
  const { agents = [] } = plugin;
  const more = (claude.plugin.agents ?? []).filter(({ name }) => agents.every((one) => one.name !== name));
  const isMore = ({ kind }: FileReport) => ["agent", "command", "hooks"].includes(kind);
  const reports = [...portable.reports, ...claude.reports.filter(isMore)];
  return {
    ...portable,
    reports,
    loaded: {
      ...portable.loaded,
      plugin: { ...plugin, agents: [...agents, ...more], commands: claude.plugin.commands ?? [] },
      reports,
    },
  };
}
