import { PegboardError } from "../core/error.ts";
import type { RunResult } from "../core/run-result.ts";
import type { TaskRequest } from "../core/task-request.ts";
import type { DelegationSettings, Validator, ValidatorFailure } from "./delegation.ts";
import type { RunRequest } from "./run-request.ts";
import type { Task } from "./task.ts";
import { judgePrompt, toVerdict } from "./verdict.ts";

/** What the operator demands of work that agents give away, and allows. */
export interface DelegationOptions {
  /** An agent that judges every result that is to be judged, by this rubric. */
  readonly validator?: string;
  readonly rubric?: string;
  /** What becomes of a result when its validator fails; `reject` when absent. */
  readonly validatorFailure?: ValidatorFailure;
  /** How often a task may be tried; 5 when absent. */
  readonly maxIterations?: number;
  /** US dollars after which a task is not tried again. */
  readonly maxUsd?: number;
  /** The wait after a first failure that can pass; it doubles. One second when absent. */
  readonly backoffMs?: number;
}

const MAX_ITERATIONS = 5;
const BACKOFF_MS = 1_000;

/** How a task is tried: as it is asked for, within what the operator allows. */
export function toSettings({ validation }: TaskRequest, options: DelegationOptions = {}): DelegationSettings {
  const { backoffMs = BACKOFF_MS, validatorFailure = "reject" } = options;
  if (!validation) return { maxIterations: 1, backoffMs, validatorFailure };
  const most = options.maxIterations ?? MAX_ITERATIONS;
  const maxUsd = Math.min(validation.maxUsd ?? Infinity, options.maxUsd ?? Infinity);
  return {
    maxIterations: Math.min(validation.maxIterations ?? most, most),
    ...(maxUsd < Infinity && { maxUsd }),
    backoffMs,
    validatorFailure,
  };
}

/** The agents that judge a task: the operator's, then the one that was asked for. `ask` runs them. */
export function toJudges(
  task: Task,
  options: DelegationOptions = {},
  ask: (request: RunRequest) => Promise<RunResult>,
): readonly Validator[] {
  const { validator, rubric } = task.request.validation ?? {};
  // Where nobody else goes by what was asked for, the operator's does.
  const rubrics = [options.rubric, validator === undefined ? rubric : undefined].filter((one) => one !== undefined);
  return [
    ...(options.validator === undefined ? [] : [toJudge(task, options.validator, rubrics.join("\n\n"), ask)]),
    ...(validator === undefined ? [] : [toJudge(task, validator, rubric ?? "", ask)]),
  ];
}

function toJudge(
  task: Task,
  agent: string,
  rubric: string,
  ask: (request: RunRequest) => Promise<RunResult>,
): Validator {
  return {
    name: agent,
    async validate({ text }) {
      if (!task.isTold) task.spending.spawn();
      const prompt = judgePrompt(task.request.prompt, text, rubric === "" ? undefined : rubric);
      const { status, structured, error } = await ask({ agent, prompt, judges: true });
      if (status !== "completed") throw new PegboardError(error?.code ?? "unavailable", error?.message ?? status);
      return toVerdict(structured);
    },
  };
}
