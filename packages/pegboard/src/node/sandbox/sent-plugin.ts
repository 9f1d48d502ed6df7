import type { Plugin, PluginTool, Prompt, Resource, Skill } from "@pegboard/contract";
import { copyJson } from "../../core/json.ts";
import type { AnyTool } from "../../core/registry.ts";
import { compileSchema } from "../../core/schema.ts";
import type { LoadedModule } from "../load-plugin.ts";
import {
  type SentParts,
  type SentPlugin,
  type SentPrompt,
  type SentResource,
  type SentSkill,
  STEPS,
} from "./plugin-protocol.ts";

/** What can be told of a plugin to another process. `tools` are those of its tools that have no handler. */
export function toSentPlugin({ plugin, diagnostics }: LoadedModule, tools: readonly AnyTool[]): SentPlugin {
  return plugin ? { diagnostics, parts: toParts(plugin, tools) } : { diagnostics };
}

const PLAIN = [
  "name",
  "version",
  "description",
  "agents",
  "commands",
  "mcpServers",
  "settingsSchema",
  "activation",
] as const;

function toParts(plugin: Plugin, others: readonly AnyTool[]): SentParts {
  const { tools, skills, prompts, resources } = plugin;
  const given = PLAIN.filter((field) => plugin[field] !== undefined).map((field) => [field, plugin[field]]);
  return copyJson({
    ...Object.fromEntries(given),
    ...(tools && {
      tools: tools.map((tool) => ("handler" in tool ? toHandled(tool) : { index: others.indexOf(tool) })),
    }),
    ...(skills && { skills: skills.map(toSentSkill) }),
    ...(prompts && { prompts: prompts.map(toSentPrompt) }),
    ...(resources && { resources: resources.map(toSentResource) }),
    steps: STEPS.filter((step) => plugin[step]),
  }) as unknown as SentParts;
}

function toHandled({ name, description, schema, audience }: PluginTool): Omit<PluginTool, "handler"> {
  const { json } = compileSchema(schema, { foreign: true, root: "object" });
  return { name, description, schema: json, ...(audience && { audience }) };
}

function toSentSkill(skill: Skill): SentSkill {
  const { name, description, tools, forModels } = skill;
  return {
    name,
    description,
    ...(tools && { tools }),
    ...(forModels !== undefined && { forModels }),
    has: (["list", "readFile"] as const).filter((part) => skill[part]),
  };
}

function toSentPrompt(prompt: Prompt): SentPrompt {
  const { name, description } = prompt;
  return {
    name,
    description,
    ...(prompt.arguments && { arguments: prompt.arguments }),
    completes: typeof prompt.complete === "function",
  };
}

function toSentResource(resource: Resource): SentResource {
  const { name, description, mimeType, uri } = resource;
  return {
    name,
    uri,
    ...(description !== undefined && { description }),
    ...(mimeType !== undefined && { mimeType }),
    watched: typeof resource.watch === "function",
  };
}
