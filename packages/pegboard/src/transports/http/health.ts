import type { Desk } from "../desk.ts";
import type { PluginView } from "../native/command-types.ts";

/** How a server is: `stopping` from the moment on when it takes no more work. */
export interface Health {
  readonly status: "ok" | "stopping";
  readonly version: string;
  /** How many calls and runs are at work. */
  readonly work: number;
  readonly plugins: readonly PluginView[];
}

/** How the server of a desk is now. A plugin that failed does not make the server fail: it is named. */
export function healthOf(desk: Desk, version: string, plugins: readonly PluginView[]): Health {
  return { status: desk.closing ? "stopping" : "ok", version, work: desk.atWork, plugins };
}
