import { toCallingAgent } from "../core/caller.ts";
import type { Models } from "../core/model.ts";
import type { FinalAnswer } from "./acceptance.ts";
import type { AgentRun } from "./agent-run.ts";
import { bringTools, type BringToolsDeps } from "./bring-tools.ts";
import { Conversation } from "./conversation.ts";
import type { PreparedRun } from "./prepare-run.ts";
import type { RunOnce } from "./prompt-tool.ts";
import type { RunRequest } from "./run-request.ts";

/** What a prepared agent converses with. */
export interface ConverseDeps extends BringToolsDeps {
  readonly models: Models;
  /** Goes on with the work that a run had given away when its process ended. */
  takeUpTasks?(run: AgentRun): Promise<void>;
}

/** Hangs up what an agent brings and lets it talk to its model until an answer counts. Rejects when it cannot go on. */
export async function converse(
  run: AgentRun,
  { agent, plugin, model, history, message }: PreparedRun,
  { options = {}, own = false }: RunRequest,
  runOnce: RunOnce,
  deps: ConverseDeps,
): Promise<FinalAnswer> {
  const { workbench, within, parent } = run;
  const brought = await bringTools(agent, run, runOnce, deps);
  try {
    const { tools = agent.tools } = brought ?? {};
    run.caller = toCallingAgent({
      // What a prompt calls, it calls for its agent.
      name: own && within ? within.name : agent.name,
      chain: run.chain,
      run: run.id,
      ...(tools && { tools }),
      ...(agent.mode && { mode: agent.mode }),
      ...(plugin !== undefined && { plugin }),
      ...(within && { within }),
      ...(own && parent && { owner: parent.id }),
    });
    if (run.from) await deps.takeUpTasks?.(run);
    return await new Conversation(run.from ? history : [...history, message], {
      run,
      agent,
      model,
      models: deps.models,
      tools: workbench.toolsFor({ ...workbench.caller, kind: "model", agent: run.caller }, run.boards),
      maxTurns: Math.min(workbench.limits.turns, agent.maxTurns ?? Infinity, options.maxTurns ?? Infinity),
      hideDenied: options.hideDenied ?? false,
    }).hold();
  } finally {
    await brought?.[Symbol.asyncDispose]();
  }
}
