import type { CommandSpec } from "./command.ts";
import { AGENT_COMMANDS } from "./groups/agents.ts";
import { CLIENT_COMMANDS } from "./groups/clients.ts";
import { LOG_COMMANDS } from "./groups/log.ts";
import { PLUGIN_COMMANDS } from "./groups/plugins.ts";
import { POLICY_COMMANDS } from "./groups/policy.ts";
import { RUN_COMMANDS } from "./groups/runs.ts";
import { TOOL_COMMANDS } from "./groups/tools.ts";
import { WORKSPACE_COMMANDS } from "./groups/workspace.ts";

/** Every command, in groups under their headings, in the order of the help. */
export const COMMANDS: Readonly<Record<string, readonly CommandSpec[]>> = {
  "Workspace:": WORKSPACE_COMMANDS,
  "Tools:": TOOL_COMMANDS,
  "Agents:": AGENT_COMMANDS,
  "Runs and sessions:": RUN_COMMANDS,
  "Plugins:": PLUGIN_COMMANDS,
  "Clients:": CLIENT_COMMANDS,
  "Policy:": POLICY_COMMANDS,
  "Log:": LOG_COMMANDS,
};
