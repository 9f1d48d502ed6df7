import type { Dialect, Move } from "./draft.ts";
import { forDisplay, ignore, moveDescription, moveEffort, moveInstructions, moveModel, moveName } from "./moves.ts";

const moveSandbox: Move = (field, draft) => {
  if (field.value !== "read-only")
    return draft.became(field.path, "ignored", "where tools work is decided by the workspace");
  draft.put("mode", "read-only", field);
  draft.became(field.path, "approximated", "mode: read-only");
};

const POLICY = ignore("what needs approval is decided by the policy");
const SETTING = ignore("a setting of Codex");

/** The roles of Codex, in TOML. Whatever else its configuration knows may stand there too. */
export const CODEX: Dialect = {
  fields: {
    name: moveName,
    description: moveDescription,
    model: moveModel,
    model_reasoning_effort: moveEffort,
    developer_instructions: moveInstructions,
    instructions: moveInstructions,
    sandbox_mode: moveSandbox,
    approval_policy: POLICY,
    permissions: POLICY,
    nickname_candidates: forDisplay,
    model_provider: SETTING,
    model_providers: SETTING,
    model_reasoning_summary: SETTING,
    model_verbosity: SETTING,
    web_search: SETTING,
    features: SETTING,
    skills: SETTING,
    tools: ignore("switches of Codex's own tools"),
    hooks: ignore("hooks of a file are not run"),
    notify: ignore("programs of a file are not run"),
  },
};
