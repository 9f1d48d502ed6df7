import { type Agent, fail, type PromptTool, type Tool, type ToolContext } from "@pegboard/contract";
import type { RunResult } from "../core/run-result.ts";
import { fillTemplate } from "./template.ts";

/** Runs an agent that is not in the catalog, for one call. */
export type RunOnce = (agent: Agent, prompt: string, context: ToolContext) => Promise<RunResult>;

/**
 * The tool that a prompt makes: a call fills it in and runs it in a run of its own, which has none of the agent's history
 * and of its tools only those that the prompt names.
 */
export function toPromptTool(definition: PromptTool, runOnce: RunOnce): Tool {
  const { name, description, prompt, input, output, model, tools = [] } = definition;
  const agent: Agent = {
    name,
    description,
    instructions: `You are the tool "${name}": ${description}\nDo what the prompt asks and answer with the result alone.`,
    tools,
    ...(model !== undefined && { model }),
    ...(output && { output }),
  };
  return {
    name,
    description,
    input,
    ...(output && { output }),
    capabilities: ["agent"],
    // It has no effects of its own: what its run calls is decided call by call.
    approval: "preApproved",
    timeoutMs: null,
    async execute(values: Record<string, unknown>, context: ToolContext) {
      const { status, text, structured, error } = await runOnce(agent, fillTemplate(prompt, values), context);
      if (status !== "completed") return fail(error?.code ?? "tool_error", error?.message ?? "The run failed");
      return structured === undefined ? text : { content: [{ type: "text", text }], structured };
    },
  };
}
