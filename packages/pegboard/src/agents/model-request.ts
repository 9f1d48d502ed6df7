import type { Agent, JsonSchema } from "@pegboard/contract";
import type { Message, Model, ModelRequest, ModelTool } from "../core/model.ts";
import type { ToolView } from "../core/tool-view.ts";
import { canBind, outputInstructions } from "./answer.ts";

/** What a model is asked for an agent. */
export function toModelRequest(
  agent: Agent,
  model: Model,
  messages: readonly Message[],
  tools: readonly ModelTool[],
): ModelRequest {
  const { temperature, reasoningEffort, output } = agent;
  // Most providers bind an answer to a schema only where there are no tools.
  const bound = output && model.structured && tools.length === 0 && canBind(output) ? output : undefined;
  return {
    system: toSystem(agent, bound),
    messages: [...messages],
    tools,
    ...(temperature !== undefined && { temperature }),
    ...(reasoningEffort !== undefined && { reasoningEffort }),
    ...(bound && { output: bound }),
  };
}

const modelTools = new WeakMap<ToolView, ModelTool>();

/** The tool as a model is told of it; runs share it. */
export function toModelTool(view: ToolView): ModelTool {
  let tool = modelTools.get(view);
  if (!tool) modelTools.set(view, (tool = { name: view.name, description: view.description, input: view.inputSchema }));
  return tool;
}

function toSystem({ instructions, output }: Agent, bound: JsonSchema | undefined): string {
  return output && !bound ? `${instructions}\n\n${outputInstructions(output)}` : instructions;
}
