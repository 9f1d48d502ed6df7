import type { JsonSchema, PluginStatus } from "@pegboard/contract";
import type { Diagnostic } from "../core/diagnostic.ts";
import { hookPoints } from "./hook-points.ts";
import type { PluginOrigin } from "./loaded-plugin.ts";
import type { PluginLife } from "./plugin-life.ts";
import type { ComponentKind } from "./shelves.ts";

/** One thing that a plugin brings. */
export interface ComponentView {
  readonly kind: ComponentKind;
  /** Its name in the plugin; of a hook, its point. */
  readonly name: string;
  /** It is switched off. */
  readonly off?: true;
}

/** A plugin as people and programs see it. */
export interface PluginView {
  readonly name: string;
  readonly version: string;
  readonly description?: string;
  readonly status: PluginStatus;
  /** Why it is not healthy. */
  readonly reason?: string;
  readonly activation: "always" | "tagged";
  /** What its settings must be. */
  readonly settingsSchema?: JsonSchema;
  readonly origin: PluginOrigin;
  /** Whether it is there or not; hooks only while it is, since only then they are known. */
  readonly components: readonly ComponentView[];
  readonly diagnostics: readonly Diagnostic[];
}

/** What is to be seen of a plugin now. */
export function toPluginView(life: PluginLife): PluginView {
  const { plugin, health, origin } = life;
  const { status, reason, diagnostics } = health;
  const { name, version, description, activation = "always", settingsSchema } = plugin;
  return Object.freeze({
    name,
    version,
    ...(description !== undefined && { description }),
    status,
    ...(reason !== undefined && { reason }),
    activation,
    ...(settingsSchema && { settingsSchema }),
    origin,
    components: toComponents(life),
    diagnostics,
  });
}

function toComponents({ plugin, off, allHooks }: PluginLife): readonly ComponentView[] {
  const { tools = [], agents = [], skills = [], commands = [], prompts = [], resources = [], mcpServers = {} } = plugin;
  const names = ({ name }: { readonly name: string }) => name;
  const all: Readonly<Record<ComponentKind, readonly string[]>> = {
    tools: tools.map(names),
    agents: agents.map(names),
    skills: skills.map(names),
    commands: commands.map(names),
    prompts: prompts.map(names),
    resources: resources.map(names),
    mcpServers: Object.keys(mcpServers),
    hooks: hookPoints(allHooks),
  };
  return (Object.keys(all) as ComponentKind[]).flatMap((kind) =>
    all[kind].map((name) => ({ kind, name, ...(off[kind]?.includes(name) && { off: true as const }) })),
  );
}
