import { sep } from "node:path";
import { parseGeminiCommand } from "../../plugins/gemini-command.ts";
import { type ForeignFormat, readForeignPlugin } from "./foreign-manifest.ts";
import type { ForeignPluginDeps } from "./foreign-plugin.ts";
import { placesOf } from "./layout.ts";
import type { PluginFolder } from "./plugin-folder.ts";
import type { ReadPlugin } from "./read-plugin.ts";

const GEMINI: ForeignFormat = {
  format: "gemini",
  manifest: "gemini-extension.json",
  mapped: ["mcpServers"],
  notes: {
    contextFileName: "no file is added to every conversation",
    excludeTools: "write tools that nobody may use as rules of the policy",
    settings: "nobody is asked for settings",
    migratedTo: "where it moved to is for people",
    themes: "for display",
    plan: "where plans are kept is decided by the workspace",
  },
  layOut(manifest, { root, project }) {
    return {
      agents: ["agents"],
      commands: ["commands"],
      commandFormat: { format: "gemini", ending: ".toml", read: parseGeminiCommand },
      skills: ["skills"],
      servers: placesOf(manifest["mcpServers"]) ?? [],
      hooks: ["hooks/hooks.json"],
      policies: "policies",
      environment: {},
      variables: { extensionPath: root, workspacePath: project, "/": sep, pathSeparator: sep },
    };
  },
};

/** Reads an extension of Gemini: its agents, commands, skills and MCP servers. Its hooks are reported, and not run. */
export function readGeminiExtension(folder: PluginFolder, deps: ForeignPluginDeps): Promise<ReadPlugin> {
  return readForeignPlugin(folder, GEMINI, deps);
}
