import type { Caller, CallingAgent } from "./caller.ts";
import { PegboardError } from "./error.ts";
import { allows, denies, isPart, meantBy } from "./bare-name.ts";
import { agentIdentity, matchesName } from "./name.ts";
import { isHarmless } from "./policy.ts";
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
  // A person who calls a tool by its name has said what they want, and so has whoever runs the plugin's own agent.
  const isMeant = kind === "user" || agent?.plugin === source.plugin;
  if (source.plugin !== undefined && !isMeant && caller.tags?.isOff(source.plugin))
    return new PegboardError(
      "not_found",
      `Tool "${name}" belongs to plugin "${source.plugin}", which is not there until a prompt says +${source.plugin}`,
    );
  if (source.agent !== undefined && !brought(source, agent))
    return new PegboardError("not_found", `Tool "${name}" belongs to a run of another agent`);
  // A prompt brings no rights: what its run may do is asked there.
  if (source.kind !== "prompt" && !isRunsOwn(source)) {
    for (let one = agent; one; one = one.within) {
      const problem = modeProblem(registration, one) ?? listProblem(registration, one);
      if (problem) return problem;
    }
  }
  return agentProblem(registration, caller);
}

/** Whether the runtime itself hung it there for this one run, such as its search for tools. */
function isRunsOwn({ kind, agent }: Registration["source"]): boolean {
  return kind === "builtin" && agent !== undefined;
}

// A prompt does not call another: it could call itself.
function brought({ kind, agent }: Registration["source"], caller: CallingAgent | undefined): boolean {
  return agent === caller?.run || (kind !== "prompt" && kind !== "builtin" && agent === caller?.owner);
}

function modeProblem(registration: Registration, agent: CallingAgent): PegboardError | undefined {
  if (agent.mode !== "read-only" || isHarmless(registration)) return undefined;
  const { name, tool } = registration;
  const { capabilities = [] } = tool;
  return new PegboardError(
    "denied",
    `Agent "${agent.name}" only reads (mode: read-only), and tool "${name}" can: ${capabilities.join(", ") || "what it does not say"}`,
  );
}

function listProblem(registration: Registration, agent: CallingAgent): PegboardError | undefined {
  const { name, source } = registration;
  // What an agent brings itself is its own, whatever its list says.
  if (source.agent !== undefined && source.agent === agent.run) return undefined;
  if (agent.tools && !listsTool(agent.tools, registration, agent.plugin)) {
    return new PegboardError(
      "denied",
      `Tool "${name}" is not among the tools of agent "${agent.name}" (tools: [${agent.tools.join(", ")}])${severalMeant(registration, agent)}`,
    );
  }
  // A plugin's agent sees core tools and those of its own plugin.
  const unlisted = !agent.tools?.some((entry) => !entry.startsWith("!"));
  if (agent.plugin !== undefined && unlisted && source.plugin !== undefined && source.plugin !== agent.plugin) {
    return new PegboardError(
      "not_found",
      `No tool named "${name}" is visible to agent "${agent.name}" of plugin "${agent.plugin}"`,
    );
  }
  return undefined;
}

function agentProblem({ name, tool }: Registration, { agent }: Caller): PegboardError | undefined {
  const { requiredAgent } = tool;
  if (requiredAgent === undefined) return undefined;
  const required = typeof requiredAgent === "string" ? [requiredAgent] : requiredAgent;
  // Somebody else's agent may have the same bare name.
  const current = agent && agentIdentity(agent.name, agent.plugin);
  if (required.length === 0 || (current !== undefined && required.includes(current))) return undefined;
  const who = current === undefined ? "no agent" : `agent "${current}"`;
  return new PegboardError(
    "agent_mismatch",
    `Tool "${name}" is reserved for ${required.map((one) => `agent "${one}"`).join(", ")}; the caller is ${who}`,
  );
}

/** Whether a list of globs holds a name. `!deny` entries win wherever they stand; one of nothing else allows the rest. */
export function isListed(entries: readonly string[], name: string): boolean {
  const matches = (entry: string) => matchesName(entry, name);
  return isIn(entries, matches, matches);
}

/** The same for a tool, which an agent's list can name without its source. */
function listsTool(entries: readonly string[], tool: Registration, plugin: string | undefined): boolean {
  return isIn(
    entries,
    (entry) => allows(entry, tool, plugin),
    (entry) => denies(entry, tool, plugin),
  );
}

function isIn(
  entries: readonly string[],
  isAllowed: (entry: string) => boolean,
  isDenied: (entry: string) => boolean,
): boolean {
  if (entries.some((entry) => entry.startsWith("!") && isDenied(entry.slice(1)))) return false;
  const allowing = entries.filter((entry) => !entry.startsWith("!"));
  return allowing.length === 0 ? entries.length > 0 : allowing.some(isAllowed);
}

function severalMeant(tool: Registration, { tools = [], plugin }: CallingAgent): string {
  const bare = tools.find((entry) => isPart(entry, tool) && meantBy(entry, tool, plugin).length > 1);
  if (bare === undefined) return "";
  return `: "${bare}" stands for several tools: ${meantBy(bare, tool, plugin).join(", ")}; write the one that is meant`;
}
