import type { Plugin, PluginTool, Skill } from "@pegboard/contract";
import type { Diagnostic } from "../../core/diagnostic.ts";
import { copyJson } from "../../core/json.ts";
import type { AnyTool } from "../../core/registry.ts";
import { compileSchema } from "../../core/schema.ts";
import type { LoadedModule } from "../load-plugin.ts";
import { type SentParts, type SentPlugin, type SentSkill, STEPS } from "./plugin-protocol.ts";

/** What can be told of a plugin to another process. `tools` are those of its tools that have no handler. */
export function toSentPlugin({ plugin, diagnostics }: LoadedModule, tools: readonly AnyTool[]): SentPlugin {
  if (!plugin) return { diagnostics };
  return {
    diagnostics: [...diagnostics, ...LEFT_BEHIND.flatMap((field) => leftBehind(plugin, field))],
    parts: toParts(plugin, tools),
  };
}

/** What only a plugin in the process of Pegboard itself brings. */
const LEFT_BEHIND = ["prompts", "resources"] as const;

function leftBehind(plugin: Plugin, field: (typeof LEFT_BEHIND)[number]): readonly Diagnostic[] {
  if (!plugin[field]?.length) return [];
  const message = `its ${field} are left out: a plugin in a process of its own brings none`;
  return [
    { severity: "warning", code: "not_supported", message, fix: "name it in plugins.trusted, if you trust its code" },
  ];
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
  const { tools, skills } = plugin;
  const given = PLAIN.filter((field) => plugin[field] !== undefined).map((field) => [field, plugin[field]]);
  return copyJson({
    ...Object.fromEntries(given),
    ...(tools && {
      tools: tools.map((tool) => ("handler" in tool ? toHandled(tool) : { index: others.indexOf(tool) })),
    }),
    ...(skills && { skills: skills.map(toSentSkill) }),
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
