import { type PluginRun, pluginRuns } from "./plugin-runs.ts";
import type { ReadPlugin } from "./read-plugin.ts";

/** What of a plugin would run, a line each, for a person who decides whether to trust it. */
export function describeRuns(plugin: ReadPlugin): string[] {
  return pluginRuns(plugin).map((run) => `plugin "${plugin.name}": ${describe(run)}`);
}

function describe({ kind, name, what }: PluginRun): string {
  if (kind === "code") return `module ${what}`;
  if (kind === "dependencies") return `installs what ${what} lists`;
  return kind === "tool" ? `tool "${name}" (command: ${what})` : `${kind} "${name}" (${what})`;
}
