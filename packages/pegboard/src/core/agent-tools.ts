import type { Result } from "@pegboard/contract";
import type { Call, DispatchDeps } from "./call.ts";
import type { Caller } from "./caller.ts";
import { dispatch } from "./dispatch.ts";
import type { Limits } from "./limits.ts";
import type { Registration } from "./registry.ts";
import type { ToolView } from "./tool-view.ts";
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
  return new TurningTools(deps);
}

class TurningTools implements AgentTools {
  readonly #deps: AgentToolsDeps;
  #snapshot: ToolSnapshot | undefined;
  #turn!: ToolTurn;

  constructor(deps: AgentToolsDeps) {
    this.#deps = deps;
  }

  get turn(): ToolTurn {
    const { snapshot } = this.#deps.visible;
    if (this.#snapshot !== snapshot) this.#turn = toTurn(snapshot, this.#deps);
    this.#snapshot = snapshot;
    return this.#turn;
  }
}

/** The most of a result that goes into a conversation; what is cut can be read on. All of that is logged. */
const TURN_CHARACTERS = 24 * 1024;

/** The limits for results that a model reads. */
export function toAgentLimits(limits: Limits): Limits {
  const resultCharacters = Math.min(limits.resultCharacters, TURN_CHARACTERS);
  return { ...limits, resultCharacters, loggedCharacters: Math.max(limits.loggedCharacters, 8 * TURN_CHARACTERS) };
}

function toTurn({ tools, find }: ToolSnapshot, deps: AgentToolsDeps, narrowed?: Narrowed): ToolTurn {
  const { caller, dispatch: session, limits, track } = deps;
  const listed = narrowed ? tools.filter(({ name }) => narrowed.names.has(name)) : tools;
  const names = () => listed.map(({ name }) => name);
  const found = narrowed ? (name: string) => (narrowed.hides(name) ? undefined : find(name)) : find;
  // The rest is the session's own, and not copied: there may be thousands of runs.
  const nested = Object.assign(Object.create(session) as DispatchDeps, { find, names: () => tools.map(nameOf) });
  const own = Object.assign(Object.create(session) as DispatchDeps, { find: found, names, limits, nested });
  if (narrowed)
    Object.assign(own, { missing: (name: string) => (narrowed.hides(name) ? narrowed.missing(name) : undefined) });
  return {
    tools: listed,
    runsBeside: (name) => {
      const registration = found(name);
      return registration === undefined || mayRunBeside(registration);
    },
    onlyReads: (name) => {
      const { capabilities = [] } = find(name)?.tool ?? {};
      return capabilities.length > 0 && capabilities.every((one) => one === "read");
    },
    call: (given) => {
      const call: Call = { ...given, caller, parents: [] };
      return track(call, () => dispatch(call, own));
    },
    narrow: (names, missing) => {
      const all = new Set(tools.map(nameOf));
      return toTurn({ tools, find }, deps, { names, missing, hides: (name) => all.has(name) && !names.has(name) });
    },
  };
}

/** What of a snapshot a turn is told of. */
interface Narrowed {
  readonly names: ReadonlySet<string>;
  /** Whether it is there and not told of. */
  hides(name: string): boolean;
  missing(name: string): string;
}

function nameOf({ name }: ToolView): string {
  return name;
}

function mayRunBeside({ tool: { capabilities = [] } }: Registration): boolean {
  return (
    capabilities.length > 0 && !capabilities.some((one) => one === "write" || one === "process" || one === "state")
  );
}
