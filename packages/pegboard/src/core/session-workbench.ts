import { type AgentToolsDeps, createAgentTools, toAgentLimits } from "./agent-tools.ts";
import { explain } from "./explain.ts";
import type { SessionDispatch } from "./session-dispatch.ts";
import type { Workbench } from "./workbench.ts";

/** Makes what a session lends the runs in it. */
export function createWorkbench(parts: SessionDispatch): Workbench {
  const { session, log, limits, caller, board, work, policy, approveMode } = parts;
  const shared: Pick<AgentToolsDeps, "dispatch" | "limits" | "track"> = {
    dispatch: parts,
    limits: toAgentLimits(limits),
    track: (call, make) => work.track(call, make),
  };
  return {
    session,
    log,
    limits,
    caller,
    headless: approveMode === "none",
    get hooks() {
      return parts.hooks;
    },
    ready: () => (work.problem ? Promise.reject(work.problem) : parts.ready()),
    find: (name) => board.find(name),
    judge: (registration, input, by) => explain(registration, input, by, policy),
    toolsFor: (by, own) => createAgentTools({ ...shared, caller: by, visible: board.visibleTo(by, own) }),
  };
}
