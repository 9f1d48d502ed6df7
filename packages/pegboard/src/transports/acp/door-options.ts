import type { AnyTool } from "../../core/registry.ts";
import type { Desk } from "../desk.ts";
import type { HangServer } from "./servers.ts";

/** How clients of the Agent Client Protocol are served. */
export interface AcpDoorOptions {
  readonly name: string;
  readonly version: string;
  /** The agent that is talked with unless the client chooses another; `assistant` when absent. */
  readonly agent?: string;
  /** Whether clients are asked for approval, and may say how; `false` where the desk decides without asking. */
  readonly asks?: boolean;
  /** The desk for sessions in a folder; without a folder, that of the door itself. */
  desk(cwd?: string): Promise<Desk>;
  /** The absolute path that a tool means by a path of its input; undefined when that is no file of the machine. */
  realPath?(tool: AnyTool, path: string): string | undefined;
  /** Hangs the MCP servers that clients hand over; absent leaves them out. */
  readonly hangServer?: HangServer;
  /** Says what goes wrong besides. */
  warn?(message: string): void;
}
