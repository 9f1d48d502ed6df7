import type { Hooks } from "@pegboard/contract";
import { HOOK_KINDS, type HookPoint } from "../core/hooks/table.ts";

/** The points at which hooks take part. */
export function hookPoints(hooks: Hooks | undefined): readonly HookPoint[] {
  return hooks ? (Object.keys(HOOK_KINDS) as HookPoint[]).filter((point) => hooks[point]) : [];
}
