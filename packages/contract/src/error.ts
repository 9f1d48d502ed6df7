/** Every way a call can fail, with what it means. The one table: documentation and every edge map from it. */
export const ERRORS = {
  invalid_input: "The input does not match the tool's input schema",
  not_found: "No tool of this name is visible to the caller",
  denied: "A person, a hook, or the absence of anyone to ask denied the call",
  blocked: "Policy blocks the tool or this input, and nothing lifts it",
  agent_mismatch: "The tool is reserved for another agent",
  timeout: "The tool ran longer than its time limit",
  cancelled: "The caller cancelled the call",
  depth_limit: "Calls or agents are nested deeper than the limit",
  fanout_limit: "One agent started more children than the limit",
  rate_limited: "Too many calls in too short a time",
  unavailable: "Something the call needs cannot be reached now",
  invalid_output: "The result does not match the tool's output schema",
  tool_error: "The tool itself failed",
  interrupted: "The call was started and its outcome is unknown",
  expired: "Nobody answered the approval request in time",
  budget_limit: "A budget of tokens, money, time or spawns is used up",
  loop: "The same agent was asked for the same thing again",
  busy: "Too many calls are running at once",
  duplicate: "Something of this name is already registered",
  invalid_definition: "A tool, plugin or toolset is defined wrongly",
  invalid_config: "A configuration file or option is wrong",
  untrusted: "The workspace has not been trusted by this person",
  internal: "A defect in Pegboard",
} as const;

/** One code of the table. */
export type ErrorCode = keyof typeof ERRORS;
