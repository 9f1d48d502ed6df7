import type { Result } from "@pegboard/contract";
import { createAgentTools, toAgentLimits } from "./agent-tools.ts";
import type { Call, DispatchDeps } from "./call.ts";
import type { Caller } from "./caller.ts";
import { explain } from "./explain.ts";
import type { SessionBoard } from "./session-board.ts";
import type { SessionWork } from "./session-work.ts";
import type { Workbench } from "./workbench.ts";

/** What a workbench is made of. */
export interface WorkbenchDeps {
  readonly caller: Caller;
  readonly board: SessionBoard;
  readonly work: SessionWork;
  readonly dispatch: DispatchDeps;
  /** Resolves when calls can be made; undefined when that is now. */
  ready(): Promise<void> | undefined;
}

/** Makes what a session lends the runs in it. */
export function createWorkbench({ caller, board, work, dispatch, ready }: WorkbenchDeps): Workbench {
  const { session, log, limits, policy, approveMode } = dispatch;
  const shared = {
    dispatch,
    limits: toAgentLimits(limits),
    track: (call: Call, make: () => Promise<Result>) => work.track(call, make),
  };
  return {
    session,
    log,
    limits,
    caller,
    headless: approveMode === "none",
    get hooks() {
      return dispatch.hooks;
    },
    ready: () => (work.problem ? Promise.reject(work.problem) : ready()),
    find: (name) => board.find(name),
    judge: (registration, input, by) => explain(registration, input, by, policy),
    toolsFor: (by, own) => createAgentTools({ ...shared, caller: by, visible: board.visibleTo(by, own) }),
  };
}
