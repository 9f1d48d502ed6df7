import { toSourceName } from "../../sources/mcp/names.ts";

/** Brings names of tools to what the tools of a plugin's own servers are called here. */
export type RenameTools = (tools: readonly string[]) => readonly string[];

/**
 * How the agents and commands of a plugin name the tools of its servers: `db__query`, or `plugin_acme_db__query` as Claude
 * Code has it, is `acme-db__query` here. All other names stay.
 */
export function ownTools(plugin: string, servers: readonly string[]): RenameTools {
  const prefixes = servers.flatMap((server) => {
    const own = `${toSourceName(server, plugin)}__`;
    return [`plugin_${plugin}_${server}__`, `${server}__`].map((written) => [written, own] as const);
  });
  const rename = (tool: string) => {
    const found = prefixes.find(([written]) => tool.startsWith(written));
    return found ? found[1] + tool.slice(found[0].length) : tool;
  };
  return (tools) => tools.map((tool) => (tool.startsWith("!") ? `!${rename(tool.slice(1))}` : rename(tool)));
}
