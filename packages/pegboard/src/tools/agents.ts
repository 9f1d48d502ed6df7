import type { Tool } from "@pegboard/contract";
import { agentTool, type AgentToolDeps } from "./agent.ts";
import { delegateTool } from "./delegate.ts";
import { parentTools, type ParentToolDeps } from "./parent.ts";
import { spawnAgentTool, type SpawnToolDeps } from "./spawn-agent.ts";

/** What the tools for agents that work with agents are lent. */
export interface AgentToolsDeps extends AgentToolDeps, SpawnToolDeps, ParentToolDeps {}

/** The tools for agents that work with agents: `agent`, `spawn_agent`, `delegate`, `signal_parent`, `checkin`. */
export function agentTools(deps: AgentToolsDeps): Tool[] {
  return [agentTool(deps), spawnAgentTool(deps), delegateTool(deps), ...parentTools(deps)];
}
