import type { SessionConfigOption, SessionModeState } from "@agentclientprotocol/sdk";
import type { AgentEntry } from "../../agents/catalog.ts";
import { PegboardError } from "../../core/error.ts";

/** What happens to a call that asks. What is blocked is blocked in every mode. */
const MODES = [
  { id: "ask", name: "Ask", description: "Calls that need approval are asked about" },
  { id: "none", name: "Deny", description: "Calls that need approval are denied without asking" },
  { id: "all", name: "Allow all", description: "Calls that need approval are allowed without asking" },
] as const;

export type Mode = (typeof MODES)[number]["id"];

/** What a session is set to. */
export interface AcpSettings {
  /** Absent where the operator has said what holds. */
  readonly mode: Mode | undefined;
  readonly agent: string;
}

/** The mode that a client chooses. Throws `invalid_input` for one that is none, and where none can be chosen. */
export function toMode(current: Mode | undefined, asked: unknown): Mode {
  const found = MODES.find(({ id }) => id === asked);
  if (found && current !== undefined) return found.id;
  const why =
    current === undefined ? "it was started with one that holds" : `there are ${MODES.map(({ id }) => id).join(", ")}`;
  throw new PegboardError("invalid_input", `The mode "${String(asked)}" cannot be chosen: ${why}`);
}

/** The modes of a session, for clients that know nothing of options. */
export function toModeState({ mode }: AcpSettings): { modes?: SessionModeState } {
  return mode === undefined ? {} : { modes: { currentModeId: mode, availableModes: [...MODES] } };
}

/** What of a session the client can choose: its mode, and the agent that is talked with. */
export function toConfigOptions({ mode, agent }: AcpSettings, agents: readonly AgentEntry[]): SessionConfigOption[] {
  const modes = MODES.map(({ id, ...told }) => ({ value: id, ...told }));
  const choices = agents
    .filter(({ held }) => !held)
    .map(({ name, agent: { description } }) => ({
      value: name,
      name,
      ...(description !== "" && { description }),
    }));
  return [
    ...(mode === undefined
      ? []
      : [
          {
            type: "select" as const,
            id: "mode",
            name: "Approval",
            category: "mode",
            currentValue: mode,
            options: modes,
          },
        ]),
    { type: "select", id: "agent", name: "Agent", currentValue: agent, options: choices },
  ];
}
