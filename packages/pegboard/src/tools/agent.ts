import { defineTool, fail, type Json, type Tool, type ToolContext } from "@pegboard/contract";

/** What became of an agent that was asked. */
export interface AgentAnswer {
  readonly run: string;
  readonly agent: string;
  readonly status: string;
  readonly text: string;
  readonly structured?: Json;
  readonly error?: { readonly code: Parameters<typeof fail>[0]; readonly message: string };
}

/** What an agent is asked. */
export interface AgentQuestion {
  readonly agent: string;
  readonly prompt: string;
  /** Paths of files. */
  readonly attachments: readonly string[];
  /** The run that is gone on with. */
  readonly continue?: string;
}

/** What the tool is lent. */
export interface AgentToolDeps {
  ask(question: AgentQuestion, context: ToolContext): Promise<AgentAnswer>;
  /** What an agent can do, in a line, for the person who approves. */
  describe(agent: string): Promise<string>;
}

/** The tool `agent`: asks another agent and waits for its answer. It can do at most what the asking agent can. */
export function agentTool({ ask, describe }: AgentToolDeps): Tool {
  return defineTool({
    name: "agent",
    description: "Ask another agent to do something, and wait for its answer. It knows nothing but the prompt",
    input: {
      type: "object",
      properties: {
        agent: { type: "string", description: "The agent's name" },
        prompt: { type: "string", description: "All that it needs to know" },
        attachments: { type: "array", items: { type: "string" }, description: "Paths of files that it gets along" },
        continue: { type: "string", description: "The run of an earlier answer of this agent, to go on with it" },
      },
      required: ["agent", "prompt"],
      additionalProperties: false,
    },
    capabilities: ["agent"],
    // The limits of runs hold instead.
    timeoutMs: null,
    summary: async ({ agent, prompt }) => `Ask agent "${agent}" (${await describe(agent)}): ${prompt.slice(0, 200)}`,
    async execute({ attachments = [], ...asked }, context) {
      const startedAt = performance.now();
      const answer = await ask({ ...asked, attachments }, context);
      return toAgentReply(answer, Math.round(performance.now() - startedAt));
    },
  }) as Tool;
}

/** An answer as the result of a call: the words of the agent, and how to go on with it. */
function toAgentReply({ agent, run, status, text, structured, error }: AgentAnswer, durationMs: number) {
  if (status !== "completed") return fail(error?.code ?? "tool_error", error?.message ?? `Agent "${agent}" failed`);
  return {
    content: [
      { type: "text" as const, text },
      { type: "text" as const, text: `(agent "${agent}", run ${run}, ${durationMs} ms)` },
    ],
    structured: { agent, run, durationMs, text, ...(structured !== undefined && { structured }) },
  };
}
