import type { ErrorCode, Verdict } from "@pegboard/contract";
import type { Control } from "../core/control.ts";
import { messageOf, PegboardError } from "../core/error.ts";
import type { RunResult } from "../core/run-result.ts";
import type { TaskOutcome } from "../core/task.ts";
import { pause } from "./pause.ts";

/** Says whether the result of a task is good enough. Rejects when it cannot say. */
export interface Validator {
  readonly name: string;
  validate(result: RunResult): Promise<Verdict>;
}

/** What becomes of a task whose validator itself fails. */
export type ValidatorFailure = "accept" | "reject" | "fail";

/** How a task is tried. */
export interface DelegationSettings {
  /** How often it may be tried, validation included; 0 fails at once. */
  readonly maxIterations: number;
  /** US dollars after which it is not tried again. */
  readonly maxUsd?: number;
  /** The first wait after a failure that can pass; it doubles. */
  readonly backoffMs: number;
  readonly validatorFailure: ValidatorFailure;
}

/** What a task needs of whoever runs it. */
export interface DelegationDeps {
  readonly control: Control;
  readonly validators: readonly Validator[];
  /** Tries once: with the feedback of the try before, if that was rejected. */
  run(feedback: string | undefined, before: RunResult | undefined): Promise<RunResult>;
  /** Puts a change of state on record, before it is acted on. */
  change(state: "running" | "evaluating", iteration: number, note?: string): Promise<void>;
  /** US dollars so far. */
  cost(): number;
}

const TRANSIENT: readonly ErrorCode[] = ["unavailable", "rate_limited", "timeout", "interrupted", "busy"];

/**
 * Works on a task until its result is accepted: runs it, has it judged, and runs it again with what was wrong. Never
 * rejects. What can pass is tried again after a growing wait, and counts as a try.
 */
export async function delegate(settings: DelegationSettings, deps: DelegationDeps): Promise<TaskOutcome> {
  const { maxIterations, maxUsd, backoffMs } = settings;
  let iteration = 0;
  let last: RunResult | undefined;
  let feedback: string | undefined;
  let failures = 0;
  const end = (state: TaskOutcome["state"], error?: TaskOutcome["error"]): TaskOutcome => ({
    state,
    iterations: iteration,
    text: last?.text ?? "",
    ...(last?.structured !== undefined && { structured: last.structured }),
    cost: deps.cost(),
    ...(last && { run: last.run }),
    ...(error && { error }),
  });
  try {
    for (;;) {
      deps.control.throwIfCancelled();
      if (iteration >= maxIterations) return end("failed", exhausted(maxIterations, feedback, last));
      if (maxUsd !== undefined && iteration > 0 && deps.cost() >= maxUsd)
        return end("failed", tooDear(deps.cost(), maxUsd));
      await deps.change("running", ++iteration, feedback);
      last = await deps.run(feedback, last);
      if (last.status === "cancelled") return end("cancelled", last.error);
      if (last.status === "failed") {
        const error = last.error ?? { code: "internal", message: "The run failed without saying why" };
        if (!TRANSIENT.includes(error.code)) return end("failed", error);
        await pause(backoffMs * 2 ** failures++, deps.control);
        continue;
      }
      failures = 0;
      await deps.change("evaluating", iteration);
      const verdict = await judge(last, iteration, settings.validatorFailure, deps);
      if (verdict.accepted) return end("completed");
      feedback = verdict.feedback;
    }
  } catch (thrown) {
    const error = toTaskError(thrown);
    return end(error.code === "cancelled" ? "cancelled" : "failed", error);
  }
}

/** The error of a task that something ended which was thrown. */
export function toTaskError(thrown: unknown): NonNullable<TaskOutcome["error"]> {
  if (!(thrown instanceof PegboardError)) return { code: "internal", message: messageOf(thrown) };
  return { code: thrown.code, message: thrown.message };
}

/** All must accept; the first rejection is the verdict. */
async function judge(
  result: RunResult,
  iteration: number,
  failure: ValidatorFailure,
  { validators, control, change }: DelegationDeps,
): Promise<Verdict> {
  for (const { name, validate } of validators) {
    let verdict: Verdict;
    try {
      verdict = await validate(result);
    } catch (error) {
      control.throwIfCancelled();
      const why = `Validator "${name}" failed: ${messageOf(error)}`;
      await change("evaluating", iteration, `${why} (validator failures: ${failure})`);
      if (failure === "fail") throw new PegboardError("invalid_output", why, { cause: error });
      verdict = failure === "accept" ? { accepted: true } : { accepted: false, feedback: why };
    }
    if (!verdict.accepted) return verdict;
  }
  return { accepted: true };
}

function exhausted(most: number, feedback: string | undefined, last: RunResult | undefined): TaskOutcome["error"] {
  const said = feedback ?? last?.error?.message;
  return {
    code: "invalid_output",
    message: `The task was not accepted within ${most} ${most === 1 ? "try" : "tries"}${said === undefined ? "" : `; the last feedback: ${said}`}`,
  };
}

function tooDear(cost: number, most: number): TaskOutcome["error"] {
  return {
    code: "budget_limit",
    message: `The task has spent ${cost.toFixed(4)} US dollars of ${most} and is not tried again`,
  };
}
