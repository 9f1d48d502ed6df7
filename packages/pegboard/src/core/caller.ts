import type { Agent, CallerKind } from "@pegboard/contract";

/** Who calls: on whose behalf, through which client, and as which agent. */
export interface Caller {
  readonly kind: CallerKind;
  readonly principal: string;
  readonly client: string;
  /** The folder of the session. */
  readonly cwd?: string;
  readonly agent?: CallingAgent;
  /** Whether somebody is there to answer when a call asks. */
  readonly interactive: boolean;
}

/** The agent that calls. `plugin` is the plugin that brought it; `chain` starts at the root agent and ends with this one. */
export interface CallingAgent extends Pick<Agent, "name" | "tools"> {
  readonly plugin?: string;
  readonly chain: readonly string[];
}
