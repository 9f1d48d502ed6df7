import type { Caller } from "./caller.ts";
import { PegboardError } from "./error.ts";
import { matchesName } from "./name.ts";
import type { Registration } from "./registry.ts";

/** Why this caller does not get to see this tool, as the error it gets when it calls it; undefined when it does. */
export function scopeProblem(registration: Registration, caller: Caller): PegboardError | undefined {
  const { name, tool, source } = registration;
  const { agent, kind } = caller;
  if (tool.callers && !tool.callers.includes(kind)) {
    return new PegboardError(
      "denied",
      `Tool "${name}" may be called only by: ${tool.callers.join(", ")}; this call comes from: ${kind}`,
    );
  }
  if (agent?.tools && !listed(agent.tools, name)) {
    return new PegboardError(
      "denied",
      `Tool "${name}" is not among the tools of agent "${agent.name}" (tools: [${agent.tools.join(", ")}])`,
    );
  }
  // A plugin's agent sees core tools and those of its own plugin.
  if (agent?.plugin !== undefined && !agent.tools && source.plugin !== undefined && source.plugin !== agent.plugin) {
    return new PegboardError(
      "not_found",
      `No tool named "${name}" is visible to agent "${agent.name}" of plugin "${agent.plugin}"`,
    );
  }
  return agentProblem(registration, caller);
}

function agentProblem({ name, tool }: Registration, { agent }: Caller): PegboardError | undefined {
  const { requiredAgent } = tool;
  if (requiredAgent === undefined) return undefined;
  const required = typeof requiredAgent === "string" ? [requiredAgent] : requiredAgent;
  if (required.length === 0 || (agent && required.includes(agent.name))) return undefined;
  const who = agent ? `agent "${agent.name}"` : "no agent";
  return new PegboardError(
    "agent_mismatch",
    `Tool "${name}" is reserved for ${required.map((one) => `agent "${one}"`).join(", ")}; the caller is ${who}`,
  );
}

// `!deny` entries win wherever they stand; a list of nothing but denials allows the rest.
function listed(entries: readonly string[], name: string): boolean {
  const denied = entries.some((entry) => entry.startsWith("!") && matchesName(entry.slice(1), name));
  if (denied) return false;
  const allowed = entries.filter((entry) => !entry.startsWith("!"));
  return allowed.length === 0 ? entries.length > 0 : allowed.some((entry) => matchesName(entry, name));
}
