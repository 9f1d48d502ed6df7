import { type CallingAgent, toCallingAgent } from "../core/caller.ts";
import type { Models } from "../core/model.ts";
import type { RunOptions } from "../core/run.ts";
import type { AgentRun } from "./agent-run.ts";
import type { FinalAnswer } from "./answer.ts";
import { bringTools, type BringToolsDeps } from "./bring-tools.ts";
import { Conversation } from "./conversation.ts";
import { orCancelled } from "./or-cancelled.ts";
import type { PreparedRun } from "./prepare-run.ts";
import type { RunOnce } from "./prompt-tool.ts";
import { changeAnswer } from "./run-hooks.ts";
import type { RunRequest } from "./run-request.ts";
import { toolShelf } from "./tool-shelf.ts";

/** What a prepared agent converses with. */
export interface ConverseDeps extends BringToolsDeps {
  readonly models: Models;
  /** Whether a call that only reads is answered with a notice when the same answer of a model has made it already. */
  noticesRepeats?(): boolean;
  /** Goes on with the work that a run had given away when its process ended. */
  takeUpTasks?(run: AgentRun): Promise<void>;
}

/** Hangs up what an agent brings and lets it talk to its model until an answer counts. Rejects when it cannot go on. */
export async function converse(
  run: AgentRun,
  { agent, plugin, model, history, message }: PreparedRun,
  { options = {}, own = false, judges }: RunRequest,
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
      ...toPlugin(own ? within?.plugin : plugin),
      ...narrow(within, agent.name, options.tools),
      ...(own && parent && { owner: parent.id }),
    });
    if (run.from) await deps.takeUpTasks?.(run);
    const answer = await new Conversation(run.from ? history : [...history, message], {
      run,
      agent,
      model,
      models: deps.models,
      tools: toolShelf(run, run.caller, tools),
      maxTurns: Math.min(workbench.limits.turns, agent.maxTurns ?? Infinity, options.maxTurns ?? Infinity),
      hideDenied: options.hideDenied ?? false,
      noticesRepeats: deps.noticesRepeats?.() ?? false,
    }).hold();
    return judges ? answer : await orCancelled(changeAnswer(run, agent, answer, model.id), run.control);
  } finally {
    await brought?.[Symbol.asyncDispose]();
  }
}

function toPlugin(plugin: string | undefined): { readonly plugin?: string } {
  return plugin === undefined ? {} : { plugin };
}

/** Whoever a run is within; a list of tools for this run alone is one more that it is within. */
function narrow(within: CallingAgent | undefined, name: string, tools: RunOptions["tools"]) {
  const around = tools ? toCallingAgent({ name, chain: [], tools, ...(within && { within }) }) : within;
  return around && { within: around };
}
