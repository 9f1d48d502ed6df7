import type { ErrorCode, Verdict } from "@pegboard/contract";
import type { Control } from "../core/control.ts";
import { messageOf, PegboardError } from "../core/error.ts";
import type { EventData } from "../core/event.ts";
import type { RunResult } from "../core/run-result.ts";
import type { TaskOutcome } from "../core/task-outcome.ts";
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

/** A step of a task, as it is put on record. */
export type TaskStep = Omit<EventData["task-progress"], "task">;

/** What a task needs of whoever runs it. */
export interface DelegationDeps {
  readonly control: Control;
  readonly validators: readonly Validator[];
  /** Tries once: on from the try `before`, and with the feedback on it, if that was rejected. */
  run(iteration: number, before: RunResult | undefined, feedback: string | undefined): Promise<RunResult>;
  /** Puts a step on record, once, before it is acted on. */
  change(step: TaskStep): Promise<void>;
  /** Whether a try was begun in a process that is gone, and what became of it there. */
  isBegun(iteration: number): boolean;
  verdictOn(iteration: number): Verdict | undefined;
  /** What it has used so far. */
  spent(): Pick<TaskOutcome, "usage" | "cost">;
}

const TRANSIENT: readonly ErrorCode[] = ["unavailable", "rate_limited", "timeout", "interrupted", "busy"];

/**
 * Works on a task until its result is accepted: runs it, has it judged, and runs it again with what was wrong. Never
 * rejects. What can pass is tried again after a growing wait, and counts as a try. A task that goes on is told again from
 * its beginning: what is on record is neither done nor judged again.
 */
export async function delegate(settings: DelegationSettings, deps: DelegationDeps): Promise<TaskOutcome> {
  const { maxIterations, maxUsd, backoffMs } = settings;
  let iteration = 0;
  let last: RunResult | undefined;
  /** The last try that left something to go on from, and what was found wrong with it. */
  let before: RunResult | undefined;
  let feedback: string | undefined;
  /** What was wrong with the last try. */
  let note: string | undefined;
  let failures = 0;
  const end = (state: TaskOutcome["state"], error?: TaskOutcome["error"]): TaskOutcome => ({
    state,
    iterations: iteration,
    text: last?.text ?? "",
    ...(last?.structured !== undefined && { structured: last.structured }),
    ...deps.spent(),
    ...(last && { run: last.run }),
    ...(error && { error }),
  });
  try {
    for (;;) {
      deps.control.throwIfCancelled();
      if (iteration >= maxIterations) return end("failed", exhausted(maxIterations, note));
      // The cost of a task that goes on is that of all its tries, also of those that are told again later.
      const { cost } = deps.spent();
      const isTooDear = maxUsd !== undefined && iteration > 0 && cost >= maxUsd;
      if (isTooDear && !deps.isBegun(iteration + 1)) return end("failed", tooDear(cost, maxUsd));
      await deps.change({ state: "running", iteration: ++iteration, ...(note !== undefined && { note }) });
      last = await deps.run(iteration, before, feedback);
      // One that never asked its model has heard nothing.
      if (last.turns > 0) [before, feedback] = [last, undefined];
      if (last.status === "cancelled") return end("cancelled", last.error);
      if (last.status === "failed") {
        const error = last.error ?? { code: "internal", message: "The run failed without saying why" };
        if (!TRANSIENT.includes(error.code)) return end("failed", error);
        note = error.message;
        const waitMs = backoffMs * 2 ** failures++;
        if (!deps.isBegun(iteration + 1)) await pause(waitMs, deps.control);
        continue;
      }
      failures = 0;
      await deps.change({ state: "evaluating", iteration });
      const verdict = deps.verdictOn(iteration) ?? (await judge(last, iteration, settings.validatorFailure, deps));
      if (deps.validators.length > 0) await deps.change({ state: "evaluating", iteration, verdict });
      if (verdict.accepted) return end("completed");
      note = feedback = verdict.feedback;
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
      await change({ state: "evaluating", iteration, note: `${why} (validator failures: ${failure})` });
      if (failure === "fail") throw new PegboardError("invalid_output", why, { cause: error });
      verdict = failure === "accept" ? { accepted: true } : { accepted: false, feedback: why };
    }
    if (!verdict.accepted) return verdict;
  }
  return { accepted: true };
}

function exhausted(most: number, note: string | undefined): TaskOutcome["error"] {
  return {
    code: "invalid_output",
    message: `The task was not accepted within ${most} ${most === 1 ? "try" : "tries"}${note === undefined ? "" : `; the last feedback: ${note}`}`,
  };
}

function tooDear(cost: number, most: number): TaskOutcome["error"] {
  return {
    code: "budget_limit",
    message: `The task has spent ${cost.toFixed(4)} US dollars of ${most} and is not tried again`,
  };
}
