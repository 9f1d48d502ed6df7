import type { Agent, Command, Plugin } from "@pegboard/contract";
import { agentIdentity, fullName } from "../core/name.ts";
import type { PluginsTool } from "./plugin-tool.ts";

/**
 * A plugin in which the names of its own tools and agents are full ones, wherever it speaks of them: inside of a plugin a
 * bare name means its own first. Other names stay as they are. The plugin must be well-formed.
 */
export function qualify(plugin: Plugin): Plugin {
  const { name, tools = [], agents = [], commands = [] } = plugin;
  const ownTools = new Set(tools.map((tool) => tool.name));
  const ownAgents = new Set(agents.map((agent) => agent.name));
  const toTool = (entry: string) => rename(entry, ownTools, (own) => fullName(own, name));
  const toAgent = (entry: string) => rename(entry, ownAgents, (own) => agentIdentity(own, name));
  return {
    ...plugin,
    ...(plugin.tools && { tools: tools.map((tool) => qualifyTool(tool, toAgent)) }),
    ...(plugin.agents && { agents: agents.map((agent) => qualifyAgent(agent, toTool, toAgent)) }),
    ...(plugin.commands && { commands: commands.map((command) => qualifyCommand(command, toTool, toAgent)) }),
  };
}

type Rename = (entry: string) => string;

function rename(entry: string, own: ReadonlySet<string>, to: Rename): string {
  const denies = entry.startsWith("!") ? "!" : "";
  const name = entry.slice(denies.length);
  return own.has(name) ? denies + to(name) : entry;
}

function qualifyTool(tool: PluginsTool, toAgent: Rename): PluginsTool {
  if (!("requiredAgent" in tool) || tool.requiredAgent === undefined) return tool;
  const required = typeof tool.requiredAgent === "string" ? [tool.requiredAgent] : tool.requiredAgent;
  const named = required.map(toAgent);
  if (named.every((name, index) => name === required[index])) return tool;
  // The tool may be an object of a class: its functions stay those of the very object.
  const fields = FIELDS.flatMap((field) => {
    const value: unknown = tool[field as keyof typeof tool];
    return value === undefined ? [] : [[field, typeof value === "function" ? value.bind(tool) : value]];
  });
  return { ...tool, ...Object.fromEntries(fields), requiredAgent: named } as PluginsTool;
}

const FIELDS = [
  "name",
  "description",
  "input",
  "output",
  "capabilities",
  "approval",
  "timeoutMs",
  "callers",
  "version",
  "category",
  "summary",
  "execute",
  "open",
];

function qualifyAgent(agent: Agent, toTool: Rename, toAgent: Rename): Agent {
  const { tools, agents, visibleFrom, promptTools, requirements } = agent;
  return {
    ...agent,
    ...(tools && { tools: tools.map(toTool) }),
    ...(agents && { agents: agents.map(toAgent) }),
    ...(visibleFrom && { visibleFrom: visibleFrom.map(toAgent) }),
    ...(promptTools && {
      promptTools: promptTools.map((tool) => ({ ...tool, ...(tool.tools && { tools: tool.tools.map(toTool) }) })),
    }),
    ...(requirements && {
      requirements: {
        ...requirements,
        ...(requirements.oneOf && { oneOf: requirements.oneOf.map(toTool) }),
        ...(requirements.all && { all: requirements.all.map(toTool) }),
      },
    }),
  };
}

function qualifyCommand(command: Command, toTool: Rename, toAgent: Rename): Command {
  const { agent, tools } = command;
  return {
    ...command,
    ...(agent !== undefined && { agent: toAgent(agent) }),
    ...(tools && { tools: tools.map(toTool) }),
  };
}
