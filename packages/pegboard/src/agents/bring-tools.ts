import type { Agent } from "@pegboard/contract";
import { PegboardError } from "../core/error.ts";
import type { LoadOwnTools, OwnTools } from "../core/own-tools.ts";
import type { AgentRun } from "./agent-run.ts";
import { orCancelled } from "./or-cancelled.ts";
import { type RunOnce, toPromptTool } from "./prompt-tool.ts";
import { toRunPlace } from "./run-place.ts";

/** What an agent's own tools are made with. */
export interface BringToolsDeps {
  /** Loads the toolsets of an agent. Without it, an agent that brings some is refused. */
  readonly toolsets?: LoadOwnTools;
}

/** Hangs the prompts and toolsets that an agent brings on the board of its run. Resolves to what is to be disposed. */
export async function bringTools(
  agent: Agent,
  run: AgentRun,
  runOnce: RunOnce,
  deps: BringToolsDeps,
): Promise<OwnTools | undefined> {
  const [board] = run.boards;
  for (const definition of agent.promptTools ?? []) board.register(toPromptTool(definition, runOnce));
  if (!agent.toolsets || Object.keys(agent.toolsets).length === 0) return undefined;
  if (!deps.toolsets)
    throw new PegboardError("invalid_config", `Agent "${agent.name}" brings toolsets, and nothing here can load them`);
  const loading = deps.toolsets(agent, toRunPlace(run), run.control.signal);
  const brought = await orCancelled(loading, run.control, (late) => late[Symbol.asyncDispose]());
  try {
    brought.register(board);
    for (const warning of brought.warnings ?? []) run.warn(warning);
    return brought;
  } catch (error) {
    await brought[Symbol.asyncDispose]();
    throw error;
  }
}
