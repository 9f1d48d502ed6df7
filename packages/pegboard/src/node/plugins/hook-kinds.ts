import type { Hooks, ThreadHooks } from "@pegboard/contract";
import { HOOK_KINDS } from "../../core/hooks/table.ts";
import { hookPoints } from "../../plugins/hook-points.ts";
import { adaptHooks } from "../../plugins/hooks-adapter.ts";

/** The kinds of the hooks that a plugin returned, by their points. */
export function toHookKinds(returned: Hooks | ThreadHooks | void): Readonly<Record<string, string>> {
  if (typeof returned !== "object") return {};
  const hooks = adaptHooks(returned, { name: "", note() {} });
  return Object.fromEntries(hookPoints(hooks).map((point) => [point, HOOK_KINDS[point]]));
}
