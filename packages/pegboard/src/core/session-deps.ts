import type { Agent, Json } from "@pegboard/contract";
import type { ApprovalRequest } from "./approval.ts";
import type { BlobStore } from "./blob.ts";
import type { HookTable } from "./hooks/table.ts";
import type { Limits } from "./limits.ts";
import type { EventSink } from "./log.ts";
import type { Policy } from "./policy.ts";
import type { Registry } from "./registry.ts";
import type { ResumeOptions, Run, RunOptions } from "./run.ts";
import type { SecretDeps } from "./secret.ts";
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
  /** The session of this id is closed. */
  closed(session: string): void;
}
