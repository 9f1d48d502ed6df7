import { messageOf, PegboardError } from "../error.ts";
import type { EventData } from "../event.ts";
import type { Limits } from "../limits.ts";
import { type BoundHook, HOOK_KINDS, type HookPoint } from "./table.ts";

/** That a hook failed, as the log keeps it. */
export type HookFailure = EventData["hook-end"];

/** What hooks are run with. */
export interface HookWatch {
  readonly limits: Limits;
  /** Hears of every hook that fails. Must not throw. */
  failed(failure: HookFailure): void;
}

/** What came of a hook: what it returned, or what it threw, which is a `timeout` when its time was over. */
export type HookOutcome<Value> = { readonly value: Value } | { readonly thrown: unknown };

/**
 * Runs one hook as long as its kind may take. Never rejects: a failure is told to `watch`, as a warning when the time was
 * over and as an error else. What comes later is dropped.
 */
export async function runHook<Point extends HookPoint, Value>(
  hook: BoundHook<Point>,
  watch: HookWatch,
  call: (run: BoundHook<Point>["run"]) => Value | Promise<Value>,
): Promise<HookOutcome<Value>> {
  const at = running.get(hook) ?? 0;
  running.set(hook, at + 1);
  const ms = watch.limits[`${HOOK_KINDS[hook.point]}HookMs`];
  let timer: ReturnType<typeof setTimeout> | undefined;
  const over = new Promise<typeof LATE>((resolve) => (timer = setTimeout(resolve, ms, LATE)));
  const failed = (thrown: unknown, late: boolean) => {
    watch.failed(toFailure(hook, thrown, late));
    return { thrown };
  };
  try {
    if (at >= MOST_AT_ONCE) throw tooMany(at);
    // A moment later: hooks that lead to each other must not pile up on one stack.
    const value = await Promise.race([Promise.resolve(hook.run).then(call), over]);
    if (value !== LATE) return { value };
    return failed(new PegboardError("timeout", `no answer within ${ms / 1000} seconds`), true);
  } catch (thrown) {
    return failed(thrown, false);
  } finally {
    running.set(hook, running.get(hook)! - 1);
    clearTimeout(timer);
  }
}

/** What a hook is called in messages. */
export function describeHook({ point, plugin }: Pick<BoundHook, "point" | "plugin">): string {
  return `hook "${point}" of ${plugin === undefined ? "the host" : `plugin "${plugin}"`}`;
}

const LATE = Symbol("late");

/** Hooks that lead each other in a circle, by what their plugins do in them, come to an end. */
const MOST_AT_ONCE = 1_000;
const running = new WeakMap<Pick<BoundHook, "point">, number>();

function tooMany(at: number): PegboardError {
  return new PegboardError("loop", `it is at work ${at} times already: what it does may lead back to itself`);
}

function toFailure(
  { point, plugin }: Pick<BoundHook, "point" | "plugin">,
  thrown: unknown,
  late: boolean,
): HookFailure {
  return {
    hook: point,
    ...(plugin !== undefined && { plugin }),
    severity: late ? "warning" : "error",
    error: { code: thrown instanceof PegboardError ? thrown.code : "internal", message: messageOf(thrown) },
  };
}
