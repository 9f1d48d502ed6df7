import { mkdir } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import type { Agent, Command, McpServer, Plugin, Skill } from "@pegboard/contract";
import { toName } from "../../agents/agent-name.ts";
import type { Diagnostic } from "../../core/diagnostic.ts";
import { messageOf } from "../../core/error.ts";
import type { FileReport } from "../../core/file-report.ts";
import type { PluginFormat } from "../../plugins/loaded-plugin.ts";
import { fillSettings } from "./fill-settings.ts";
import type { PluginFolder } from "./plugin-folder.ts";
import { keepFirst, type ReadItem } from "./read-item.ts";
import type { ReadPlugin } from "./read-plugin.ts";
import { brokenReport } from "./report.ts";
import { toSettingsSchema, type WrittenSettings } from "./settings.ts";

/** The file that makes a folder a plugin of Claude Code. */
export const CLAUDE_MANIFEST = ".claude-plugin/plugin.json";

/** What is known when a plugin of another program is read. */
export interface ForeignPluginDeps {
  /** Where what plugins depend on is installed. What they keep themselves lies beside it. */
  readonly environments: string;
  /** The folder of the workspace. */
  readonly project?: string;
  /** Where links to skills may lead to, besides the plugin itself. */
  readonly around?: string;
  /** The names that the workspace gives to models. */
  readonly models?: readonly string[];
  readonly env?: Readonly<Record<string, string | undefined>>;
}

/** Where a plugin keeps what it makes, for itself alone. */
export function dataOf({ environments }: ForeignPluginDeps, name: string): string {
  return join(dirname(environments), "plugin-data", name);
}

/** What was read of a plugin besides its manifest. */
export interface ForeignParts {
  readonly agents?: readonly ReadItem<Agent>[];
  readonly skills?: readonly ReadItem<Skill>[];
  readonly commands?: readonly ReadItem<Command>[];
  readonly mcpServers?: Readonly<Record<string, McpServer>>;
  /** What people are asked for. */
  readonly settings?: WrittenSettings;
  /** On all its other files, the manifest first. */
  readonly reports: readonly FileReport[];
}

/** What a manifest says of the plugin as a whole. */
export interface ForeignHead {
  readonly format: PluginFormat;
  /** The manifest, from the folder. */
  readonly path: string;
  readonly name: string;
  readonly version?: string | undefined;
  readonly description?: string | undefined;
}

/** The plugin that its parts make. Everything that costs something is a diagnostic; the rest is in the reports alone. */
export function toReadPlugin(
  folder: PluginFolder,
  { format, path, name, version = "0.0.0", description }: ForeignHead,
  parts: ForeignParts,
  deps: ForeignPluginDeps,
): ReadPlugin {
  const agents = keepFirst(parts.agents ?? []);
  const skills = keepFirst(parts.skills ?? []);
  const commands = keepFirst(parts.commands ?? []);
  const things = [...agents, ...skills, ...commands];
  const reports = [...parts.reports, ...things.map(({ report }) => report)];
  const diagnostics = [
    ...parts.reports.flatMap((report) => withFile(report)),
    ...things.flatMap(({ report }) => withFile(report).filter(({ severity }) => severity === "error")),
  ];
  const { settings } = parts;
  const isAsked = settings && Object.keys(settings.properties).length > 0;
  const plugin: Plugin = {
    name,
    version,
    ...(isAsked && { settingsSchema: toSettingsSchema(settings) }),
    ...(description !== undefined && { description }),
    agents: itemsOf(agents),
    skills: itemsOf(skills),
    commands: itemsOf(commands),
    mcpServers: parts.mcpServers ?? {},
    async register() {
      if (Object.keys(parts.mcpServers ?? {}).length > 0) await mkdir(dataOf(deps, name), { recursive: true });
    },
  };
  const origin = { format, folder: folder.root, file: folder.absolute(path), digest: folder.digest() };
  return {
    name,
    origin,
    loaded: { plugin, origin, diagnostics, reports },
    ...(isAsked && { settings, fill: (own, given) => fillSettings(own, given, settings, folder.root) }),
    diagnostics,
    reports,
  };
}

/** What comes of a folder whose manifest cannot be used. */
export function toNothing(
  folder: PluginFolder,
  { format, path }: Pick<ForeignHead, "format" | "path">,
  report: FileReport,
): ReadPlugin {
  const origin = { format, folder: folder.root, file: folder.absolute(path) };
  return { name: basename(folder.root), origin, diagnostics: withFile(report), reports: [report] };
}

/** The text of a manifest, or the plugin that is none because it cannot be read. */
export async function readManifestText(
  folder: PluginFolder,
  head: Pick<ForeignHead, "format" | "path">,
): Promise<string | ReadPlugin> {
  const sort = { kind: "plugin", format: head.format };
  const fail = (message: string) => toNothing(folder, head, brokenReport(folder.absolute(head.path), sort, message));
  try {
    return (await folder.read(head.path)) ?? fail("there is no such file");
  } catch (error) {
    return fail(messageOf(error));
  }
}

/** The name that a plugin has here: names elsewhere may hold dots and start with a digit. */
export function toPluginName(text: string): string | undefined {
  return toName(text) ?? (/^[0-9]/.test(text) ? toName(`plugin-${text}`) : undefined);
}

function itemsOf<T>(read: readonly ReadItem<T>[]): T[] {
  return read.flatMap(({ item }) => (item === undefined ? [] : [item]));
}

function withFile({ path, diagnostics }: FileReport): Diagnostic[] {
  return diagnostics.map((one) => ({ ...one, file: path }));
}
