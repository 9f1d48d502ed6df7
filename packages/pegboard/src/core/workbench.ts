import type { Json, Result, SessionView } from "@pegboard/contract";
import type { Caller } from "./caller.ts";
import type { Control } from "./control.ts";
import type { EventData } from "./event.ts";
import type { HookTable } from "./hooks/table.ts";
import type { Limits } from "./limits.ts";
import type { Decision } from "./policy.ts";
import type { SessionLog } from "./log.ts";
import type { Registration, Registry } from "./registry.ts";
import type { ToolView } from "./tool-view.ts";

/** What a session lends the runs in it. */
export interface Workbench {
  readonly session: SessionView;
  readonly log: SessionLog;
  readonly limits: Limits;
  /** On whose behalf runs are made. */
  readonly caller: Caller;
  /** Whether what asks is denied because nobody is there to answer. */
  readonly headless: boolean;
  /** The hooks that take part now. */
  readonly hooks: HookTable;
  /** Resolves when calls can be made. Rejects when none can be made any more. */
  ready(): Promise<void> | undefined;
  /** What a name stands for in the session, whoever asks. */
  find(name: string): Registration | undefined;
  /** What scope and policy say about a call, without making it. */
  judge(registration: Registration, input: Json, caller: Caller): Promise<Decision>;
  /** The tools of one agent, its own boards before those of the session and of the runtime. */
  toolsFor(caller: Caller, own: readonly Registry[]): AgentTools;
}

/** The tools of one agent. */
export interface AgentTools {
  /** What it sees now; the same object as long as nothing changes. */
  readonly turn: ToolTurn;
}

/** The tools of one turn: what is listed is what may be called. */
export interface ToolTurn {
  readonly tools: readonly ToolView[];
  /** Whether calls of this tool may run beside others: those that change something run one after another, in order. */
  runsBeside(name: string): boolean;
  /** Whether calls of this tool read and do nothing else. */
  onlyReads(name: string): boolean;
  /** Never rejects. */
  call(call: TurnCall): Promise<Result>;
  /** The same with these tools alone; `missing` says why another one of them cannot be called. */
  narrow(names: ReadonlySet<string>, missing: (name: string) => string): ToolTurn;
}

/** One call of a turn. */
export interface TurnCall {
  readonly id: string;
  readonly tool: string;
  readonly input: Json;
  readonly control: Control;
  /** The approval request of the same call in a process that is gone. */
  readonly asked?: EventData["approval-request"] | undefined;
}
