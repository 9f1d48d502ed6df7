import { defineTool, fail, type Tool, type ToolContext } from "@pegboard/contract";
import type { StartedTask } from "../core/task-outcome.ts";
import type { TaskRequest } from "../core/task-request.ts";

/** What the tools that give work away are lent. */
export interface TaskToolDeps {
  /** Rejects with what is wrong, and then nothing was begun. */
  start(request: TaskRequest, context: ToolContext): Promise<StartedTask>;
  /** What an agent can do, in a line, for the person who approves. */
  describe(agent: string): Promise<string>;
}

/** How a tool that gives work away is told to wait for it, or not. */
export const MODE = {
  enum: ["wait", "background"],
  description: "Whether to wait for the result; background when absent",
} as const;

/** The tool `delegate`: gives a task away, which is tried until its result is accepted. */
export function delegateTool({ start, describe }: TaskToolDeps): Tool {
  return defineTool({
    name: "delegate",
    description:
      "Give a task to another agent, which works on it in the background until its result is accepted. You are told the result when it is there",
    input: {
      type: "object",
      properties: {
        prompt: { type: "string", description: "The whole task: the agent knows nothing else" },
        agent: { type: "string", description: "The agent's name; another one like you when absent" },
        model: { type: "string", description: "The model that it works with; its own when absent" },
        maxIterations: { type: "integer", minimum: 0, description: "How often it may try" },
        maxUsd: { type: "number", minimum: 0, description: "US dollars after which it does not try again" },
        validator: { type: "string", description: "An agent that judges the result" },
        rubric: { type: "string", description: "What the validator goes by" },
        mode: MODE,
      },
      required: ["prompt"],
      additionalProperties: false,
    },
    capabilities: ["agent"],
    // The limits of runs hold instead.
    timeoutMs: null,
    async summary({ agent, prompt }) {
      const whom =
        agent === undefined ? "another run of the same agent" : `agent "${agent}" (${await describe(agent)})`;
      return `Delegate to ${whom}: ${prompt.slice(0, 200)}`;
    },
    async execute({ mode = "background", prompt, agent, model, ...validation }, context) {
      const whom = { ...(agent !== undefined && { agent }), ...(model !== undefined && { model }) };
      return toTaskReply(await start({ prompt, mode, ...whom, validation }, context), mode);
    },
  }) as Tool;
}

/** What the agent that gave a task away is told: its outcome, or that it is on its way. */
export async function toTaskReply({ id, agent, outcome }: StartedTask, mode: TaskRequest["mode"]) {
  if (mode === "background") {
    const text = `Task ${id} is delegated to agent "${agent}" and runs in the background. Its result will come to you as a message: do not wait for it or ask for it again.`;
    return { content: [{ type: "text" as const, text }], structured: { task: id, agent, mode } };
  }
  const { state, text, error, run, iterations, cost, structured } = await outcome;
  if (state !== "completed") return fail(error?.code ?? "tool_error", error?.message ?? `Task ${id} is ${state}`);
  const more = { ...(run !== undefined && { run }), ...(structured !== undefined && { structured }) };
  return {
    content: [{ type: "text" as const, text }],
    structured: { task: id, agent, mode, state, iterations, cost, text, ...more },
  };
}
