import { type HookWatch, runHook } from "./run-hook.ts";
import type { BoundHook, HookPoint } from "./table.ts";

/** Tells all hooks at once, begun in their order, and waits for them. Never rejects: one that fails keeps nobody from hearing. */
export async function tellHooks<Point extends HookPoint>(
  hooks: readonly BoundHook<Point>[],
  watch: HookWatch,
  tell: (run: BoundHook<Point>["run"]) => unknown,
): Promise<void> {
  await Promise.all(hooks.map((hook) => runHook(hook, watch, tell)));
}
