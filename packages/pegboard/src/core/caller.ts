import type { Agent, CallerKind } from "@pegboard/contract";
import type { Tags } from "./session-tags.ts";

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
  /** Absent: no plugin waits for its tag. */
  readonly tags?: Tags;
}

/** The agent that calls. `plugin` is the plugin that brought it; `chain` starts at the root agent and ends with this one. */
export interface CallingAgent extends Pick<Agent, "name" | "tools" | "mode"> {
  readonly plugin?: string;
  readonly chain: readonly string[];
  /** The run it calls in. */
  readonly run?: string;
  /** The agent that started it: what that one may not see, this one may not either. */
  readonly within?: CallingAgent;
  /** Of a prompt: the run of the agent whose prompt it is. It may use what that agent brought. */
  readonly owner?: string;
}

/** An agent as a caller, frozen. Its chain is itself alone when nothing else is said. */
export function toCallingAgent(
  agent: Omit<CallingAgent, "chain"> & { readonly chain?: readonly string[] },
): CallingAgent {
  const { name, tools, mode, plugin, run, within, owner, chain = [name] } = agent;
  return Object.freeze({
    name,
    chain: Object.freeze([...chain]),
    ...(tools && { tools }),
    ...(mode && { mode }),
    ...(plugin !== undefined && { plugin }),
    ...(run !== undefined && { run }),
    ...(within && { within }),
    ...(owner !== undefined && { owner }),
  });
}
