import type { Json, McpServer, Plugin, Skill } from "@pegboard/contract";
import { PegboardError } from "../../core/error.ts";
import { mapTexts } from "../../core/map-texts.ts";
import type { Filled } from "../../plugins/plugin-entry.ts";
import { fillVariables } from "../../plugins/variables.ts";
import { settingTexts, type WrittenSettings } from "./settings.ts";

/** What a setting is called where it is to be filled in. */
const PREFIX = "user_config.";
const PLACE = /\$\{user_config\.([^{}]*)\}/;

/**
 * What a plugin brings with these settings in place of `${user_config.KEY}`: in its servers, and, but for secrets, in the
 * texts of its agents, skills and commands. A secret stays a reference until its server is reached. A server that needs a
 * setting which has no value is left out, and told. Throws `invalid_config` for a value that cannot be filled in.
 */
export function fillSettings(plugin: Plugin, given: Json, written: WrittenSettings, folder: string): Filled {
  const { name, agents = [], commands = [], skills = [], mcpServers = {} } = plugin;
  const texts = settingTexts(given, written, { folder, plugin: name });
  const nested = Object.keys(texts).find((key) => texts[key]!.includes("${"));
  // Whoever starts a server fills in its variables: what a value holds must not be filled in again.
  if (nested !== undefined)
    throw new PegboardError("invalid_config", `Plugin "${name}": the setting "${nested}" must not hold \${`);
  const isSecret = (key: string) => written.properties[key]!.secret === true;
  const all = toVariables(Object.entries(texts));
  const open = toVariables(Object.entries(texts).filter(([key]) => !isSecret(key)));
  const fill = (text: string) => fillVariables(text, open);
  const servers: Record<string, McpServer> = {};
  const problems: Record<string, string> = {};
  for (const [server, reached] of Object.entries(mcpServers)) {
    const filled = mapTexts(
      reached,
      (text) => fillVariables(text, all),
      (key) => key,
    );
    const missing = PLACE.exec(JSON.stringify(filled))?.[1];
    if (missing === undefined) servers[server] = filled;
    else
      problems[server] = `MCP server "${server}" needs the setting "${missing}": ${howToSet(name, missing, isSecret)}`;
  }
  return {
    agents: agents.map((agent) => ({ ...agent, instructions: fill(agent.instructions) })),
    commands: commands.map((command) => ({ ...command, prompt: fill(command.prompt) })),
    skills: skills.map((skill) => toFilledSkill(skill, fill)),
    mcpServers: servers,
    problems,
  };
}

function toVariables(texts: readonly (readonly [string, string])[]): Readonly<Record<string, string>> {
  return Object.fromEntries(texts.map(([key, text]) => [`${PREFIX}${key}`, text]));
}

function howToSet(plugin: string, key: string, isSecret: (key: string) => boolean): string {
  return `set it with: pegboard plugin config ${plugin} ${isSecret(key) ? `--secret ${key}` : `${key}=…`}`;
}

function toFilledSkill(skill: Skill, fill: (text: string) => string): Skill {
  return { ...skill, read: async () => fill(await skill.read()) };
}
