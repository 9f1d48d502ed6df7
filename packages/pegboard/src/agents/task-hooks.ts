import type { TaskView, Verdict } from "@pegboard/contract";
import { messageOf, PegboardError } from "../core/error.ts";
import { describeHook, type HookWatch, runHook } from "../core/hooks/run-hook.ts";
import type { BoundHook } from "../core/hooks/table.ts";
import type { Validator } from "./delegation.ts";
import { parseVerdict } from "./verdict.ts";

/** The hooks that judge results, as validators. */
export function toValidators(
  hooks: readonly BoundHook<"validateTask">[],
  task: TaskView,
  watch: HookWatch,
): readonly Validator[] {
  return hooks.map((hook) => ({
    name: describeHook(hook),
    async validate({ text }) {
      const outcome = await runHook(hook, watch, (run) => askHook(run, task, text));
      if ("thrown" in outcome) throw outcome.thrown;
      return outcome.value;
    },
  }));
}

async function askHook(run: BoundHook<"validateTask">["run"], task: TaskView, result: string): Promise<Verdict> {
  let answer: Verdict | string | void;
  try {
    answer = await run({ ...task }, result);
  } catch (error) {
    // One that throws has said what is wrong.
    return { accepted: false, feedback: messageOf(error) };
  }
  if (answer === undefined || answer === null) return { accepted: true };
  const verdict = typeof answer === "string" ? parseVerdict(answer) : answer;
  if (verdict?.accepted === true) return verdict;
  if (verdict?.accepted === false)
    return { accepted: false, feedback: String(verdict.feedback ?? "Rejected without saying why") };
  throw new PegboardError("invalid_output", "it gave no verdict that could be read");
}
