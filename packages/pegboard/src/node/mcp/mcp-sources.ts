import type { Tool } from "@pegboard/contract";
import type { Diagnostic } from "../../core/diagnostic.ts";
import { messageOf } from "../../core/error.ts";
import type { AnyTool } from "../../core/registry.ts";
import { toSourceName } from "../../sources/mcp/names.ts";
import { describeServer } from "../../sources/mcp/server.ts";
import type { Config } from "../config-file.ts";
import { stamp } from "../stamp.ts";
import type { LoadedSource, WorkspaceSource } from "../workspace-source.ts";
import { serverFiles } from "./server-files.ts";
import type { WorkspaceServers } from "./workspace-servers.ts";

/** What the sources of servers are made with. */
export interface McpPlaces {
  readonly workspace: string;
  /** Where servers live; whoever only reads has none. */
  servers?(): Promise<WorkspaceServers>;
}

/** The MCP servers of a configuration, or of an agent. Only reads. */
export function mcpSources({ mcpServers }: Pick<Config, "mcpServers">, places: McpPlaces): WorkspaceSource[] {
  return Array.from(mcpServers, ([name, { entry, file, line }]) => {
    const { server, list } = entry;
    const source = toSourceName(name);
    const key = `mcp ${source}`;
    const files = serverFiles(server, places.workspace);
    const named = [...(list === undefined ? [] : [list]), ...files];
    return {
      key,
      signature: JSON.stringify([server, named.map(stamp)]),
      label: `MCP server "${name}" (${describeServer(server)})`,
      files: named,
      options: { layer: "user", prefix: source, source: { kind: "mcp", id: source, file: list ?? file } },
      load: async (sandbox) => {
        // Nothing is started merely to be looked at.
        if (!places.servers) return { tools: [], diagnostics: [] };
        return load(
          async () => {
            const servers = await places.servers!();
            return servers.load({ source, server, files, changed: () => sandbox.changed(key) });
          },
          `MCP server "${name}"`,
          { file, line },
        );
      },
    };
  });
}

async function load(
  start: () => ReturnType<WorkspaceServers["load"]>,
  what: string,
  origin: Pick<Diagnostic, "file" | "line">,
): Promise<LoadedSource> {
  // Without one server everything else works.
  const warn = (message: string): Diagnostic => ({ severity: "warning", code: "mcp_server", message, ...origin });
  try {
    const loaded = await start();
    return {
      tools: loaded.tools,
      judgeOf: (tool: AnyTool) => loaded.judgeOf(tool as Tool),
      diagnostics: loaded.warnings.map((warning) => warn(`${what}: ${warning}`)),
      offers: loaded.offers,
      release: () => loaded[Symbol.dispose](),
    };
  } catch (error) {
    return { tools: [], diagnostics: [warn(messageOf(error))] };
  }
}
