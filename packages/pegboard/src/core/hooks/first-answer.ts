import { PegboardError } from "../error.ts";
import { describeHook, type HookWatch, runHook } from "./run-hook.ts";
import type { BoundHook, HookPoint } from "./table.ts";

/** An answer, and the hook that gave it. */
export interface HookAnswer {
  readonly text: string;
  readonly by: string;
}

/** Asks one hook after another until one answers with a text. Undefined when none does; one that fails has not answered. */
export async function firstAnswer<Point extends HookPoint>(
  hooks: readonly BoundHook<Point>[],
  watch: HookWatch,
  ask: (run: BoundHook<Point>["run"]) => unknown,
): Promise<HookAnswer | undefined> {
  for (const hook of hooks) {
    const outcome = await runHook(hook, watch, async (run) => toText(await ask(run)));
    if ("value" in outcome && outcome.value !== undefined) return { text: outcome.value, by: describeHook(hook) };
  }
  return undefined;
}

function toText(answer: unknown): string | undefined {
  if (answer === undefined || answer === null) return undefined;
  if (typeof answer === "string") return answer;
  throw new PegboardError("invalid_output", "it gave an answer that is no text");
}
