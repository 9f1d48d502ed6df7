import type { Desk } from "../desk.ts";
import { createChats } from "../chats.ts";
import type { NativeDeps } from "./command.ts";
import type { PluginView } from "./command-types.ts";

/** What the protocol is told beside the desk. */
export interface NativeOptions {
  /** How the plugins stand; by default those that are enabled. */
  readonly plugins?: () => readonly PluginView[];
}

/** Makes what the edges of our own protocol share: one for each desk, so that all doors hold the same conversations. */
export function createNative(desk: Desk, { plugins }: NativeOptions = {}): NativeDeps {
  return {
    desk,
    chats: createChats(desk.runtime),
    plugins: plugins ?? (() => desk.runtime.plugins.list().map(toPluginView)),
  };
}

function toPluginView({ name, version, status, reason }: PluginView): PluginView {
  return { name, ...(version !== undefined && { version }), status, ...(reason !== undefined && { reason }) };
}
