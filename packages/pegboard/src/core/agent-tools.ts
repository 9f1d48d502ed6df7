import type { Result } from "@pegboard/contract";
import type { Call, DispatchDeps } from "./call.ts";
import type { Caller } from "./caller.ts";
import { dispatch } from "./dispatch.ts";
import type { Limits } from "./limits.ts";
import type { Registration } from "./registry.ts";
import type { ToolSnapshot, VisibleTools } from "./visible-tools.ts";
import type { AgentTools, ToolTurn } from "./workbench.ts";

/** What the tools of an agent are made of. */
export interface AgentToolsDeps {
  readonly caller: Caller;
  readonly visible: VisibleTools;
  /** As the session makes calls; those of the agent find what its turn was told of, and get shorter results. */
  readonly dispatch: DispatchDeps;
  /** `toAgentLimits` of the session's. */
  readonly limits: Limits;
  /** Makes a call known as long as it runs. Never rejects. */
  track(call: Call, make: () => Promise<Result>): Promise<Result>;
}

/** Makes the tools of one agent. */
export function createAgentTools(deps: AgentToolsDeps): AgentTools {
  let made: { readonly snapshot: ToolSnapshot; readonly turn: ToolTurn } | undefined;
  return {
    get turn() {
      const { snapshot } = deps.visible;
      if (made?.snapshot !== snapshot) made = { snapshot, turn: toTurn(snapshot, deps) };
      return made.turn;
    },
  };
}

/** The most of a result that goes into a conversation; what is cut can be read on. All of that is logged. */
const TURN_CHARACTERS = 24 * 1024;

/** The limits for results that a model reads. */
export function toAgentLimits(limits: Limits): Limits {
  const resultCharacters = Math.min(limits.resultCharacters, TURN_CHARACTERS);
  return { ...limits, resultCharacters, loggedCharacters: Math.max(limits.loggedCharacters, 8 * TURN_CHARACTERS) };
}

function toTurn({ tools, find }: ToolSnapshot, { caller, dispatch: session, limits, track }: AgentToolsDeps): ToolTurn {
  const names = () => tools.map(({ name }) => name);
  // The rest is the session's own, and not copied: there may be thousands of runs.
  const nested = Object.assign(Object.create(session) as DispatchDeps, { find, names });
  const own = Object.assign(Object.create(session) as DispatchDeps, { find, names, limits, nested });
  return {
    tools,
    runsBeside: (name) => {
      const registration = find(name);
      return registration === undefined || mayRunBeside(registration);
    },
    call: (given) => {
      const call: Call = { ...given, caller, parents: [] };
      return track(call, () => dispatch(call, own));
    },
  };
}

function mayRunBeside({ tool: { capabilities = [] } }: Registration): boolean {
  return (
    capabilities.length > 0 && !capabilities.some((one) => one === "write" || one === "process" || one === "state")
  );
}
