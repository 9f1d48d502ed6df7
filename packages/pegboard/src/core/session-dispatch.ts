import type { SessionView, ToolInstance } from "@pegboard/contract";
import { Approvals, type ApproveMode, type Approver } from "./approval.ts";
import type { BlobStore } from "./blob.ts";
import type { DispatchDeps } from "./call.ts";
import type { Caller } from "./caller.ts";
import { SessionHooks } from "./hooks/session-hooks.ts";
import type { HookTable } from "./hooks/table.ts";
import { type Limits, lowerResultLimit } from "./limits.ts";
import { SessionLog } from "./log.ts";
import type { Policy } from "./policy.ts";
import type { Redactor } from "./redact.ts";
import type { Registration } from "./registry.ts";
import { restoreApprovals } from "./restore-approvals.ts";
import type { Secrets } from "./secret.ts";
import { SessionBoard } from "./session-board.ts";
import type { SessionDeps } from "./session-deps.ts";
import { type SessionOptions, toApproveMode, toSessionCaller, toSessionView } from "./session-options.ts";
import { SessionTags } from "./session-tags.ts";
import { SessionWork } from "./session-work.ts";
import { ToolInstances } from "./tool-instances.ts";

/**
 * The parts of one session, as its calls are lent them. There may be thousands that are idle: the parts share what they can,
 * and are empty until they are used. Runs lend it on with parts of their own, so that nothing here is private to the object.
 */
export class SessionDispatch implements DispatchDeps {
  readonly session: SessionView;
  readonly caller: Caller;
  readonly log: SessionLog;
  readonly tags: SessionTags;
  readonly board: SessionBoard;
  readonly work: SessionWork;
  readonly approvals: Approvals;
  readonly approver: Approver | undefined;
  readonly approveMode: ApproveMode;
  readonly limits: Limits;
  readonly instances: ToolInstances;
  readonly ownHooks: SessionHooks;
  readonly deps: SessionDeps;

  /** `resumed` says that an earlier process may have left something in the log. */
  constructor(id: string, options: SessionOptions, deps: SessionDeps, resumed: boolean) {
    const { events, process, redactor } = deps;
    this.deps = deps;
    this.limits = lowerResultLimit(deps.limits, options.resultCharacters);
    this.approver = options.approver;
    this.approveMode = toApproveMode(options);
    this.session = toSessionView(id, options);
    const { principal, client, ...caller } = toSessionCaller(options, this.approveMode);
    const { cwd, metadata } = this.session;
    const { as } = options;
    const start = { principal, client, cwd, metadata, ...(as && { as }), ...(process && { process }) };
    this.log = new SessionLog(id, events, { fresh: !resumed, start, redactor });
    this.tags = new SessionTags(this.log, deps, resumed);
    this.caller = { ...caller, principal, client, tags: this.tags };
    this.board = new SessionBoard(id, this.caller, deps);
    this.work = new SessionWork(id, this.limits.calls);
    this.approvals = new Approvals(resumed ? (known) => restoreApprovals(known, id, events) : undefined);
    this.instances = new ToolInstances(this.session);
    this.ownHooks = new SessionHooks(deps, this.tags, options.plugin);
  }

  get policy(): Policy {
    return this.deps.policy;
  }

  get blobs(): BlobStore {
    return this.deps.blobs;
  }

  get secrets(): Secrets {
    return this.deps.secrets;
  }

  get redactor(): Redactor {
    return this.deps.redactor;
  }

  get saveRule(): DispatchDeps["saveRule"] {
    return this.deps.saveRule;
  }

  get hooks(): HookTable {
    return this.ownHooks.table;
  }

  find(name: string): Registration | undefined {
    return this.board.find(name);
  }

  names({ kind }: Caller): readonly string[] {
    return this.board.list(kind).map(({ name }) => name);
  }

  instance(registration: Registration): ToolInstance | Promise<ToolInstance> {
    return this.instances.get(registration);
  }

  enter(): () => void {
    return this.work.enter();
  }

  restoreApprovals(): Promise<void> {
    return this.approvals.restore();
  }

  /** Resolves when calls can be made; undefined when that is now. */
  ready(): Promise<void> | undefined {
    const tags = this.tags.ready();
    const preparing = this.deps.ready();
    return tags && preparing ? preparing.then(() => tags) : (tags ?? preparing);
  }
}
