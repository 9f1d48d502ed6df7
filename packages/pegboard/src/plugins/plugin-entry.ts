import type { Json, Plugin, ToolContext } from "@pegboard/contract";
import type { Diagnostic } from "../core/diagnostic.ts";
import type { Limits } from "../core/limits.ts";
import type { SecretDeps } from "../core/secret.ts";
import type { PluginOrigin } from "./loaded-plugin.ts";
import type { PluginActs } from "./plugin-host.ts";
import type { Shelves, SwitchedOff } from "./shelves.ts";

/** How a plugin is added. */
export interface PluginEntry {
  readonly plugin: Plugin;
  /** Absent is that of a plugin that the host program made itself. */
  readonly origin?: PluginOrigin;
  /** What was found when it was read. */
  readonly diagnostics?: readonly Diagnostic[];
  readonly settings?: Json;
  readonly off?: SwitchedOff;
  /** What the plugin brings with these settings, as they are written, where that depends on them. It must not wait. */
  fill?(plugin: Plugin, settings: Json): Filled;
  /** Why it is not to be enabled yet. */
  readonly disabled?: string;
  /** Why it cannot be taken: it is listed as failed. */
  readonly refused?: readonly Diagnostic[];
}

/** What a plugin brings with its settings filled in. */
export interface Filled extends Pick<Plugin, "agents" | "commands" | "skills" | "mcpServers"> {
  /** What is left out for want of a setting, by what it is about. */
  readonly problems: Readonly<Record<string, string>>;
}

/** What the runtime lends its plugins. */
export interface PluginDeps extends SecretDeps {
  readonly shelves: Shelves;
  readonly limits: Limits;
  /** The task that the agent of a call works on, if any. */
  taskOf(context: ToolContext): string | undefined;
  /** How a plugin acts by itself, from `register` to `stop`. */
  actAs(plugin: string): PluginActs;
  /** How long `register`, `start`, `onStartFailed` and `stop` may each take, in milliseconds. */
  readonly stepMs: number;
}
