import type { Dialect, Move } from "./draft.ts";
import {
  forDisplay,
  ignore,
  moveDescription,
  moveEffort,
  moveMode,
  moveModel,
  moveName,
  moveTemperature,
  moveTurns,
  refuse,
} from "./moves.ts";
import { moveDenials, moveTools } from "./move-tools.ts";
import { toServerTool } from "./server-tool.ts";

const movePermissionMode: Move = (field, draft) => {
  const { path, value } = field;
  if (value !== "plan") {
    const isPlain = value === "default" || value === null;
    return draft.became(path, isPlain ? "ignored" : "unsafe", "what needs approval is decided by the policy");
  }
  draft.put("mode", "read-only", field);
  draft.became(path, "approximated", "mode: read-only");
};

/** The files of Claude Code, also as its plugins bring them. */
export const CLAUDE: Dialect = {
  fields: {
    name: moveName,
    description: moveDescription,
    model: moveModel,
    tools: moveTools,
    allowedTools: moveTools,
    allowed_tools: moveTools,
    "allowed-tools": moveTools,
    disallowedTools: moveDenials,
    disallowed_tools: moveDenials,
    "disallowed-tools": moveDenials,
    color: forDisplay,
    effort: moveEffort,
    temperature: moveTemperature,
    maxTurns: moveTurns,
    max_turns: moveTurns,
    permissionMode: movePermissionMode,
    mode: moveMode,
    hooks: refuse("hooks of a file are not run"),
    skills: ignore("skills are read when they are needed"),
    isolation: ignore("where tools work is decided by the workspace"),
    memory: ignore("there is no such memory"),
    background: ignore("whoever gives the work away decides"),
    initialPrompt: ignore("whoever starts it says what to do"),
  },
  serverTool(name) {
    const [, server = "", tool = "*"] = /^mcp__([^_].*?)(?:__(.+))?$/.exec(name) ?? [];
    return toServerTool(server, tool);
  },
};
