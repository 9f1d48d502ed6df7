import { markdownCommands } from "./commands.ts";
import { type ForeignFormat, readForeignPlugin } from "./foreign-manifest.ts";
import { CLAUDE_MANIFEST, type ForeignPluginDeps } from "./foreign-plugin.ts";
import { pathsOf, placesOf } from "./layout.ts";
import type { PluginFolder } from "./plugin-folder.ts";
import type { ReadPlugin } from "./read-plugin.ts";
import { readUserConfig } from "./user-config.ts";

const CLAUDE: ForeignFormat = {
  format: "claude",
  manifest: CLAUDE_MANIFEST,
  mapped: ["agents", "commands", "skills", "mcpServers", "userConfig"],
  notes: {
    hooks: "not run yet",
    dependencies: "other plugins are not installed",
    defaultEnabled: "the workspace says what is enabled",
    settings: "settings of another program",
    lspServers: "there are no language servers",
  },
  layOut(manifest, { root, data, project }, { models }) {
    const environment = { CLAUDE_PLUGIN_ROOT: root, CLAUDE_PLUGIN_DATA: data };
    return {
      // Paths of agents and commands stand instead of the usual folders, those of skills besides them.
      agents: pathsOf(manifest["agents"]) ?? ["agents"],
      commands: pathsOf(manifest["commands"]) ?? ["commands"],
      commandFormat: markdownCommands(models),
      skills: ["skills", ...(pathsOf(manifest["skills"]) ?? [])],
      servers: [".mcp.json", ...(placesOf(manifest["mcpServers"]) ?? [])],
      hooks: ["hooks/hooks.json", ...(placesOf(manifest["hooks"]) ?? [])],
      environment,
      variables: { ...environment, CLAUDE_PROJECT_DIR: project },
      userConfig: readUserConfig(manifest["userConfig"]),
      skillVariable: "CLAUDE_SKILL_DIR",
    };
  },
};

/** Reads a plugin of Claude Code: its agents, commands, skills and MCP servers. Its hooks are reported, and not run. */
export function readClaudePlugin(folder: PluginFolder, deps: ForeignPluginDeps): Promise<ReadPlugin> {
  return readForeignPlugin(folder, CLAUDE, deps);
}
