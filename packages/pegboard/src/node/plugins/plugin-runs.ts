import type { ReadPlugin } from "./read-plugin.ts";

/** Something that a plugin would run or reach. */
export interface PluginRun {
  readonly kind: "code" | "tool" | "MCP server" | "dependencies";
  readonly name: string;
  /** The module, the command as a list of words, the address, or the file that lists packages. */
  readonly what: string;
}

/** What a plugin would run or reach, as far as reading tells. */
export function pluginRuns({ loaded, code, origin, runs = {}, surroundings }: ReadPlugin): readonly PluginRun[] {
  const file = origin.file ?? origin.folder ?? "";
  return [
    ...(code ? [{ kind: "code", name: "module", what: file } as const] : []),
    ...Object.entries(runs).map(([name, argv]): PluginRun => ({ kind: "tool", name, what: JSON.stringify(argv) })),
    ...Object.entries(loaded?.plugin.mcpServers ?? {}).map(([name, server]): PluginRun => {
      const what = "url" in server ? server.url : JSON.stringify([server.command, ...(server.args ?? [])]);
      return { kind: "MCP server", name, what };
    }),
    ...(surroundings ? [{ kind: "dependencies", name: "packages", what: surroundings.file } as const] : []),
  ];
}
