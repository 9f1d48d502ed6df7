import type { Runtime } from "../../runtime.ts";
import type { RunningServer, ServerOptions } from "./serve-runtime.ts";

/**
 * Opens every door of a runtime at one port: MCP, our own protocol, health and metrics, behind one lock. Rejects with
 * `invalid_config` for an address that other machines can reach and that was not allowed, with `unavailable` when it cannot
 * be had. The runtime is the caller's to close.
 */
export async function startServer(runtime: Runtime, options: ServerOptions): Promise<RunningServer> {
  // Whoever serves nothing does not load the protocols.
  const { serveRuntime } = await import("./serve-runtime.ts");
  return serveRuntime(runtime, options);
}
