import type { Agent, Json, Result } from "@pegboard/contract";
import type { ApprovalAnswer, ApprovalRequest } from "./approval.ts";
import type { Call } from "./call.ts";
import { type Caller, toCallingAgent } from "./caller.ts";
import { Chat, type ChatOptions } from "./chat.ts";
import { Control } from "./control.ts";
import { dispatch } from "./dispatch.ts";
import type { Event } from "./event.ts";
import { explain } from "./explain.ts";
import { copyJson } from "./json.ts";
import { newId } from "./new-id.ts";
import type { Decision } from "./policy.ts";
import { type Question, question } from "./question.ts";
import type { Registry, RegistryChange } from "./registry.ts";
import { toFailedResult } from "./result.ts";
import type { ResumeOptions, Run, RunOptions } from "./run.ts";
import type { SessionDeps } from "./session-deps.ts";
import { SessionDispatch } from "./session-dispatch.ts";
import { toSessionId } from "./session-id.ts";
import type { CallOptions, ExplainOptions, SessionOptions } from "./session-options.ts";
import { createWorkbench } from "./session-workbench.ts";
import { foldTasks, type TaskRecord } from "./task-record.ts";
import type { ToolView } from "./tool-view.ts";
import { toToolsChange } from "./tools-change.ts";
import type { Workbench } from "./workbench.ts";

/** One conversation of one client: its tools, its remembered approvals, its log. */
export class Session {
  readonly id: string;
  readonly #deps: SessionDeps;
  readonly #parts: SessionDispatch;
  /** Whether it may go on with what an earlier process left in the store. */
  readonly #resumed: boolean;
  #lent: Workbench | undefined;
  #closed: PromiseWithResolvers<void> | undefined;
  #closing: Promise<void> | undefined;

  constructor(options: SessionOptions, deps: SessionDeps) {
    this.id = toSessionId(options.id);
    this.#resumed = options.id !== undefined;
    this.#deps = deps;
    this.#parts = new SessionDispatch(this.id, options, deps, this.#resumed);
    if (options.tools) this.tools.register(options.tools);
  }

  /** Tools of this session alone; they hide those of the same name on the runtime's board. */
  get tools(): Registry {
    return this.#parts.board.own;
  }

  /** The tools that the caller may call now, sorted by name. The list is made anew only when something changed. */
  list(options: { readonly as?: "model" | "user" } = {}): readonly ToolView[] {
    return this.#parts.board.list(options.as ?? this.#parts.caller.kind);
  }

  /** Whether a plugin waits for its tag, and no prompt of this session has said it. */
  waitsFor(plugin: string): boolean {
    return this.#parts.tags.isOff(plugin);
  }

  /**
   * Runs an agent: its name in the catalog, or the agent itself. The prompt is a text, or what its input schema takes.
   * Never throws: what goes wrong is the result's.
   */
  run(agent: string | Agent, prompt: Json, options: RunOptions = {}): Run {
    this.#parts.tags.hear(prompt);
    return this.#parts.work.keep(this.#deps.run(agent, prompt, options, this.#workbench));
  }

  /**
   * Goes on with a run of this session whose process ended, at the step where it was; by default with the newest. Rejects
   * with `not_found`, with `invalid_input` for one that is over, and with `busy` when somebody has it at work.
   */
  async resume(run?: string, options: ResumeOptions = {}): Promise<Run> {
    if (this.#parts.work.problem) throw this.#parts.work.problem;
    return this.#parts.work.keep(await this.#deps.resume(run, options, this.#workbench));
  }

  /** Calls a tool. Never rejects: failure is a result with an error. */
  call(name: string, input: Json = {}, options: CallOptions = {}): Promise<Result> {
    const { id = newId(), signal, as, approved, staysAsked, client } = options;
    const caller = as ? { ...this.#parts.caller, kind: as } : this.#parts.caller;
    const control = new Control(undefined, signal);
    const call: Call = { id, tool: String(name), input, caller, control, parents: [], approved, staysAsked, client };
    return this.#parts.work.track(call, () => {
      const preparing = this.#parts.ready();
      return preparing
        ? preparing.then(() => dispatch(call, this.#parts), toFailedResult)
        : dispatch(call, this.#parts);
    });
  }

  /** Begins a conversation with an agent, in which each prompt goes on from the one before. */
  chat(agent: string | Agent, options?: ChatOptions): Chat {
    return new Chat(
      {
        waiting: this.#deps.limits.waiting,
        run: (prompt, given) => this.run(agent, prompt, given),
        change: async (run, change) => {
          if (this.#parts.work.problem) throw this.#parts.work.problem;
          await this.#parts.log.append("transcript-change", change, { run });
        },
      },
      options,
    );
  }

  /**
   * What policy says about a call, without making it: nothing runs, nobody is asked, nothing is written. A tool that is
   * not on the board is judged by its name.
   */
  async explain(name: string, input: Json = {}, options: ExplainOptions = {}): Promise<Decision> {
    const { as = this.#parts.caller.kind, agent } = options;
    const { policy } = this.#deps;
    const caller: Caller = { ...this.#parts.caller, kind: as, ...(agent && { agent: toCallingAgent(agent) }) };
    const registration = this.#parts.board.find(name);
    if (!registration) return policy.decideUnknown(name, caller, copyJson(input));
    return explain(registration, input, caller, policy);
  }

  /**
   * What somebody would be asked before a call of the session's caller runs; undefined when nobody would: it is allowed,
   * covered by an earlier answer, or refused. Hooks are not run. Who asks by themselves calls with `approved` then.
   */
  async question(name: string, input: Json = {}): Promise<Question | undefined> {
    try {
      // Secrets must be known before anything is shown.
      await this.#deps.ready();
    } catch {
      return undefined;
    }
    const registration = this.#parts.board.find(name);
    return registration && question(registration, input, this.#parts.caller, this.#parts);
  }

  /** The approval requests that wait for `answer`. */
  get pending(): readonly ApprovalRequest[] {
    return this.#parts.approvals.pending;
  }

  /** Answers a waiting approval request. Throws `not_found` or `invalid_input`. */
  answer(approvalId: string, answer: ApprovalAnswer): void {
    this.#parts.approvals.answer(approvalId, answer);
  }

  /** Forgets the approvals that were remembered for this session. */
  forgetApprovals(): void {
    this.#parts.approvals.forget();
    if (this.#parts.log.started || this.#resumed)
      void this.#parts.log.append("approvals-change", { forgotten: true }).catch(() => {});
  }

  /** The work that agents of this session gave away, as the log tells it, in order. */
  async tasks(): Promise<readonly TaskRecord[]> {
    return foldTasks(await this.#parts.log.read());
  }

  /** Cancels one call, run or task, with all that it started, or everything. How many there were. */
  cancel(id?: string): number {
    if (id === undefined) return this.#parts.work.cancelAll();
    const found = [this.#parts.work.cancelCall(id), this.#deps.cancel(id, this.id)];
    return found.filter(Boolean).length;
  }

  /** History from a sequence number on, then every new event, until the session is closed or the signal fires. */
  events(
    options: { readonly from?: number; readonly signal?: AbortSignal } = {},
  ): AsyncGenerator<Event, void, undefined> {
    return this.#parts.log.events(options);
  }

  /** Calls the listener with every event of this process from now on, also with those that pass. It must not throw. */
  listen(listener: (event: Event) => void): Disposable {
    return this.#parts.log.listen(listener);
  }

  /** Whether it takes no more work: it is closed, or about to be. */
  get closing(): boolean {
    return this.#closing !== undefined;
  }

  /** Resolves once it is closed, whoever closes it. */
  get closed(): Promise<void> {
    return (this.#closed ??= Promise.withResolvers()).promise;
  }

  /** Whether calls or runs are at work in it, those that wait for an answer included. */
  get atWork(): boolean {
    return this.#parts.work.busy;
  }

  /**
   * Cancels what runs, disposes what was opened for this session, and ends its log; with `keep` it is on record, to be gone on
   * with, also when it was never used.
   */
  close({ keep = false }: { readonly keep?: boolean } = {}): Promise<void> {
    this.#closing ??= this.#close(keep);
    return this.#closing;
  }

  /** Tells the session that the runtime's board has changed. */
  toolsChanged(change: RegistryChange): void {
    if (this.#closing) return;
    // A session that was not used has no record yet: a change of its tools is none to begin with.
    if (this.#parts.log.started) void this.#parts.log.append("tools-change", toToolsChange(change)).catch(() => {});
    else this.#parts.log.emit("tools-change", toToolsChange(change));
  }

  /** What it lends the runs in it. */
  get #workbench(): Workbench {
    return (this.#lent ??= createWorkbench(this.#parts));
  }

  async #close(keep: boolean): Promise<void> {
    await this.#parts.work.end();
    await this.#parts.instances[Symbol.asyncDispose]();
    if (this.#parts.log.started || keep)
      await this.#parts.log.append("session-end", { calls: this.#parts.work.made }).catch(() => {});
    await this.#parts.log.close();
    this.#deps.closed(this.id);
    (this.#closed ??= Promise.withResolvers()).resolve();
  }
}
