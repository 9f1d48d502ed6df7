import type { McpServer } from "@pegboard/contract";
import { messageOf } from "../../core/error.ts";
import type { FileReport } from "../../core/file-report.ts";
import { isObject, parseLooseJson } from "../../plugins/json-file.ts";
import { fillVariables } from "../../plugins/variables.ts";
import { readPluginAgents } from "./agents.ts";
import { type CommandFormat, readCommands } from "./commands.ts";
import type { ForeignParts, ForeignPluginDeps } from "./foreign-plugin.ts";
import { reportHooks, toHooksReport } from "./foreign-hooks.ts";
import { reportPolicies } from "./gemini-policies.ts";
import { leavesFolder } from "./manifest-meaning.ts";
import { ownTools, type RenameTools } from "./own-tools.ts";
import type { PluginFolder } from "./plugin-folder.ts";
import type { ReadItem } from "./read-item.ts";
import { brokenReport, toReport } from "./report.ts";
import { type ServerOptions, toServers } from "./servers.ts";
import { readSkill, readSkills } from "./skills.ts";
import type { ReadUserConfig } from "./user-config.ts";

/** Where a program has the parts of its plugins. Paths start at the folder; what is not there is simply not there. */
export interface Layout {
  /** What the plugin is called. */
  readonly name: string;
  readonly format: "claude" | "codex" | "gemini";
  /** The manifest, as what servers and hooks inside of it are told of. */
  readonly manifest: string;
  readonly agents?: readonly string[];
  readonly commands?: readonly string[];
  readonly commandFormat?: CommandFormat;
  /** Folders of skills, and skills. */
  readonly skills: readonly string[];
  /** Files of servers, and servers that stand in the manifest. */
  readonly servers: readonly (string | object)[];
  readonly hooks: readonly (string | object)[];
  /** The folder of its policies. */
  readonly policies?: string;
  /** Those of the paths that the manifest names: they must be there. */
  readonly named: readonly string[];
  /** Variables that its programs find in their environment. */
  readonly environment: Readonly<Record<string, string>>;
  /** All variables that are filled in. */
  readonly variables: Readonly<Record<string, string>>;
  /** The variable that is the folder of the skill in which it stands. */
  readonly skillVariable?: string;
  /** What people are asked for. */
  readonly userConfig?: ReadUserConfig;
}

/** Reads all parts of a plugin. One that cannot be read costs itself alone. Never rejects. */
export async function readLayout(
  folder: PluginFolder,
  layout: Layout,
  { models, around, env = process.env }: ForeignPluginDeps,
): Promise<ForeignParts> {
  const { format, variables, environment, commandFormat, skillVariable } = layout;
  const fill = (text: string) => fillVariables(text, variables);
  const { bad, problems } = await checkPaths(folder, layout);
  const each = async <T>(paths: readonly string[], read: (path: string) => Promise<readonly ReadItem<T>[]>) => {
    const items: ReadItem<T>[] = [];
    for (const path of paths) {
      if (bad.has(path)) continue;
      try {
        items.push(...(await read(path)));
      } catch (error) {
        problems.push(brokenReport(folder.absolute(path), { kind: "folder", format }, messageOf(error)));
      }
    }
    return items;
  };
  const agentFormat = format === "gemini" ? "gemini" : "claude";
  const agents = await each(layout.agents ?? [], (path) =>
    readPluginAgents(folder, path, { format: agentFormat, models, fill }),
  );
  const commands = await each(commandFormat ? (layout.commands ?? []) : [], (path) =>
    readCommands(folder, path, commandFormat!),
  );
  const ofSkill = (own: string) => (skillVariable === undefined ? variables : { ...variables, [skillVariable]: own });
  const skillOptions = { around, fill: (text: string, own: string) => fillVariables(text, ofSkill(own)) };
  const skills = await each(layout.skills, async (path) => {
    const own = await readSkill(folder, path, skillOptions);
    return own.length > 0 ? own : readSkills(folder, path, skillOptions);
  });
  const usable = (places: Layout["servers"]) => places.filter((place) => typeof place !== "string" || !bad.has(place));
  const servers = await readServers(
    folder,
    { ...layout, servers: usable(layout.servers) },
    { format, variables: environment, env, fill, settings: Object.keys(layout.userConfig?.settings.properties ?? {}) },
  );
  const hooks = await readHooks(folder, { ...layout, hooks: usable(layout.hooks) });
  const policies = layout.policies === undefined ? [] : await reportPolicies(folder, layout.policies);
  const rename = ownTools(layout.name, Object.keys(servers.servers));
  return {
    agents: agents.map((read) => change(read, (agent) => withTools(agent, rename))),
    commands: commands.map((read) =>
      change(read, (command) => ({ ...withTools(command, rename), prompt: fill(command.prompt) })),
    ),
    skills,
    mcpServers: servers.servers,
    reports: [...servers.reports, ...hooks, ...policies, ...problems],
  };
}

function change<T>({ item, report }: ReadItem<T>, by: (item: T) => T): ReadItem<T> {
  return { report, ...(item !== undefined && { item: by(item) }) };
}

function withTools<T extends { readonly tools?: readonly string[] }>(item: T, rename: RenameTools): T {
  return item.tools ? { ...item, tools: rename(item.tools) } : item;
}

/** Paths or tables of a manifest: a text, an object, or a list of them. Undefined when it names none. */
export function placesOf(written: unknown): readonly (string | object)[] | undefined {
  const list: readonly unknown[] = Array.isArray(written) ? written : [written];
  const places = list.filter((one) => (typeof one === "string" && one !== "") || isObject(one)) as (string | object)[];
  return places.length === 0 ? undefined : places.map((one) => (typeof one === "string" ? toPath(one) : one));
}

/** The paths alone. */
export function pathsOf(written: unknown): readonly string[] | undefined {
  const paths = placesOf(written)?.filter((one) => typeof one === "string");
  return paths && paths.length > 0 ? paths : undefined;
}

function toPath(written: string): string {
  return written.replace(/^\.\//, "").replace(/\/+$/, "");
}

async function checkPaths(folder: PluginFolder, { named, format }: Layout) {
  const bad = new Set<string>();
  const problems: FileReport[] = [];
  for (const path of new Set(named)) {
    const problem = await pathProblem(folder, path);
    if (problem === undefined) continue;
    bad.add(path);
    problems.push(brokenReport(folder.absolute(path), { kind: "folder", format }, problem));
  }
  return { bad, problems };
}

async function pathProblem(folder: PluginFolder, path: string): Promise<string | undefined> {
  if (leavesFolder(path)) return "the manifest names it, and it is outside of the plugin";
  try {
    return (await folder.typeOf(path)) === undefined ? "the manifest names it, and it is not there" : undefined;
  } catch (error) {
    return messageOf(error);
  }
}

async function readServers(
  folder: PluginFolder,
  { format, manifest, servers: places }: Layout,
  options: ServerOptions,
): Promise<{ readonly servers: Readonly<Record<string, McpServer>>; readonly reports: readonly FileReport[] }> {
  const servers: Record<string, McpServer> = {};
  const reports: FileReport[] = [];
  const take = (list: unknown, file: string) => {
    const read = toServers(list, file, options);
    Object.assign(servers, read.servers);
    reports.push(read.report);
  };
  for (const place of new Set(places)) {
    if (typeof place !== "string") {
      take({ mcpServers: place }, folder.absolute(manifest));
      continue;
    }
    const file = folder.absolute(place);
    const sort = { kind: "mcp", format };
    try {
      const text = await folder.read(place);
      if (text === undefined) continue;
      const { value, diagnostics } = parseLooseJson(text, file);
      if (value) take(value, file);
      else reports.push(toReport(file, sort, { loaded: false, fields: [], diagnostics }));
    } catch (error) {
      reports.push(brokenReport(file, sort, messageOf(error)));
    }
  }
  return { servers, reports };
}

async function readHooks(folder: PluginFolder, { format, manifest, hooks }: Layout): Promise<FileReport[]> {
  const sort = { kind: "hooks", format };
  const reports = Array.from(new Set(hooks), async (place) =>
    typeof place === "string"
      ? reportHooks(folder, place, format)
      : toHooksReport(place, folder.absolute(manifest), sort),
  );
  return (await Promise.all(reports)).flatMap((report) => report ?? []);
}
