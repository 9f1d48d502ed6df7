import type { AgentEntry } from "../../agents/catalog.ts";
import { nearest } from "../../core/nearest.ts";
import { answerSchema, type CommandsOf, objectSchema } from "./command.ts";
import type { AgentView } from "./command-types.ts";
import { namedError } from "./wire.ts";

const AS = { enum: ["model", "user"], description: "As whom; by default as the session calls" };
const TOOL = answerSchema({
  name: { type: "string" },
  description: { type: "string" },
  source: { type: "object" },
  layer: { type: "string" },
  scope: { enum: ["global", "session"] },
  approval: { enum: ["preApproved", "ask", "blocked"] },
  capabilities: { type: "array", items: { type: "string" } },
  inputSchema: { type: "object" },
});

/** What there is to work with. */
export const BOARD_COMMANDS: CommandsOf<"tools.list" | "tools.info" | "agents.list" | "plugins.list"> = {
  "tools.list": {
    description: "Lists the tools that can be called in a session",
    session: "required",
    params: objectSchema({ as: AS }),
    result: answerSchema({ tools: { type: "array", items: TOOL } }),
    handle: async ({ as }, { session }) => ({ tools: (await session()).list(as && { as }) }),
  },
  "tools.info": {
    description: "Tells all of one tool",
    session: "required",
    params: objectSchema({ tool: { type: "string" }, as: AS }, ["tool"]),
    result: TOOL,
    handle: async ({ tool, as }, { session }) => {
      const tools = (await session()).list(as && { as });
      const found = tools.find(({ name }) => name === tool);
      if (found) return found;
      const names = tools.map(({ name }) => name);
      const near = nearest(tool, names);
      const hint = near === undefined ? "tools.list tells what there is" : `did you mean "${near}"?`;
      throw namedError("TOOL_NOT_FOUND", "not_found", `There is no tool "${tool}": ${hint}`);
    },
  },
  "agents.list": {
    description: "Lists the agents that can be asked",
    session: "none",
    params: objectSchema(),
    result: answerSchema({
      agents: {
        type: "array",
        items: answerSchema({
          name: { type: "string" },
          description: { type: "string" },
          layer: { type: "string" },
        }),
      },
    }),
    handle: async (_, { desk }) => ({ agents: (await desk.runtime.agents.list()).map(toView) }),
  },
  "plugins.list": {
    description: "Lists the plugins, and how they stand",
    session: "none",
    params: objectSchema(),
    result: answerSchema({
      plugins: {
        type: "array",
        items: answerSchema({ name: { type: "string" }, status: { type: "string" } }),
      },
    }),
    handle: (_, { plugins }) => ({ plugins: plugins() }),
  },
};

function toView({ name, agent, source, held }: AgentEntry): AgentView {
  const { description, model, tools, input, output } = agent;
  return {
    name,
    description,
    layer: source.layer,
    ...(source.plugin !== undefined && { plugin: source.plugin }),
    ...(model !== undefined && { model }),
    ...(tools && { tools }),
    ...(input && { input }),
    ...(output && { output }),
    ...(held && { held }),
  };
}
