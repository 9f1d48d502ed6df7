import { type HookWatch, runHook } from "./run-hook.ts";
import type { BoundHook, HookPoint } from "./table.ts";

/**
 * Hands a value from hook to hook: each gets what the one before left, and nothing leaves it as it is. One that throws or
 * hangs, or whose value `read` throws at, changes nothing.
 */
export async function runChain<Point extends HookPoint, Value>(
  hooks: readonly BoundHook<Point>[],
  watch: HookWatch,
  value: Value,
  ask: (run: BoundHook<Point>["run"], value: Value) => unknown,
  read: (answer: unknown) => Value | Promise<Value>,
): Promise<Value> {
  let current = value;
  for (const hook of hooks) {
    const outcome = await runHook(hook, watch, async (run) => {
      const answer = await ask(run, current);
      return answer === undefined || answer === null ? current : read(answer);
    });
    if ("value" in outcome) current = outcome.value;
  }
  return current;
}
