import type { McpServer } from "@pegboard/contract";
import { messageOf } from "../../core/error.ts";
import type { Registry } from "../../core/registry.ts";
import type { AttachedServer, AttachOptions } from "./attach-server.ts";

// Few plugins have servers, and every start would pay for them.
const servers = () => import("./attach-server.ts");

/** What the servers of plugins are attached with; `resolve` is also told which server it is. */
export interface PluginServersDeps extends Pick<AttachOptions, "pool" | "pins" | "prompts" | "resources"> {
  resolve?(name: string, server: McpServer): Promise<McpServer>;
}

/** Hangs a server of a plugin up until it is disposed. */
type HangServer = (
  name: string,
  server: McpServer,
  owner: { readonly plugin: string; readonly file?: string },
  report: (problem?: string) => void,
) => Disposable;

/**
 * Makes the MCP servers of plugins be had: what `createRuntime` takes as `plugins.mcpServer`. Both are asked for when the
 * first plugin brings a server.
 */
export function pluginMcpServers(
  board: () => Registry,
  deps: () => PluginServersDeps | Promise<PluginServersDeps>,
): HangServer {
  return (name, server, owner, report) => {
    let attached: AttachedServer | undefined;
    let over = false;
    const attach = async () => {
      const [{ resolve, ...options }, { attachMcpServer }] = await Promise.all([deps(), servers()]);
      if (over) return;
      attached = attachMcpServer(board(), name, server, {
        ...options,
        ...owner,
        ...(resolve && { resolve: (written) => resolve(name, written) }),
        changed: ({ problem }) => {
          if (!over) report(problem);
        },
      });
    };
    void attach().catch((error: unknown) => report(messageOf(error)));
    return {
      [Symbol.dispose]() {
        over = true;
        attached?.[Symbol.dispose]();
      },
    };
  };
}
