import { defineTool, fail, type Tool, type ToolContext } from "@pegboard/contract";

/** What became of an agent that was asked. */
export interface AgentAnswer {
  readonly run: string;
  readonly status: string;
  readonly text: string;
  readonly structured?: unknown;
  readonly error?: { readonly code: Parameters<typeof fail>[0]; readonly message: string };
}

/** What the tool is lent. */
export interface AgentToolDeps {
  ask(agent: string, prompt: string, attachments: readonly string[], context: ToolContext): Promise<AgentAnswer>;
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
      },
      required: ["agent", "prompt"],
      additionalProperties: false,
    },
    capabilities: ["agent"],
    // The limits of runs hold instead.
    timeoutMs: null,
    summary: async ({ agent, prompt }) => `Ask agent "${agent}" (${await describe(agent)}): ${prompt.slice(0, 200)}`,
    async execute({ agent, prompt, attachments = [] }, context) {
      const { run, status, text, structured, error } = await ask(agent, prompt, attachments, context);
      if (status !== "completed") return fail(error?.code ?? "tool_error", error?.message ?? `Agent "${agent}" failed`);
      return {
        content: [{ type: "text", text }],
        structured: { run, text, ...(structured !== undefined && { structured }) },
      };
    },
  }) as Tool;
}
