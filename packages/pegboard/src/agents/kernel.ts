import type { Agent, Json, ToolContext } from "@pegboard/contract";
import { toCallingAgent } from "../core/caller.ts";
import { Control } from "../core/control.ts";
import { messageOf, PegboardError } from "../core/error.ts";
import type { Run, RunOptions } from "../core/run.ts";
import type { RunResult } from "../core/run-result.ts";
import type { Workbench } from "../core/workbench.ts";
import { admit } from "./admit.ts";
import { AgentRun, type RunSeed } from "./agent-run.ts";
import { bringTools, type BringToolsDeps } from "./bring-tools.ts";
import { Spending } from "./budget.ts";
import { Conversation, type FinalAnswer } from "./conversation.ts";
import { Lanes } from "./lanes.ts";
import { orCancelled } from "./or-cancelled.ts";
import { prepareRun, type PrepareRunDeps } from "./prepare-run.ts";
import type { RunOnce } from "./prompt-tool.ts";
import { nameOf, requestProblem, type RunRequest, toBudget } from "./run-request.ts";
import { type RunEnd, toRunResult } from "./to-run-result.ts";

/** What the kernel is made of. */
export interface KernelDeps extends PrepareRunDeps, BringToolsDeps {}

/** Runs agents. */
export class Kernel {
  readonly #deps: KernelDeps;
  readonly #runs = new Map<string, AgentRun>();
  readonly #sessions = new Map<string, { runs: number; readonly listening: Disposable }>();
  readonly #runOnce: RunOnce = (agent, prompt, context) => this.ask({ agent, prompt, own: true }, context);

  constructor(deps: KernelDeps) {
    this.#deps = deps;
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
      lanes: new Lanes(limits.concurrency),
      control: new Control(undefined, signal),
      within: caller.agent,
    };
    return this.#begin(seed, request, problem);
  }

  /** Runs an agent for a call of a run, within the limits of that run. Rejects with the limit that it would break. */
  async ask(request: RunRequest, context: ToolContext): Promise<RunResult> {
    const parent = this.#runs.get(context.agent?.run ?? "");
    if (!parent) throw new PegboardError("unavailable", "The run that asks is over");
    const problem = requestProblem(request);
    if (problem) throw problem;
    admit(request, parent);
    const { workbench } = parent;
    const control = new Control(undefined, context.signal);
    let leave: (() => void) | undefined;
    try {
      leave = await parent.lanes.enter(control);
      const seed: RunSeed = {
        agent: nameOf(request.agent),
        workbench,
        spending: new Spending(request.options?.budget ?? {}, parent.spending),
        lanes: new Lanes(workbench.limits.concurrency),
        control,
        parent,
        call: context.callId,
        within: parent.caller,
      };
      return await this.#begin(seed, request).result;
    } finally {
      leave?.();
      control[Symbol.dispose]();
    }
  }

  #busyProblem({ continue: before }: RunOptions): PegboardError | undefined {
    if (before === undefined || !this.#runs.has(before)) return undefined;
    return new PegboardError("busy", `Run "${before}" is still at work: go on with it when it is over`, {
      retryable: true,
    });
  }

  #begin(seed: RunSeed, request: RunRequest, problem?: PegboardError): AgentRun {
    const run = new AgentRun(seed);
    this.#runs.set(run.id, run);
    if (run.parent) run.parent.children = [...run.parent.children, run];
    this.#listen(run.workbench);
    run.result = this.#see(run, request, problem);
    return run;
  }

  /** Sees a run through from its beginning to its end. Never rejects. */
  async #see(run: AgentRun, request: RunRequest, problem: PegboardError | undefined): Promise<RunResult> {
    const stopClock = run.watchTime();
    let began = false;
    let end: RunEnd;
    try {
      // A moment later, so that whoever started it can listen first.
      await Promise.resolve();
      run.control.throwIfCancelled();
      await orCancelled(Promise.resolve(run.workbench.ready()), run.control);
      began = true;
      if (problem) throw problem;
      end = { answer: await this.#work(run, request) };
    } catch (thrown) {
      end = { thrown };
    }
    stopClock();
    run.control[Symbol.dispose]();
    // What a cancelled call started may take a while to end.
    await Promise.all(run.children.map(({ result }) => result));
    if (began) await recordEnd(run, end);
    run.end();
    this.#runs.delete(run.id);
    if (run.parent) run.parent.children = run.parent.children.filter((other) => other !== run);
    this.#leave(run.workbench);
    return toRunResult(run, end);
  }

  async #work(run: AgentRun, request: RunRequest): Promise<FinalAnswer> {
    const { workbench, within, parent } = run;
    const { options = {}, own = false } = request;
    const prepared = await orCancelled(prepareRun(run, request, this.#deps), run.control);
    const { agent, plugin, model, history, message } = prepared;
    run.model = model;
    const continues = options.continue === undefined ? undefined : { continues: options.continue };
    const depth = run.chain.length - 1;
    await run.record("run-start", { agent: agent.name, model: model.id, message, depth, ...continues });
    const brought = await bringTools(agent, run, this.#runOnce, this.#deps);
    try {
      const { tools = agent.tools } = brought ?? {};
      run.caller = toCallingAgent({
        // What a prompt calls, it calls for its agent.
        name: own && within ? within.name : agent.name,
        chain: run.chain,
        run: run.id,
        ...(tools && { tools }),
        ...(agent.mode && { mode: agent.mode }),
        ...(plugin !== undefined && { plugin }),
        ...(within && { within }),
        ...(own && parent && { owner: parent.id }),
      });
      return await new Conversation([...history, message], {
        run,
        agent,
        model,
        models: this.#deps.models,
        tools: workbench.toolsFor({ ...workbench.caller, kind: "model", agent: run.caller }, run.boards),
        maxTurns: Math.min(workbench.limits.turns, agent.maxTurns ?? Infinity, options.maxTurns ?? Infinity),
        hideDenied: options.hideDenied ?? false,
      }).hold();
    } finally {
      await brought?.[Symbol.asyncDispose]();
    }
  }

  /** Lets the runs of a session hear its log. */
  #listen({ session, log }: Workbench): void {
    const present = this.#sessions.get(session.id);
    if (present) return void present.runs++;
    const listening = log.listen((event) => {
      if (event.run !== undefined) this.#runs.get(event.run)?.deliver(event);
    });
    this.#sessions.set(session.id, { runs: 1, listening });
  }

  #leave({ session }: Workbench): void {
    const present = this.#sessions.get(session.id);
    if (!present || --present.runs > 0) return;
    present.listening[Symbol.dispose]();
    this.#sessions.delete(session.id);
  }
}

async function recordEnd(run: AgentRun, end: RunEnd): Promise<void> {
  const { run: _, session: __, ...data } = toRunResult(run, end);
  try {
    await run.workbench.log.append("run-end", data, run.about);
  } catch (error) {
    // The answer is there: hiding it would be a second loss.
    run.warn(`The end of the run could not be recorded (${messageOf(error)})`);
  }
}
