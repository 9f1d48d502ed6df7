import type { Agent, Json, ToolContext } from "@pegboard/contract";
import { Control } from "../core/control.ts";
import { PegboardError } from "../core/error.ts";
import type { EventOf } from "../core/event.ts";
import type { Limits } from "../core/limits.ts";
import type { ResumeOptions, Run, RunOptions } from "../core/run.ts";
import type { RunResult } from "../core/run-result.ts";
import type { Workbench } from "../core/workbench.ts";
import { admit } from "./admit.ts";
import { AgentRun, type RunSeed } from "./agent-run.ts";
import { Spending } from "./budget.ts";
import { Lanes } from "./lanes.ts";
import { nameOf, requestProblem, type RunRequest, toBudget } from "./run-request.ts";
import { RunsAtWork } from "./runs-at-work.ts";
import type { SeeRunDeps } from "./see-run.ts";

// Most starts run no agent.
const working = () => import("./see-run.ts");
const resuming = () => import("./resume.ts");

/** What the kernel is made of. */
export interface KernelDeps extends Omit<SeeRunDeps, "places" | "runOnce" | "over"> {
  readonly limits: Pick<Limits, "runs" | "waiting">;
  /** Whether another process that had a run at work still has. */
  isAlive?(process: string): boolean;
}

/** Where a run hangs that a call started. */
export interface ChildPlace {
  readonly parent: AgentRun;
  readonly call: string;
  readonly control: Control;
  /** What it charges what it uses to. */
  readonly spending: Spending;
  readonly task?: string;
}

/** Runs agents. */
export class Kernel {
  readonly #deps: KernelDeps & SeeRunDeps;
  readonly #runs = new RunsAtWork();
  readonly #places: Lanes;

  constructor(deps: KernelDeps) {
    this.#places = new Lanes(deps.limits.runs, deps.limits.waiting);
    this.#deps = {
      ...deps,
      places: this.#places,
      runOnce: (agent, prompt, context) => this.ask({ agent, prompt, own: true }, context),
      over: (run) => this.#runs.remove(run),
    };
  }

  /** Starts a run that nobody but a session asked for. Never throws: what is wrong is the result's. */
  start(agent: string | Agent, prompt: Json, options: RunOptions, workbench: Workbench): Run {
    const { limits, caller } = workbench;
    const request = { agent, prompt, options };
    const problem = requestProblem(request) ?? this.#busyProblem(options);
    const { budget, signal } = problem ? {} : options;
    const seed: RunSeed = {
      agent: nameOf(agent),
      workbench,
      spending: new Spending(toBudget(budget, limits)),
      lanes: new Lanes(limits.concurrency, limits.waiting),
      places: this.#places,
      control: new Control(undefined, signal),
      within: caller.agent,
    };
    return this.#begin(seed, request, problem);
  }

  /** Runs an agent for a call of a run, within the limits of that run. Rejects with the limit that it would break. */
  async ask(request: RunRequest, context: ToolContext): Promise<RunResult> {
    const parent = this.runOf(context);
    const problem = requestProblem(request) ?? this.#busyProblem(request.options ?? {});
    if (problem) throw problem;
    const named = await this.#identify(request);
    if (!parent.from?.hasNext(context.callId)) admit(named, parent);
    return parent.place.lend(async () => {
      const control = new Control(undefined, context.signal);
      let leave: (() => void) | undefined;
      try {
        leave = await parent.lanes.enter(control);
        return await this.child(named, { parent, call: context.callId, control, spending: parent.spending });
      } finally {
        leave?.();
        control[Symbol.dispose]();
      }
    });
  }

  /** The run that a call was made in. Throws `unavailable` when there is none. */
  runOf({ agent }: ToolContext): AgentRun {
    const run = this.#runs.get(agent?.run ?? "");
    if (run) return run;
    const why = agent?.run === undefined ? "Only an agent at work can do this" : "The run that asks is over";
    throw new PegboardError("unavailable", why);
  }

  /** Runs an agent below a run that has admitted it. Never rejects. */
  child(request: RunRequest, { parent, spending, ...place }: ChildPlace): Promise<RunResult> {
    const { workbench, caller } = parent;
    const from = parent.from?.nextOf(place.call);
    if (from?.state.end) return Promise.resolve(toEarlierResult(from.state.end));
    const seed: RunSeed = {
      ...place,
      from,
      agent: nameOf(request.agent),
      workbench,
      spending: new Spending(request.options?.budget ?? {}, spending),
      lanes: new Lanes(workbench.limits.concurrency, workbench.limits.waiting),
      places: this.#places,
      parent,
      within: caller,
    };
    return this.#begin(seed, request).result;
  }

  /** Cancels a run of a session, or a task that one gave away. Whether there was one. */
  cancel(id: string, session: string): boolean {
    return this.#runs.cancel(id, session);
  }

  /**
   * Goes on with a run of the session whose process ended: the newest one when none is named. Rejects with `not_found`,
   * `invalid_input` for one that is over, and `busy` for one that somebody has at work.
   */
  async resume(id: string | undefined, options: ResumeOptions, workbench: Workbench): Promise<Run> {
    const { claimRun } = await resuming();
    const from = await claimRun(id, workbench, {
      isAtWork: (run, process) =>
        this.#runs.has(run) || (process !== undefined && this.#deps.isAlive?.(process) === true),
    });
    const { agent, given = {} } = from.state.start.data;
    const { limits, caller } = workbench;
    const seed: RunSeed = {
      agent,
      workbench,
      spending: new Spending(toBudget(given.budget, limits)),
      lanes: new Lanes(limits.concurrency, limits.waiting),
      places: this.#places,
      control: new Control(undefined, options.signal),
      within: caller.agent,
      from,
    };
    return this.#begin(seed, { agent: options.agent ?? agent, prompt: null, options: { ...given, ...options } });
  }

  /** Whether a run is at work here. */
  has(run: string): boolean {
    return this.#runs.has(run);
  }

  #busyProblem({ continue: before }: RunOptions): PegboardError | undefined {
    if (before === undefined || !this.#runs.has(before)) return undefined;
    return new PegboardError("busy", `Run "${before}" is still at work: go on with it when it is over`, {
      retryable: true,
    });
  }

  /** The agent of a plugin has two names: one of them counts, so that limits and lists cannot be got around. */
  async #identify(request: RunRequest): Promise<RunRequest> {
    const { agent } = request;
    // What cannot be found is told by the run.
    const entry = typeof agent === "string" ? await this.#deps.agents.find(agent).catch(() => undefined) : undefined;
    return entry ? { ...request, agent: entry.name, asked: nameOf(agent) } : request;
  }

  #begin(seed: RunSeed, request: RunRequest, problem?: PegboardError): AgentRun {
    const run = new AgentRun(seed);
    run.source = request.agent;
    this.#runs.add(run);
    run.result = this.#see(run, request, problem);
    return run;
  }

  /** Sees a run through from its beginning to its end. Never rejects. */
  async #see(run: AgentRun, request: RunRequest, problem: PegboardError | undefined): Promise<RunResult> {
    // Never at once, so that whoever started it can listen first.
    const { seeRun } = await working();
    return seeRun(run, request, problem, this.#deps);
  }
}

/** The result of a run that is over, as the log keeps it. */
function toEarlierResult({ run, session, data }: EventOf<"run-end">): RunResult {
  return { run: run!, session, ...data };
}
