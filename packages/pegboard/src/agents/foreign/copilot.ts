import type { Dialect, Move } from "./draft.ts";
import { forDisplay, ignore, moveDescription, moveMode, moveModel, moveName, moveTemperature } from "./moves.ts";
import { moveTools } from "./move-tools.ts";
import { toServerTool } from "./server-tool.ts";
import { COPILOT_GROUPS, COPILOT_TOOLS } from "./tool-names.ts";

const moveAgents: Move = (field, draft) => {
  const { value } = field;
  const isAll = value === "*" || (Array.isArray(value) && value.includes("*"));
  if (isAll) return draft.became(field.path, "mapped");
  draft.put("agents", typeof value === "string" ? [value] : value, field);
  draft.became(field.path, "mapped");
};

/** The files of GitHub Copilot and VS Code: `*.agent.md`. */
export const COPILOT: Dialect = {
  namedByFile: true,
  tools: COPILOT_TOOLS,
  fields: {
    name: moveName,
    description: moveDescription,
    tools: moveTools,
    model: moveModel,
    temperature: moveTemperature,
    agents: moveAgents,
    mode: moveMode,
    "argument-hint": forDisplay,
    "user-invocable": ignore("people can always start it"),
    "disable-model-invocation": ignore("which agents another one may ask is said there"),
    handoffs: ignore("the agent ends with its answer"),
    target: ignore("it is for other programs"),
    infer: ignore("which agents another one may ask is said there"),
  },
  serverTool(name) {
    const [server = "", tool = "", ...more] = name.split("/");
    if (more.length > 0 || COPILOT_GROUPS.includes(server.toLowerCase())) return undefined;
    return toServerTool(server, tool);
  },
};
