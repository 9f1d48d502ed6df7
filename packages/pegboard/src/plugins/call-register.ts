import type { Hooks, Plugin, PluginHost } from "@pegboard/contract";
import { PegboardError } from "../core/error.ts";
import { adaptHooks } from "./hooks-adapter.ts";
import { inTime } from "./in-time.ts";
import type { PluginHealth } from "./plugin-health.ts";

/** A plugin that held up the whole process for so long is told of. */
const BLOCKED_MS = 250;

/** Calls `register` and reads the hooks. Rejects with what it throws, with `timeout`, and when it returns something else. */
export async function callRegister(
  plugin: Plugin,
  host: PluginHost,
  stepMs: number,
  health: Pick<PluginHealth, "note">,
): Promise<Hooks | undefined> {
  const { name } = plugin;
  const returned = await inTime(stepMs, () => {
    const begun = performance.now();
    const returning = plugin.register?.(host);
    const ms = performance.now() - begun;
    if (ms >= BLOCKED_MS)
      health.note("slow", `Plugin "${name}" held up everything for ${(ms / 1000).toFixed(1)} seconds in register`);
    return returning;
  });
  if (returned === undefined || returned === null) return undefined;
  if (typeof returned !== "object")
    throw new PegboardError("invalid_definition", `it returned a ${typeof returned} in place of its hooks`);
  return adaptHooks(returned, { name, note: (message) => health.note("hook", message) });
}
