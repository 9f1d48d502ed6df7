import type { Agent, Json, SessionView } from "@pegboard/contract";
import type { Registration, Registry } from "./registry.ts";

/** Where an agent is about to run. */
export interface RunPlace {
  /** The run; tools that the agent brings carry it as `source.agent`. */
  readonly run: string;
  readonly session: SessionView;
  /** What a name stands for there, before the agent brings anything. */
  find(name: string): Registration | undefined;
  /** Whether whoever starts the run could make this call without that anybody is asked. */
  allows(name: string, input: Json): Promise<boolean>;
}

/** The tools that an agent brings itself, for one run. Disposing never rejects. */
export interface OwnTools extends AsyncDisposable {
  /** Hangs them on the board of the run. Throws `duplicate` or `invalid_definition`. */
  register(board: Registry): void;
  /** What of it is not there, and the run goes on without. */
  readonly warnings?: readonly string[];
  /** The agent's list of tools, with those of the toolsets it asks for; absent is no list. */
  readonly tools?: readonly string[];
}

/**
 * Loads the toolsets of an agent. Rejects with `invalid_config` when one of them is not known or asks for more than there
 * is, and with what is wrong when one cannot be loaded; then nothing of it is left.
 */
export type LoadOwnTools = (agent: Agent, place: RunPlace, signal: AbortSignal) => Promise<OwnTools>;
