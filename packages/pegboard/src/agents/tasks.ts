import type { ToolContext } from "@pegboard/contract";
import { Control } from "../core/control.ts";
import { messageOf, PegboardError } from "../core/error.ts";
import { tellHooks } from "../core/hooks/observe.ts";
import type { RunResult } from "../core/run-result.ts";
import type { StartedTask, TaskOutcome } from "../core/task-outcome.ts";
import type { TaskRequest } from "../core/task-request.ts";
import { type AgentRun, unrecorded } from "./agent-run.ts";
import { admit, checkAdmission, checkPlace } from "./admit.ts";
import type { AgentCatalog } from "./catalog.ts";
import { delegate, toTaskError, type Validator } from "./delegation.ts";
import type { Kernel } from "./kernel.ts";
import type { TaskState } from "./run-log.ts";
import { nameOf, type RunRequest } from "./run-request.ts";
import { Task } from "./task.ts";
import { toHookWatch } from "./run-hooks.ts";
import { toValidators } from "./task-hooks.ts";
import { type DelegationOptions, toJudges, toSettings } from "./task-judges.ts";

/** What tasks need. */
export interface TasksDeps {
  readonly kernel: Pick<Kernel, "runOf" | "child">;
  readonly agents: Pick<AgentCatalog, "resolve">;
  readonly options?: DelegationOptions | undefined;
}

const NOTHING = { state: "failed", iterations: 0, text: "" } as const;

const NOBODY_WAITS = {
  code: "interrupted",
  message: "The process ended, and the call that waited for this task was cut off",
} as const;

/** Work that agents give away. */
export class Tasks {
  readonly #deps: TasksDeps;
  /** Those that hooks judge now, and until when. */
  readonly #judged = new Map<string, { readonly task: Task; readonly over: AbortSignal }>();

  constructor(deps: TasksDeps) {
    this.#deps = deps;
  }

  /** Checks whether a call may give this away, without doing so; the agent need not exist yet. Throws the limit. */
  check(request: TaskRequest, context: ToolContext): void {
    const parent = this.#deps.kernel.runOf(context);
    if (parent.from?.taskOf(context.callId)) return;
    checkAdmission({ agent: request.agent ?? parent.source, prompt: request.prompt }, parent);
  }

  /**
   * Gives work away for a call of a run. What happens in the background begins when the call has been answered, and its
   * outcome comes to the run as a message, once. Rejects with what is wrong; nothing is begun then.
   */
  async start(request: TaskRequest, context: ToolContext): Promise<StartedTask> {
    const { kernel, agents, options = {} } = this.#deps;
    const { prompt, mode, validation } = request;
    const parent = kernel.runOf(context);
    const from = parent.from?.taskOf(context.callId);
    if (from) return this.#goOn(request, parent, context, from);
    if (prompt.trim() === "") throw new PegboardError("invalid_input", "The prompt is empty: say what is to be done");
    if (validation?.rubric !== undefined && (validation.validator ?? options.validator) === undefined)
      throw new PegboardError("invalid_input", "A rubric needs somebody who goes by it: name a validator too");
    const asked = request.agent;
    const agent = asked === undefined ? undefined : (await agents.resolve(asked)).name;
    if (validation?.validator !== undefined) {
      const { name } = await agents.resolve(validation.validator);
      checkPlace(name, parent, { asked: validation.validator });
    }
    admit({ agent: agent ?? parent.source, prompt, ...(asked !== undefined && { asked }) }, parent);
    const task = new Task(
      { ...request, ...(agent !== undefined && { agent }) },
      parent,
      context.callId,
      context.signal,
    );
    const { promise: begun, resolve: begin } = Promise.withResolvers<boolean>();
    const outcome = begun.then((recorded) => (recorded ? this.#see(task) : { ...NOTHING, ...spentBy(task) }));
    // Before it is on record: a run that ends meanwhile must wait for it.
    parent.given.add({ id: task.id, mode, done: outcome, cancel: () => task.cancel() });
    try {
      await task.begin();
    } catch (error) {
      parent.given.remove(task.id);
      begin(false);
      throw unrecorded(messageOf(error), error);
    }
    if (mode === "wait") begin(true);
    else parent.given.after(context.callId, () => begin(true));
    return toStarted(task, outcome);
  }

  /**
   * Runs an agent for a hook that judges a task, below the run that gave it away and at its expense, as long as the hook
   * runs. Rejects with `not_found` when no hook judges such a task now, with `budget_limit` when nothing is left.
   */
  async askFor(
    id: string,
    { agent, prompt, model }: { readonly agent: string; readonly prompt: string; readonly model?: string },
    signal: AbortSignal,
  ): Promise<RunResult> {
    const judged = this.#judged.get(id);
    if (!judged) throw new PegboardError("not_found", `Task "${id}" is not being validated now`);
    const { task, over } = judged;
    if (!task.isTold) task.spending.spawn();
    const options = { ...(model !== undefined && { model }) };
    return this.#child(task, { agent, prompt, options, byPlugin: true }, AbortSignal.any([signal, over]));
  }

  /**
   * Goes on with the work that a run had given away when its process ended. What is over and was not told is told; what
   * nobody waits for any more ends as failed. What a call gave away that is made again is that call's.
   */
  async takeUp(parent: AgentRun): Promise<void> {
    for (const from of parent.from?.log.tasksOf(parent.id) ?? []) {
      const { start, outcome, isTold } = from;
      const { task: id, prompt, mode, agent, model, validation } = start.data;
      const call = start.parent ?? "";
      if (!parent.from!.log.call(call).end) continue;
      const given = { ...(model !== undefined && { model }), ...(validation && { validation }) };
      const whom = nameOf(parent.source) === agent ? {} : { agent };
      const task = new Task({ prompt, mode, ...whom, ...given }, parent, call, undefined, from);
      if (outcome && mode === "background" && !isTold)
        parent.given.mailbox.post({ text: task.toLetter(outcome), task: id }, { wakes: true });
      if (outcome) continue;
      if (mode === "background")
        parent.given.add({ id, mode, done: this.#see(task, true), cancel: () => task.cancel() });
      else await task.end({ ...NOTHING, ...spentBy(task), error: NOBODY_WAITS });
    }
  }

  /** Goes on with what the same call had given away in a process that is gone. */
  #goOn(request: TaskRequest, parent: AgentRun, { callId, signal }: ToolContext, from: TaskState): StartedTask {
    const task = new Task(request, parent, callId, signal, from);
    const { mode } = request;
    const { promise: begun, resolve: begin } = Promise.withResolvers<void>();
    const { outcome: over } = from;
    const outcome = begun.then(() => (over ? this.#tell(task, over) : this.#see(task, true)));
    parent.given.add({ id: task.id, mode, done: outcome, cancel: () => task.cancel() });
    if (mode === "wait") begin();
    else parent.given.after(callId, begin);
    return toStarted(task, outcome);
  }

  /** Lets the run hear how a task ended. */
  #tell(task: Task, outcome: TaskOutcome): TaskOutcome {
    const { given } = task.parent;
    if (task.request.mode === "background")
      given.mailbox.post({ text: task.toLetter(outcome), task: task.id }, { wakes: true });
    given.remove(task.id);
    return outcome;
  }

  /** Sees a task through from its beginning, or from where it was, to its end. Never rejects. */
  async #see(task: Task, goesOn = false): Promise<TaskOutcome> {
    const { parent, control } = task;
    const { taskCreated, taskFailed } = parent.workbench.hooks;
    const watch = toHookWatch(parent);
    if (!goesOn) await tellHooks(taskCreated, watch, (hook) => hook(task.view));
    const outcome = await this.#work(task);
    control[Symbol.dispose]();
    const { state, error } = outcome;
    if (state === "failed") await tellHooks(taskFailed, watch, (hook) => hook(task.view, error?.message ?? ""));
    await task.end(outcome);
    return this.#tell(task, outcome);
  }

  async #work(task: Task): Promise<TaskOutcome> {
    const { parent, control, spending, request } = task;
    let leave: (() => void) | undefined;
    try {
      leave = await parent.lanes.enter(control);
      return await delegate(toSettings(request, this.#deps.options), {
        control,
        validators: request.validation
          ? [
              ...toValidators(parent.workbench.hooks.validateTask, task.view, toHookWatch(parent)).map((validator) =>
                this.#duringJudgement(task, validator),
              ),
              ...toJudges(task, this.#deps.options, (asked) => this.#child(task, asked)),
            ]
          : [],
        run: (iteration, before, feedback) => {
          // The first try was counted when it was admitted.
          if (iteration > 1 && !task.isTold) spending.spawn();
          return this.#child(task, task.toRequest(before, feedback));
        },
        change: (step) => task.change(step),
        isBegun: (iteration) => task.isBegun(iteration),
        verdictOn: (iteration) => task.verdictOn(iteration),
        spent: () => spentBy(task),
      });
    } catch (thrown) {
      const error = toTaskError(thrown);
      const state = error.code === "cancelled" ? "cancelled" : "failed";
      return { ...NOTHING, state, ...spentBy(task), error };
    } finally {
      leave?.();
    }
  }

  /** A hook that is given up takes with it what it had asked for. */
  #duringJudgement(task: Task, { name, validate }: Validator): Validator {
    return {
      name,
      validate: async (result) => {
        const over = new AbortController();
        this.#judged.set(task.id, { task, over: over.signal });
        try {
          return await validate(result);
        } finally {
          this.#judged.delete(task.id);
          over.abort();
        }
      },
    };
  }

  #child(task: Task, request: RunRequest, signal?: AbortSignal) {
    const { id, parent, call, spending, control } = task;
    const own = new Control(control, signal);
    return this.#deps.kernel.child(request, { parent, call, spending, control: own, task: id });
  }
}

function spentBy({ spending: { usage, cost } }: Task): Pick<TaskOutcome, "usage" | "cost"> {
  return { usage, cost };
}

function toStarted({ id, agent, parent, request }: Task, outcome: Promise<TaskOutcome>): StartedTask {
  const waits = request.mode === "wait";
  return { id, agent: nameOf(agent), outcome: waits ? parent.place.lend(() => outcome) : outcome };
}
