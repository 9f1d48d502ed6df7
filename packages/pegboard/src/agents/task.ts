import type { Agent, TaskView, Verdict } from "@pegboard/contract";
import { cancelled, Control } from "../core/control.ts";
import { messageOf } from "../core/error.ts";
import type { EventOf } from "../core/event.ts";
import type { About } from "../core/log.ts";
import type { RunResult } from "../core/run-result.ts";
import type { TaskOutcome } from "../core/task-outcome.ts";
import type { TaskRequest } from "../core/task-request.ts";
import type { AgentRun } from "./agent-run.ts";
import { Spending } from "./budget.ts";
import type { TaskStep } from "./delegation.ts";
import type { TaskState } from "./run-log.ts";
import { spentOn } from "./run-spent.ts";
import type { RunRequest } from "./run-request.ts";
import { nameOf } from "./run-request.ts";

/** One piece of work that a run gives away, and its place in the log. */
export class Task {
  readonly id: string;
  readonly request: TaskRequest;
  readonly parent: AgentRun;
  readonly call: string;
  /** Who works on it, as it was asked for. */
  readonly agent: string | Agent;
  readonly control: Control;
  /** What all tries and all that judge them use. */
  readonly spending: Spending;
  readonly #about: About;
  /** What is on record of its tries. */
  readonly #steps: readonly EventOf<"task-progress">[];

  /** `signal` is that of the call: only one that waits ends with it. `from` is what is on record of it. */
  constructor(request: TaskRequest, parent: AgentRun, call: string, signal?: AbortSignal, from?: TaskState) {
    this.id = from?.start.data.task ?? crypto.randomUUID();
    this.request = request;
    this.parent = parent;
    this.call = call;
    this.agent = request.agent ?? parent.source;
    this.control = new Control(parent.control, request.mode === "wait" ? signal : undefined);
    this.spending = new Spending({}, parent.spending);
    this.#steps = from?.steps ?? [];
    if (from) this.spending.restore(spentOn(from.start, parent.from!.log));
    this.#about = { run: parent.id, parent: call, chain: parent.chain };
  }

  /** Whether what comes next is on record already: a task that goes on is told again up to where it was. */
  get isTold(): boolean {
    return this.parent.from?.hasNext(this.call) === true;
  }

  get view(): TaskView {
    const { id, parent, request, agent } = this;
    const session = parent.workbench.session.id;
    return { id, agent: nameOf(agent), prompt: request.prompt, session, parent: parent.id };
  }

  cancel(): void {
    this.control.cancel(cancelled(`The task of agent "${nameOf(this.agent)}" was cancelled`));
  }

  /** Puts it on record. Rejects when that cannot be. */
  begin(): Promise<void> {
    const { prompt, mode, model, validation } = this.request;
    const more = { ...(model !== undefined && { model }), ...(validation && { validation }) };
    const data = { task: this.id, agent: nameOf(this.agent), prompt, mode, ...more };
    return this.parent.workbench.log.append("task-start", data, this.#about);
  }

  /** Puts a step on record, unless it is. */
  async change(step: TaskStep): Promise<void> {
    const { state, iteration, note, verdict } = step;
    const isSame = ({ data }: EventOf<"task-progress">) =>
      data.state === state && data.iteration === iteration && data.note === note && !data.verdict === !verdict;
    if (!this.#steps.some(isSame))
      await this.parent.workbench.log.append("task-progress", { task: this.id, ...step }, this.#about);
  }

  /** Whether a try was begun in a process that is gone. */
  isBegun(iteration: number): boolean {
    return this.#steps.some(({ data }) => data.state === "running" && data.iteration === iteration);
  }

  /** The verdict on a try that is on record. Those who gave it are not asked again. */
  verdictOn(iteration: number): Verdict | undefined {
    const judged = this.#steps.find(({ data }) => data.verdict && data.iteration === iteration);
    if (judged) this.parent.from?.passOver(this.call, judged.seq);
    return judged?.data.verdict;
  }

  async end(outcome: TaskOutcome): Promise<void> {
    try {
      await this.parent.workbench.log.append("task-end", { task: this.id, ...outcome }, this.#about);
    } catch (error) {
      // The outcome is there: hiding it would be a second loss.
      this.parent.warn(`The end of task ${this.id} could not be recorded (${messageOf(error)})`);
    }
  }

  /** What is asked in the next try: the task, or what is left of it. */
  toRequest(before: RunResult | undefined, feedback: string | undefined): RunRequest {
    const { prompt, model } = this.request;
    const options = { ...(model !== undefined && { model }) };
    if (!before) return { agent: this.agent, prompt, options };
    const why =
      before.status === "completed"
        ? `Your result was not accepted:\n${feedback ?? ""}\n\nDo the task again with this in mind, and give the whole result.`
        : `You were interrupted (${before.error?.message ?? before.status}). Go on with the task where you were.`;
    return { agent: this.agent, prompt: why, options: { ...options, continue: before.run } };
  }

  /** What the run that gave it away is told of its end. */
  toLetter({ state, iterations, text, error }: TaskOutcome): string {
    const tries = `${iterations} ${iterations === 1 ? "try" : "tries"}`;
    const what = `Task ${this.id}, which you gave to agent "${nameOf(this.agent)}": ${state} after ${tries}`;
    const why = error ? ` (${error.message})` : "";
    return `${what}${why}.${text === "" ? "" : `\n<result>\n${text}\n</result>`}`;
  }
}
