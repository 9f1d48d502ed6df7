import type { Hooks, TaskView, Verdict } from "@pegboard/contract";
import { messageOf, PegboardError } from "../core/error.ts";
import { HOOK_MS, within } from "../core/hook.ts";
import type { Validator } from "./delegation.ts";
import { parseVerdict } from "./verdict.ts";

/** Tells every hook of a task, in order. One that throws or hangs is named to `warn` and changes nothing. */
export async function tellHooks(
  hooks: readonly Hooks[],
  tell: (hook: Hooks) => void | Promise<void>,
  warn: (message: string) => void,
): Promise<void> {
  for (const hook of hooks) {
    try {
      await within(HOOK_MS, () => tell(hook));
    } catch (error) {
      warn(`A hook that watches tasks failed: ${messageOf(error)}`);
    }
  }
}

/** The hooks that judge results, as validators. */
export function toValidators(hooks: readonly Hooks[], task: TaskView): readonly Validator[] {
  return hooks
    .filter(({ validateTask }) => validateTask)
    .map((hook, index) => ({ name: `hook ${index + 1}`, validate: ({ text }) => askHook(hook, task, text) }));
}

async function askHook(hook: Hooks, task: TaskView, result: string): Promise<Verdict> {
  let answer: Verdict | string | void;
  try {
    answer = await within(HOOK_MS, () => hook.validateTask!({ ...task }, result));
  } catch (error) {
    // One that hangs has said nothing; one that throws has.
    if (error instanceof PegboardError && error.code === "timeout") throw error;
    return { accepted: false, feedback: messageOf(error) };
  }
  if (answer === undefined || answer === null) return { accepted: true };
  const verdict = typeof answer === "string" ? parseVerdict(answer) : answer;
  if (verdict?.accepted === true) return verdict;
  if (verdict?.accepted === false) return { accepted: false, feedback: String(verdict.feedback) };
  throw new PegboardError("invalid_output", "it gave no verdict that could be read");
}
