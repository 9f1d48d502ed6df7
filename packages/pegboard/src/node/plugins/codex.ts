import { type ForeignFormat, readForeignPlugin } from "./foreign-manifest.ts";
import type { ForeignPluginDeps } from "./foreign-plugin.ts";
import { pathsOf, placesOf } from "./layout.ts";
import type { PluginFolder } from "./plugin-folder.ts";
import type { ReadPlugin } from "./read-plugin.ts";

const CODEX: ForeignFormat = {
  format: "codex",
  manifest: ".codex-plugin/plugin.json",
  mapped: ["skills", "mcpServers"],
  notes: { hooks: "not run yet", apps: "apps of another program" },
  layOut(manifest, { root, data }) {
    const environment = { PLUGIN_ROOT: root, PLUGIN_DATA: data };
    return {
      skills: pathsOf(manifest["skills"]) ?? ["skills"],
      servers: placesOf(manifest["mcpServers"]) ?? [".mcp.json"],
      hooks: placesOf(manifest["hooks"]) ?? ["hooks/hooks.json"],
      environment,
      variables: { ...environment, CLAUDE_PLUGIN_ROOT: root, CLAUDE_PLUGIN_DATA: data },
    };
  },
};

/** Reads a plugin of Codex: its skills and MCP servers. Its hooks are reported, and not run. */
export function readCodexPlugin(folder: PluginFolder, deps: ForeignPluginDeps): Promise<ReadPlugin> {
  return readForeignPlugin(folder, CODEX, deps);
}
