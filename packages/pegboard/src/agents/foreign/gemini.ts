import { isMapping } from "../field.ts";
import type { Dialect, Move } from "./draft.ts";
import { forDisplay, ignore, moveDescription, moveModel, moveName, moveTemperature, moveTurns } from "./moves.ts";
import { moveTools } from "./move-tools.ts";
import { toServerTool } from "./server-tool.ts";

const REMOTE = ignore("the agent runs on another machine");

const moveKind: Move = (field, draft) => {
  if (field.value === "local") return draft.became(field.path, "mapped");
  draft.became(field.path, "ignored", "the agent runs on another machine");
  const message = "the agent runs on another machine, which this version cannot ask: there is no agent";
  draft.add("no-agent", field, { code: "not_supported", message });
};

/** The files of Gemini CLI. */
export const GEMINI: Dialect = {
  fields: {
    kind: moveKind,
    name: moveName,
    description: moveDescription,
    display_name: forDisplay,
    tools: moveTools,
    model: moveModel,
    temperature: moveTemperature,
    max_turns: moveTurns,
    timeout_mins: ignore("the limits of the workspace hold"),
    agent_card_url: REMOTE,
    agent_card_json: REMOTE,
    auth: REMOTE,
  },
  // `mcp_a_b` can be tool b of server a or all that a_b is: only a pattern for a whole server says which.
  serverTool: (name) => toServerTool(/^mcp_(.+)_\*$/.exec(name)?.[1] ?? "", "*"),
};

/** Whether the fields of a file are a list of agents on other machines, which Gemini CLI allows. */
export function isRemoteList(value: unknown): value is readonly Readonly<Record<string, unknown>>[] {
  return Array.isArray(value) && value.length > 0 && value.every((one) => isMapping(one) && one["kind"] === "remote");
}
