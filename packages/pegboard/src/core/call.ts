import type { CallClient, SessionView, ToolInstance } from "@pegboard/contract";
import type { ApprovalRequest, Approvals, ApproveMode, Approver } from "./approval.ts";
import type { BlobStore } from "./blob.ts";
import type { Control } from "./control.ts";
import type { EventData } from "./event.ts";
import type { HookTable } from "./hooks/table.ts";
import type { Limits } from "./limits.ts";
import type { SessionLog } from "./log.ts";
import type { Policy } from "./policy.ts";
import type { Registration } from "./registry.ts";
import type { Caller } from "./caller.ts";
import type { SecretDeps } from "./secret.ts";

/** One request to run one tool. */
export interface Call {
  readonly id: string;
  readonly tool: string;
  readonly input: unknown;
  readonly caller: Caller;
  readonly control: Control;
  /** The calls around this one, the outermost first. */
  readonly parents: readonly string[];
  /** The approval request of the same call in a process that is gone: its answer counts, also one that is still to come. */
  readonly asked?: EventData["approval-request"] | undefined;
  /** Through whom it was allowed before it was made. */
  readonly approved?: string | undefined;
  /** Whether its question stays open when the call ends with its session and nobody has answered. */
  readonly staysAsked?: (() => boolean) | undefined;
  /** Whom the tool can ask, and the tools that it calls. */
  readonly client?: CallClient | undefined;
}

/** What a session lends its calls. */
export interface DispatchDeps extends SecretDeps {
  readonly session: SessionView;
  readonly log: SessionLog;
  readonly policy: Policy;
  readonly approvals: Approvals;
  readonly approver: Approver | undefined;
  readonly approveMode: ApproveMode;
  readonly limits: Limits;
  /** For the calls that a tool makes, where that is something else. */
  readonly nested?: DispatchDeps;
  readonly hooks: HookTable;
  find(name: string): Registration | undefined;
  /** The names this caller can see, for hints. */
  names(caller: Caller): readonly string[];
  /** Why a tool that is there cannot be called now; absent where there is no such tool. */
  missing?(name: string): string | undefined;
  instance(registration: Registration): ToolInstance<any> | Promise<ToolInstance<any>>;
  /** Takes a place among the calls that run at once, or throws `busy`. Returns how to leave it. */
  enter(): () => void;
  /** Makes the approvals known that were remembered before this process took the session up. */
  restoreApprovals(): Promise<void>;
  readonly blobs: BlobStore;
  /** Keeps an answer as a rule of the operator; absent when there is no place for it. */
  readonly saveRule?: ((request: ApprovalRequest, decision: "allow" | "deny") => Promise<void>) | undefined;
}
