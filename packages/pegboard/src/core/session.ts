import type { Agent, CallerKind, Hooks, Json, Result, SessionView, ToolInstance } from "@pegboard/contract";
import { createAgentTools, toAgentLimits } from "./agent-tools.ts";
import {
  type ApprovalAnswer,
  type ApprovalOutcome,
  type ApprovalRequest,
  Approvals,
  type ApproveMode,
  type Approver,
} from "./approval.ts";
import type { BlobStore } from "./blob.ts";
import type { Call, DispatchDeps } from "./call.ts";
import { Chat, type ChatOptions } from "./chat.ts";
import { cancelled, Control } from "./control.ts";
import { checkInput, dispatch } from "./dispatch.ts";
import { messageOf, PegboardError } from "./error.ts";
import { type Event, type EventData, LOG_SESSION } from "./event.ts";
import { copyJson } from "./json.ts";
import type { Limits } from "./limits.ts";
import { type EventSink, SessionLog } from "./log.ts";
import type { Decision, Policy, Vote } from "./policy.ts";
import { type AnyTool, type Registration, Registry, type RegistryChange } from "./registry.ts";
import { toFailedResult } from "./result.ts";
import type { ResumeOptions, Run, RunOptions } from "./run.ts";
import { type Prepared, PREPARE } from "./sandbox.ts";
import { type Caller, toCallingAgent } from "./caller.ts";
import { scopeProblem } from "./scope.ts";
import type { SecretDeps } from "./secret.ts";
import { foldTasks, type TaskRecord } from "./task-record.ts";
import type { ToolView } from "./tool-view.ts";
import { VisibleTools } from "./visible-tools.ts";
import type { AgentTools, Workbench } from "./workbench.ts";

/** How a session is opened. */
export interface SessionOptions {
  /** Letters, digits, `-` and `_`; by default a random one. An id that the store knows goes on with its log. */
  readonly id?: string;
  readonly principal?: string;
  /** The program that calls, as rules name it. */
  readonly client?: string;
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly metadata?: Readonly<Record<string, Json>>;
  /** The agent on whose behalf all calls are made: its `tools` list is what it sees. */
  readonly agent?: {
    readonly name: string;
    readonly tools?: readonly string[];
    readonly plugin?: string;
    readonly chain?: readonly string[];
  };
  /** Who calls unless a call says otherwise. */
  readonly as?: "model" | "user";
  readonly approver?: Approver;
  /** By default `ask` where there is an approver, else `none`. */
  readonly approve?: ApproveMode;
  /** Tools of this session alone. */
  readonly tools?: readonly AnyTool[];
}

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
  hooks(): readonly Hooks[];
  /** Starts a run of an agent with what the session lends it. */
  run(agent: string | Agent, prompt: Json, options: RunOptions, workbench: Workbench): Run;
  /** Cancels a run of a session, or a task that one gave away, wherever it hangs. Whether there was one. */
  cancel(id: string, session: string): boolean;
  /** Goes on with a run of the session. */
  resume(run: string | undefined, options: ResumeOptions, workbench: Workbench): Promise<Run>;
  readonly saveRule?: ((request: ApprovalRequest, decision: "allow" | "deny") => Promise<void>) | undefined;
  closed(session: Session): void;
}

export interface CallOptions {
  /** Names the call, for `cancel`; by default a random id. */
  readonly id?: string;
  readonly signal?: AbortSignal;
  readonly as?: "model" | "user";
}

export interface ExplainOptions {
  readonly as?: "model" | "user";
  /** As if this agent called. */
  readonly agent?: SessionOptions["agent"];
}

/** One conversation of one client: its tools, its remembered approvals, its log. */
export class Session {
  readonly id: string;
  /** Tools of this session alone; they hide those of the same name on the runtime's board. */
  readonly tools: Registry;
  readonly #deps: SessionDeps;
  readonly #dispatch: DispatchDeps;
  readonly #caller: Caller;
  readonly #log: SessionLog;
  readonly #approvals = new Approvals();
  readonly #calls = new Map<string, { readonly control: Control; readonly done: Promise<unknown> }>();
  readonly #instances = new Map<Registration, Promise<ToolInstance>>();
  readonly #visible = new Map<CallerKind, VisibleTools>();
  readonly #runs = new Map<string, Run>();
  readonly #workbench: Workbench;
  readonly #agentLimits: Limits;
  /** Whether it may go on with what an earlier process left in the store. */
  readonly #resumed: boolean;
  #restored: Promise<void> | undefined;
  #running = 0;
  #made = 0;
  #closing: Promise<void> | undefined;

  constructor(options: SessionOptions, deps: SessionDeps) {
    const { principal = "local", client = "library", cwd = "/", metadata = {}, approver } = options;
    this.id = toSessionId(options.id);
    this.#resumed = options.id !== undefined;
    this.#deps = deps;
    this.tools = new Registry({ layer: "session", source: { kind: "host", id: this.id } });
    if (options.tools) this.tools.register(options.tools);
    const approveMode = toApproveMode(options);
    this.#caller = {
      kind: options.as ?? "model",
      principal,
      client,
      cwd,
      interactive: approveMode === "ask" || approveMode === "wait",
      ...(options.agent && { agent: toCallingAgent(options.agent) }),
    };
    const session: SessionView = Object.freeze({
      id: this.id,
      cwd,
      env: Object.freeze({ ...options.env }),
      metadata: Object.freeze(copyJson(metadata)) as SessionView["metadata"],
    });
    this.#log = new SessionLog(this.id, deps.events, {
      fresh: !this.#resumed,
      start: { principal, client, cwd, metadata: session.metadata, ...(deps.process && { process: deps.process }) },
      redactor: deps.redactor,
    });
    this.#dispatch = {
      session,
      log: this.#log,
      policy: deps.policy,
      approvals: this.#approvals,
      approver,
      approveMode,
      limits: deps.limits,
      get hooks() {
        return deps.hooks();
      },
      find: (name) => this.#find(name),
      names: ({ kind }) => this.#see(kind).map(({ name }) => name),
      instance: (registration) => this.#instance(registration),
      enter: () => this.#enter(),
      restoreApprovals: () => (this.#restored ??= this.#resumed ? this.#restoreApprovals() : Promise.resolve()),
      blobs: deps.blobs,
      secrets: deps.secrets,
      redactor: deps.redactor,
      saveRule: deps.saveRule,
    };
    this.#agentLimits = toAgentLimits(deps.limits);
    this.#workbench = {
      session,
      log: this.#log,
      limits: deps.limits,
      caller: this.#caller,
      headless: approveMode === "none",
      ready: () => (this.#closing ? Promise.reject(this.#closedError()) : deps.ready()),
      find: (name) => this.#find(name),
      judge: (registration, input, caller) => this.#judge(registration, input, caller),
      toolsFor: (caller, own) => this.#toolsFor(caller, own),
    };
  }

  /** The tools that the caller may call now, sorted by name. The list is made anew only when something changed. */
  list(options: { readonly as?: "model" | "user" } = {}): readonly ToolView[] {
    return this.#see(options.as ?? this.#caller.kind);
  }

  /**
   * Runs an agent: its name in the catalog, or the agent itself. The prompt is a text, or what its input schema takes.
   * Never throws: what goes wrong is the result's.
   */
  run(agent: string | Agent, prompt: Json, options: RunOptions = {}): Run {
    return this.#keep(this.#deps.run(agent, prompt, options, this.#workbench));
  }

  /**
   * Goes on with a run of this session whose process ended, at the step where it was; by default with the newest. Rejects
   * with `not_found`, with `invalid_input` for one that is over, and with `busy` when somebody has it at work.
   */
  async resume(run?: string, options: ResumeOptions = {}): Promise<Run> {
    if (this.#closing) throw this.#closedError();
    return this.#keep(await this.#deps.resume(run, options, this.#workbench));
  }

  /** Calls a tool. Never rejects: failure is a result with an error. */
  async call(name: string, input: Json = {}, options: CallOptions = {}): Promise<Result> {
    const { id = crypto.randomUUID(), signal, as } = options;
    const control = new Control(undefined, signal);
    const call: Call = {
      id,
      tool: String(name),
      input,
      caller: as ? { ...this.#caller, kind: as } : this.#caller,
      control,
      parents: [],
    };
    return this.#track(call, () => {
      const preparing = this.#deps.ready();
      return preparing
        ? preparing.then(() => dispatch(call, this.#dispatch), toFailedResult)
        : dispatch(call, this.#dispatch);
    });
  }

  /** Begins a conversation with an agent, in which each prompt goes on from the one before. */
  chat(agent: string | Agent, options?: ChatOptions): Chat {
    return new Chat(
      {
        run: (prompt, given) => this.run(agent, prompt, given),
        change: async (run, change) => {
          if (this.#closing) throw this.#closedError();
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
    const caller: Caller = { ...this.#caller, kind: as, ...(agent && { agent: toCallingAgent(agent) }) };
    const registration = this.#find(name);
    if (!registration) return this.#deps.policy.decideUnknown(name, caller, copyJson(input));
    return this.#judge(registration, input, caller);
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
    const calls = id === undefined ? [...this.#calls.values()] : [this.#calls.get(id) ?? []].flat();
    for (const { control } of calls) control.cancel(cancelled("The call was cancelled"));
    if (id !== undefined) return calls.length + (this.#deps.cancel(id, this.id) ? 1 : 0);
    for (const run of this.#runs.values()) run.cancel();
    return calls.length + this.#runs.size;
  }

  /** History from a sequence number on, then every new event, until the session is closed or the signal fires. */
  events(
    options: { readonly from?: number; readonly signal?: AbortSignal } = {},
  ): AsyncGenerator<Event, void, undefined> {
    return this.#log.events(options);
  }

  /** Cancels what runs, disposes what was opened for this session, and ends its log. */
  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  /** Tells the session that the runtime's board has changed. */
  toolsChanged({ added, removed }: RegistryChange): void {
    if (!this.#log.started || this.#closing) return;
    const before = new Map(removed.map(({ name, tool }) => [name, tool.version]));
    const changed = added.filter(({ name }) => before.has(name));
    const data = {
      added: added.filter(({ name }) => !before.has(name)).map(({ name }) => name),
      removed: removed.filter(({ name }) => !changed.some((other) => other.name === name)).map(({ name }) => name),
      changed: changed.map(({ name, tool }) => {
        const was = before.get(name);
        return {
          name,
          ...(tool.version !== undefined && { version: tool.version }),
          ...(was !== undefined && { was }),
        };
      }),
    };
    void this.#log.append("tools-change", data).catch(() => {});
  }

  async #restoreApprovals(): Promise<void> {
    const session = this.id;
    const types = ["approval-request", "approval-response", "approvals-change"] as const;
    const events = (await Promise.all(types.map((type) => this.#deps.events.read({ session, type }))))
      .flat()
      .sort((a, b) => a.seq - b.seq);
    const requests = new Map<string, EventData["approval-request"]>();
    for (const { type, data } of events) {
      if (type === "approval-request") requests.set(data.id, data);
      if (type === "approvals-change") this.#approvals.forget();
      const request = type === "approval-response" ? requests.get(data.id) : undefined;
      if (request && type === "approval-response") this.#approvals.remember(request, data as ApprovalOutcome);
    }
  }

  /** What scope and policy say about a call. */
  async #judge(registration: Registration, input: Json, caller: Caller): Promise<Decision> {
    const problem = scopeProblem(registration, caller);
    const votes: readonly Vote[] = problem ? [{ by: "scope", approval: "blocked", reason: problem.message }] : [];
    // Rules see the input with its defaults, as in a call; a wrong one is judged as it is.
    const checked = await checkInput(registration, copyJson(input)).catch(() => ({ json: copyJson(input) }));
    return this.#deps.policy.decide(registration, caller, checked.json, votes);
  }

  /** Makes a call known as long as it runs, so that it can be cancelled by its id. */
  async #track({ id, control }: Call, make: () => Promise<Result>): Promise<Result> {
    try {
      if (this.#closing) return toFailedResult(this.#closedError());
      if (this.#calls.has(id))
        return toFailedResult(new PegboardError("duplicate", `A call with the id "${id}" is running already`));
      const done = make();
      this.#calls.set(id, { control, done });
      this.#made++;
      try {
        return await done;
      } finally {
        this.#calls.delete(id);
      }
    } finally {
      control[Symbol.dispose]();
    }
  }

  #keep(run: Run): Run {
    this.#runs.set(run.id, run);
    void run.result.then(() => this.#runs.delete(run.id));
    return run;
  }

  #closedError(): PegboardError {
    return new PegboardError("unavailable", `Session "${this.id}" is closed`);
  }

  #find(name: string): Registration | undefined {
    return this.tools.find(name) ?? this.#deps.registry.find(name);
  }

  #see(kind: CallerKind): readonly ToolView[] {
    let visible = this.#visible.get(kind);
    if (!visible) {
      const { registry, policy } = this.#deps;
      visible = new VisibleTools([this.tools, registry], policy, { ...this.#caller, kind });
      this.#visible.set(kind, visible);
    }
    return visible.snapshot.tools;
  }

  #toolsFor(caller: Caller, own: readonly Registry[]): AgentTools {
    const { registry, policy } = this.#deps;
    return createAgentTools({
      caller,
      visible: new VisibleTools([...own, this.tools, registry], policy, caller),
      dispatch: this.#dispatch,
      limits: this.#agentLimits,
      track: (call, make) => this.#track(call, make),
    });
  }

  #instance(registration: Registration): ToolInstance | Promise<ToolInstance> {
    const { tool } = registration;
    const preparing = (tool as Prepared)[PREPARE]?.();
    if (preparing) return preparing.then(() => ("open" in tool ? this.#open(registration) : tool));
    return "open" in tool ? this.#open(registration) : tool;
  }

  #open(registration: Registration): Promise<ToolInstance> {
    const { name, tool } = registration;
    let instance = this.#instances.get(registration);
    if (!instance && "open" in tool) {
      instance = (async () => tool.open(this.#dispatch.session))().catch((error: unknown) => {
        this.#instances.delete(registration);
        throw new PegboardError(
          "unavailable",
          `Tool "${name}" could not be opened for this session: ${messageOf(error)}`,
          { cause: error },
        );
      });
      this.#instances.set(registration, instance);
    }
    return instance!;
  }

  #enter(): () => void {
    const { calls } = this.#deps.limits;
    if (this.#running >= calls)
      throw new PegboardError("busy", `${calls} calls of this session are running already; try again later`, {
        retryable: true,
      });
    this.#running++;
    return () => void this.#running--;
  }

  async #close(): Promise<void> {
    const calls = [...this.#calls.values()];
    const runs = [...this.#runs.values()];
    for (const { control } of calls) control.cancel(cancelled("The session was closed"));
    for (const run of runs) run.cancel();
    await Promise.all([...calls.map(({ done }) => done), ...runs.map(({ result }) => result)]);
    for (const instance of this.#instances.values()) await dispose(instance);
    if (this.#log.started) await this.#log.append("session-end", { calls: this.#made }).catch(() => {});
    await this.#log.close();
    this.#deps.closed(this);
  }
}

async function dispose(opening: Promise<ToolInstance>): Promise<void> {
  try {
    const instance = await opening;
    await (instance[Symbol.asyncDispose]?.() ?? instance[Symbol.dispose]?.());
  } catch {
    // One tool that cannot clean up must not keep the others from it.
  }
}

/** The id of a session: a new one when none is given. Throws `invalid_input` for one that could be a path. */
export function toSessionId(id: string = crypto.randomUUID()): string {
  if (id === LOG_SESSION)
    throw new PegboardError("invalid_input", `The session id "${id}" is the log's own: choose another`);
  if (/^[A-Za-z0-9][A-Za-z0-9_-]{0,127}$/.test(id)) return id;
  throw new PegboardError(
    "invalid_input",
    `The session id ${JSON.stringify(id.slice(0, 80))} is refused: letters, digits, - and _, at most 128`,
  );
}

function toApproveMode({ approve, approver }: SessionOptions): ApproveMode {
  if (approve === "ask" && !approver) {
    throw new PegboardError(
      "invalid_config",
      `Approve mode "ask" needs an approver: pass one, or choose "none", "all" or "wait"`,
    );
  }
  return approve ?? (approver ? "ask" : "none");
}
