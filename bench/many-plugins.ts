import type { PluginEntry } from "pegboard";
import { DESCRIPTION, type SearchInput, search, toolName, toSchema } from "./search-tool.ts";

/** How many tools each plugin has. */
export const TOOLS = 10;

/** Plugins that differ in their names alone, each with tools, an agent and a hook. */
export function toPlugins(count: number, first = 0): PluginEntry[] {
  return Array.from({ length: count }, (_, index) => ({
    plugin: {
      name: `plugin-${first + index}`,
      version: "1.0.0",
      tools: Array.from({ length: TOOLS }, (_each, tool) => ({
        name: toolName(tool),
        description: DESCRIPTION,
        schema: toSchema(),
        handler: (_host: unknown, input: SearchInput) => search(input),
      })),
      agents: [{ name: "helper", description: "Helps with the catalogue", instructions: "Search before you answer." }],
      register: () => ({ beforeCall: () => undefined }),
    },
  }));
}
