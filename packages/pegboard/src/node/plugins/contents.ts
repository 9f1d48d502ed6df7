import type { Plugin } from "@pegboard/contract";
import type { FoundPlugin } from "./discover.ts";
import { contentDigest, definitionDigestOf } from "./content-digest.ts";
import { readPackageWishes } from "./package-scripts.ts";

/** What a plugin brings, by name, with the digest of each definition. */
export interface Definitions {
  /** Of a tool that is a program, with what it runs. */
  readonly tools: Readonly<Record<string, string>>;
  readonly agents: Readonly<Record<string, string>>;
  readonly skills: Readonly<Record<string, string>>;
  readonly commands: Readonly<Record<string, string>>;
  /** How each is reached. */
  readonly mcpServers: Readonly<Record<string, string>>;
  readonly prompts: Readonly<Record<string, string>>;
  readonly resources: Readonly<Record<string, string>>;
  /** The points of a module's hooks, with their kinds; of another program's hooks the events. */
  readonly hooks: Readonly<Record<string, string>>;
}

/** What a plugin is and brings, as far as reading tells: what a person agrees to, and what a lock file holds. */
export interface PluginContents extends Definitions {
  readonly version: string;
  readonly format: string;
  /** Over every file. */
  readonly digest: string;
  /** The module whose code runs; what it brings shows only then. */
  readonly code?: string;
  /** Package → range. */
  readonly dependencies: Readonly<Record<string, string>>;
  /** What npm would run, and is not run. */
  readonly scripts: Readonly<Record<string, string>>;
}

/** Looks at a plugin that was read; nothing of it runs. Throws when one of its files cannot be read. */
export async function toContents({
  folder,
  loaded,
  code,
  runs = {},
  surroundings,
  reports,
}: FoundPlugin): Promise<PluginContents> {
  const { plugin, origin } = loaded!;
  const { dependencies, scripts } = await readPackageWishes(folder);
  const python = surroundings?.runtime === "python3" ? await readRequirements(folder.read(surroundings.file)) : {};
  const events = reports
    .filter(({ kind }) => kind === "hooks")
    .flatMap(({ fields }) => fields.map(({ field }) => field.replace(/^hooks\./, "")));
  return {
    version: plugin.version,
    format: origin.format,
    digest: contentDigest(folder.root),
    ...(code && origin.file !== undefined && { code: origin.file.slice(folder.root.length + 1) }),
    ...toDefinitions(plugin, folder.root, runs),
    hooks: sorted(Object.fromEntries(events.map((event) => [event, "not run"]))),
    dependencies: sorted({ ...dependencies, ...python }),
    scripts: sorted(scripts),
  };
}

/** The digests of what a plugin brings; `runs` are the commands of those of its tools that are programs. */
export function toDefinitions(
  plugin: Plugin,
  folder: string,
  runs: FoundPlugin["runs"] = {},
): Omit<Definitions, "hooks"> {
  const { tools = [], agents = [], skills = [], commands = [], mcpServers = {}, prompts = [], resources = [] } = plugin;
  const digests = (definitions: readonly (readonly [name: string, definition: unknown])[]) =>
    sorted(Object.fromEntries(definitions.map(([name, definition]) => [name, definitionDigestOf(definition, folder)])));
  return {
    tools: digests(tools.map((tool) => [tool.name, { ...tool, runs: runs[tool.name] }])),
    agents: digests(agents.map((agent) => [agent.name, agent])),
    skills: digests(skills.map((skill) => [skill.name, skill])),
    commands: digests(commands.map((command) => [command.name, command])),
    mcpServers: digests(Object.entries(mcpServers)),
    prompts: digests(prompts.map((prompt) => [prompt.name, prompt])),
    resources: digests(resources.map((resource) => [resource.name, resource])),
  };
}

function sorted(record: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(record).sort(([a], [b]) => (a < b ? -1 : 1)));
}

async function readRequirements(reading: Promise<string | undefined>): Promise<Record<string, string>> {
  const lines = ((await reading) ?? "").split(/\r?\n/).map((line) => line.replace(/(?:^|\s)#.*$/, "").trim());
  return Object.fromEntries(
    lines.flatMap((line) => {
      const [, name, range] = /^([A-Za-z0-9._[\]-]+)\s*(.*)$/.exec(line) ?? [];
      return name === undefined ? [] : [[name, range || "*"]];
    }),
  );
}
