/** Who brought an agent, from the lowest layer to the highest: a higher one hides a lower one of the same name. */
export const AGENT_LAYERS = ["virtual", "builtin", "plugin", "project", "user"] as const;
export type AgentLayer = (typeof AGENT_LAYERS)[number];

/** Where an agent comes from. The file of a `virtual` one is a path of the virtual files. */
export interface AgentSource {
  readonly layer: AgentLayer;
  readonly plugin?: string;
  readonly file?: string;
}
