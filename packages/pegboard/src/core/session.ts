import type { Agent, Json, Result } from "@pegboard/contract";
import { type ApprovalAnswer, type ApprovalRequest, Approvals } from "./approval.ts";
import type { BlobStore } from "./blob.ts";
import type { Call, DispatchDeps } from "./call.ts";
import { type Caller, toCallingAgent } from "./caller.ts";
import { Chat, type ChatOptions } from "./chat.ts";
import { Control } from "./control.ts";
import { dispatch } from "./dispatch.ts";
import type { Event } from "./event.ts";
import { explain } from "./explain.ts";
import { createSessionHooks } from "./hooks/session-hooks.ts";
import type { HookTable } from "./hooks/table.ts";
import { copyJson } from "./json.ts";
import type { Limits } from "./limits.ts";
import { type EventSink, SessionLog } from "./log.ts";
import type { Decision, Policy } from "./policy.ts";
import { type Question, question } from "./question.ts";
import type { Registry, RegistryChange } from "./registry.ts";
import { restoreApprovals } from "./restore-approvals.ts";
import { toFailedResult } from "./result.ts";
import type { ResumeOptions, Run, RunOptions } from "./run.ts";
import type { SecretDeps } from "./secret.ts";
import { SessionBoard } from "./session-board.ts";
import { toSessionId } from "./session-id.ts";
import {
  type CallOptions,
  type ExplainOptions,
  type SessionOptions,
  toApproveMode,
  toSessionCaller,
  toSessionView,
} from "./session-options.ts";
import { SessionTags } from "./session-tags.ts";
import { SessionWork } from "./session-work.ts";
import { createWorkbench } from "./session-workbench.ts";
import { foldTasks, type TaskRecord } from "./task-record.ts";
import { ToolInstances } from "./tool-instances.ts";
import type { ToolView } from "./tool-view.ts";
import { toToolsChange } from "./tools-change.ts";
import type { Workbench } from "./workbench.ts";

/** What the runtime lends its sessions. */
export interface SessionDeps extends SecretDeps {
  readonly registry: Registry;
  readonly policy: Policy;
  readonly limits: Limits;
  readonly events: EventSink;
  readonly blobs: BlobStore;
  /** Names this process, where there are several. */
  readonly process?: string | undefined;
  /** Resolves when what earlier processes left behind has been dealt with; undefined once it has. */
  ready(): Promise<void> | undefined;
  /** The hooks that take part now. */
  hooks(): HookTable;
  /** The plugins that wait for their tag in a prompt. */
  tagged(): ReadonlySet<string>;
  /** Starts a run of an agent with what the session lends it. */
  run(agent: string | Agent, prompt: Json, options: RunOptions, workbench: Workbench): Run;
  /** Cancels a run of a session, or a task that one gave away, wherever it hangs. Whether there was one. */
  cancel(id: string, session: string): boolean;
  /** Goes on with a run of the session. */
  resume(run: string | undefined, options: ResumeOptions, workbench: Workbench): Promise<Run>;
  readonly saveRule?: ((request: ApprovalRequest, decision: "allow" | "deny") => Promise<void>) | undefined;
  closed(session: Session): void;
}

/** One conversation of one client: its tools, its remembered approvals, its log. */
export class Session {
  readonly id: string;
  /** Tools of this session alone; they hide those of the same name on the runtime's board. */
  readonly tools: Registry;
  readonly #deps: SessionDeps;
  readonly #caller: Caller;
  readonly #board: SessionBoard;
  readonly #log: SessionLog;
  readonly #approvals = new Approvals();
  readonly #tags: SessionTags;
  readonly #instances: ToolInstances;
  readonly #work: SessionWork;
  readonly #dispatch: DispatchDeps;
  readonly #workbench: Workbench;
  /** Whether it may go on with what an earlier process left in the store. */
  readonly #resumed: boolean;
  readonly #closed = Promise.withResolvers<void>();
  #restored: Promise<void> | undefined;
  #closing: Promise<void> | undefined;

  constructor(options: SessionOptions, deps: SessionDeps) {
    this.id = toSessionId(options.id);
    this.#resumed = options.id !== undefined;
    this.#deps = deps;
    const { policy, blobs, secrets, redactor, saveRule, process } = deps;
    const { resultCharacters = Infinity } = options;
    const limits = { ...deps.limits, resultCharacters: Math.min(resultCharacters, deps.limits.resultCharacters) };
    const approveMode = toApproveMode(options);
    const tags = (this.#tags = new SessionTags({
      log: { append: (...event) => this.#log.append(...event) },
      events: deps.events,
      session: this.id,
      resumed: this.#resumed,
      tagged: () => deps.tagged(),
    }));
    const caller = (this.#caller = { ...toSessionCaller(options, approveMode), tags });
    const { principal, client } = caller;
    const session = toSessionView(this.id, options);
    const { cwd, metadata } = session;
    const board = (this.#board = new SessionBoard(this.id, caller, deps));
    this.tools = board.own;
    if (options.tools) this.tools.register(options.tools);
    const work = (this.#work = new SessionWork(this.id, limits.calls));
    this.#instances = new ToolInstances(session);
    this.#log = new SessionLog(this.id, deps.events, {
      fresh: !this.#resumed,
      start: { principal, client, cwd, metadata, ...(process && { process }) },
      redactor,
    });
    const hooks = createSessionHooks({ hooks: () => deps.hooks(), tags, plugin: options.plugin });
    this.#dispatch = {
      session,
      log: this.#log,
      policy,
      approvals: this.#approvals,
      approver: options.approver,
      approveMode,
      limits,
      get hooks() {
        return hooks();
      },
      find: (name) => board.find(name),
      names: ({ kind }) => board.list(kind).map(({ name }) => name),
      instance: (registration) => this.#instances.get(registration),
      enter: () => work.enter(),
      restoreApprovals: () => (this.#restored ??= this.#restore()),
      blobs,
      secrets,
      redactor,
      saveRule,
    };
    this.#workbench = createWorkbench({ caller, board, work, dispatch: this.#dispatch, ready: () => this.#ready() });
  }

  /** The tools that the caller may call now, sorted by name. The list is made anew only when something changed. */
  list(options: { readonly as?: "model" | "user" } = {}): readonly ToolView[] {
    return this.#board.list(options.as ?? this.#caller.kind);
  }

  /** Whether a plugin waits for its tag, and no prompt of this session has said it. */
  waitsFor(plugin: string): boolean {
    return this.#tags.isOff(plugin);
  }

  /**
   * Runs an agent: its name in the catalog, or the agent itself. The prompt is a text, or what its input schema takes.
   * Never throws: what goes wrong is the result's.
   */
  run(agent: string | Agent, prompt: Json, options: RunOptions = {}): Run {
    this.#tags.hear(prompt);
    return this.#work.keep(this.#deps.run(agent, prompt, options, this.#workbench));
  }

  /**
   * Goes on with a run of this session whose process ended, at the step where it was; by default with the newest. Rejects
   * with `not_found`, with `invalid_input` for one that is over, and with `busy` when somebody has it at work.
   */
  async resume(run?: string, options: ResumeOptions = {}): Promise<Run> {
    if (this.#work.problem) throw this.#work.problem;
    return this.#work.keep(await this.#deps.resume(run, options, this.#workbench));
  }

  /** Calls a tool. Never rejects: failure is a result with an error. */
  async call(name: string, input: Json = {}, options: CallOptions = {}): Promise<Result> {
    const { id = crypto.randomUUID(), signal, as, approved, client } = options;
    const caller = as ? { ...this.#caller, kind: as } : this.#caller;
    const control = new Control(undefined, signal);
    const call: Call = { id, tool: String(name), input, caller, control, parents: [], approved, client };
    return this.#work.track(call, () => {
      const preparing = this.#ready();
      return preparing
        ? preparing.then(() => dispatch(call, this.#dispatch), toFailedResult)
        : dispatch(call, this.#dispatch);
    });
  }

  /** Begins a conversation with an agent, in which each prompt goes on from the one before. */
  chat(agent: string | Agent, options?: ChatOptions): Chat {
    return new Chat(
      {
        waiting: this.#deps.limits.waiting,
        run: (prompt, given) => this.run(agent, prompt, given),
        change: async (run, change) => {
          if (this.#work.problem) throw this.#work.problem;
          await this.#log.append("transcript-change", change, { run });
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
    const { as = this.#caller.kind, agent } = options;
    const { policy } = this.#deps;
    const caller: Caller = { ...this.#caller, kind: as, ...(agent && { agent: toCallingAgent(agent) }) };
    const registration = this.#board.find(name);
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
    const registration = this.#board.find(name);
    return registration && question(registration, input, this.#caller, this.#dispatch);
  }

  /** The approval requests that wait for `answer`. */
  get pending(): readonly ApprovalRequest[] {
    return this.#approvals.pending;
  }

  /** Answers a waiting approval request. Throws `not_found` or `invalid_input`. */
  answer(approvalId: string, answer: ApprovalAnswer): void {
    this.#approvals.answer(approvalId, answer);
  }

  /** Forgets the approvals that were remembered for this session. */
  forgetApprovals(): void {
    this.#approvals.forget();
    // What is being restored, or would be at the next call, is forgotten too.
    this.#restored = this.#restored?.then(() => this.#approvals.forget()) ?? Promise.resolve();
    if (this.#log.started || this.#resumed)
      void this.#log.append("approvals-change", { forgotten: true }).catch(() => {});
  }

  /** The work that agents of this session gave away, as the log tells it, in order. */
  async tasks(): Promise<readonly TaskRecord[]> {
    return foldTasks(await this.#log.read());
  }

  /** Cancels one call, run or task, with all that it started, or everything. How many there were. */
  cancel(id?: string): number {
    if (id === undefined) return this.#work.cancelAll();
    const found = [this.#work.cancelCall(id), this.#deps.cancel(id, this.id)];
    return found.filter(Boolean).length;
  }

  /** History from a sequence number on, then every new event, until the session is closed or the signal fires. */
  events(
    options: { readonly from?: number; readonly signal?: AbortSignal } = {},
  ): AsyncGenerator<Event, void, undefined> {
    return this.#log.events(options);
  }

  /** Calls the listener with every event of this process from now on, also with those that pass. It must not throw. */
  listen(listener: (event: Event) => void): Disposable {
    return this.#log.listen(listener);
  }

  /** Whether it takes no more work: it is closed, or about to be. */
  get closing(): boolean {
    return this.#closing !== undefined;
  }

  /** Resolves once it is closed, whoever closes it. */
  get closed(): Promise<void> {
    return this.#closed.promise;
  }

  /** Cancels what runs, disposes what was opened for this session, and ends its log. */
  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  /** Tells the session that the runtime's board has changed. */
  toolsChanged(change: RegistryChange): void {
    if (this.#closing) return;
    // A session that was not used has no record yet: a change of its tools is none to begin with.
    if (this.#log.started) void this.#log.append("tools-change", toToolsChange(change)).catch(() => {});
    else this.#log.emit("tools-change", toToolsChange(change));
  }

  #ready(): Promise<void> | undefined {
    const tags = this.#tags.ready();
    const preparing = this.#deps.ready();
    return tags && preparing ? preparing.then(() => tags) : (tags ?? preparing);
  }

  async #restore(): Promise<void> {
    if (this.#resumed) await restoreApprovals(this.#approvals, this.id, this.#deps.events);
  }

  async #close(): Promise<void> {
    await this.#work.end();
    await this.#instances[Symbol.asyncDispose]();
    if (this.#log.started) await this.#log.append("session-end", { calls: this.#work.made }).catch(() => {});
    await this.#log.close();
    this.#deps.closed(this);
    this.#closed.resolve();
  }
}
