import { realpathSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import type { McpServer, Plugin, Skill } from "@pegboard/contract";
import type { Diagnostic } from "../../core/diagnostic.ts";
import { messageOf } from "../../core/error.ts";
import type { FileReport } from "../../core/file-report.ts";
import { parseAgentPlugin } from "../../plugins/agent-plugin.ts";
import { isProgram } from "../../sources/mcp/server.ts";
import { parseAgentPluginServers, type PluginPlaces } from "./agent-plugin-servers.ts";
import { type CommandPluginDeps, toCommandPlugin } from "./command-plugin.ts";
import {
  dataOf,
  type ForeignPluginDeps,
  readManifestText,
  toNothing,
  toPluginName,
  toReadPlugin,
} from "./foreign-plugin.ts";
import { readManifest } from "./manifest.ts";
import type { PluginFolder } from "./plugin-folder.ts";
import type { ReadItem } from "./read-item.ts";
import type { ReadPlugin } from "./read-plugin.ts";
import { brokenReport, type Sort, toReport } from "./report.ts";
import { readSkills } from "./skills.ts";

const MANIFEST = "plugin.json";
const SORT = { kind: "plugin", format: "agent-plugin" } as const;

/**
 * Reads an Agent Plugin, version 1.0.0: its skills and MCP servers. What is wrong costs as little as the specification
 * allows: a skill, a server, all servers, all skills, or the plugin.
 */
export async function readAgentPlugin(
  folder: PluginFolder,
  deps: CommandPluginDeps & ForeignPluginDeps,
): Promise<ReadPlugin> {
  const place = { format: "agent-plugin", path: MANIFEST } as const;
  const text = await readManifestText(folder, place);
  if (typeof text !== "string") return text;
  const file = folder.absolute(MANIFEST);
  const { manifest, fields, diagnostics, at } = parseAgentPlugin(text, file);
  if (!manifest) return toNothing(folder, place, toReport(file, SORT, { loaded: false, fields, diagnostics }));
  const name = toPluginName(manifest.name) ?? "plugin";
  const report = toReport(file, SORT, { loaded: true, item: { ...manifest, name }, fields, diagnostics });
  const skills = await readSkillFolder(folder);
  const servers = await readServers(folder, { root: folder.root, data: dataOf(deps, name) });
  const { version, description } = manifest;
  const portable = toReadPlugin(
    folder,
    { ...place, name, version, description },
    {
      skills: skills.items,
      mcpServers: servers.servers,
      reports: [report, ...skills.reports, ...servers.reports],
    },
    deps,
  );
  if (!manifest.own) return portable;
  const fieldsOfOwn = {
    ...manifest.own,
    name,
    version: version ?? "0.0.0",
    ...(description !== undefined && { description }),
  };
  const atOwn = (pointer: string) => at(`/extensions/pegboard${pointer}`);
  const own = { ...readManifest(fieldsOfOwn, file, atOwn), at: atOwn };
  return withOwn(portable, await toCommandPlugin(folder, own, deps));
}

/** An Agent Plugin with what our own fields in it bring. When those cannot be read, the rest of it stays. */
function withOwn(portable: ReadPlugin, own: ReadPlugin): ReadPlugin {
  const diagnostics = [...portable.diagnostics, ...own.diagnostics];
  const [manifest, ...others] = portable.reports;
  const ofOwn = own.reports.filter(({ kind }) => kind !== "plugin");
  const reports = [withOwnReport(manifest!, own), ...others, ...ofOwn];
  const { loaded } = portable;
  if (!loaded || !own.loaded)
    return { ...portable, diagnostics, reports, ...(loaded && { loaded: { ...loaded, diagnostics, reports } }) };
  const { skills, mcpServers, commands, register } = loaded.plugin;
  const plugin: Plugin = {
    ...own.loaded.plugin,
    ...(skills && { skills }),
    ...(commands && { commands }),
    ...(mcpServers && { mcpServers }),
    async register(host) {
      await register?.(host);
      return own.loaded?.plugin.register?.(host);
    },
  };
  return { ...own, origin: portable.origin, diagnostics, reports, loaded: { ...loaded, plugin, diagnostics, reports } };
}

/** Both read one manifest, on which there is one report. */
function withOwnReport(manifest: FileReport, { loaded, reports }: ReadPlugin): FileReport {
  const own = reports.find(({ kind }) => kind === "plugin");
  const fields = manifest.fields.map((one) =>
    one.field === "extensions.pegboard" && !loaded
      ? { ...one, became: "ignored" as const, note: "it has errors" }
      : one,
  );
  const diagnostics = [...manifest.diagnostics, ...(own?.diagnostics ?? [])];
  return { ...manifest, ...(own?.tools && { tools: own.tools }), fields, diagnostics };
}

async function readSkillFolder(
  folder: PluginFolder,
): Promise<{ readonly items: readonly ReadItem<Skill>[]; readonly reports: readonly FileReport[] }> {
  try {
    return { items: await readSkills(folder, "skills", { strict: true }), reports: [] };
  } catch (error) {
    const sort: Sort = { kind: "folder", format: "agent-plugin" };
    return {
      items: [],
      reports: [brokenReport(folder.absolute("skills"), sort, `no skill is used: ${messageOf(error)}`)],
    };
  }
}

interface ReadServers {
  readonly servers: NonNullable<Plugin["mcpServers"]>;
  readonly reports: readonly FileReport[];
}

async function readServers(folder: PluginFolder, places: PluginPlaces): Promise<ReadServers> {
  const path = "mcp.json";
  const file = folder.absolute(path);
  const sort: Sort = { kind: "mcp", format: "agent-plugin" };
  try {
    const text = await folder.read(path);
    if (text === undefined) {
      // A link that leads nowhere is there and is no file.
      const isThere = (await folder.list(""))?.some(({ name }) => name === path);
      return { servers: {}, reports: isThere ? [brokenReport(file, sort, "it is a link that leads nowhere")] : [] };
    }
    const read = parseAgentPluginServers(text, file, places);
    const entries = Object.entries(read.servers).map(([name, server]) => ({
      name,
      server,
      problem: linkProblem(server, places),
    }));
    const diagnostics: Diagnostic[] = [
      ...read.diagnostics,
      ...entries.flatMap(({ name, problem }): Diagnostic[] =>
        problem === undefined
          ? []
          : [{ severity: "error", code: "denied", message: `server "${name}" is left out: ${problem}`, file }],
      ),
    ];
    const kept = entries.filter(({ problem }) => problem === undefined);
    return {
      servers: Object.fromEntries(kept.map(({ name, server }) => [name, server])),
      reports: [toReport(file, sort, { loaded: diagnostics.length === 0, fields: read.fields, diagnostics })],
    };
  } catch (error) {
    return { servers: {}, reports: [brokenReport(file, sort, `no server is used: ${messageOf(error)}`)] };
  }
}

/** What links make of the folder and the program of a server: both must stay where they are allowed to be. */
function linkProblem(server: McpServer, { root, data }: PluginPlaces): string | undefined {
  if (!isProgram(server)) return undefined;
  const { command, cwd = root } = server;
  if (command.includes("/") && !isRealBelow(command, root)) return "its command leads out of the plugin";
  if (!isRealBelow(cwd, root) && !isRealBelow(cwd, data)) return "its cwd leads out of the plugin";
  return undefined;
}

/** Whether a path is below a folder when all links are followed. */
function isRealBelow(path: string, folder: string): boolean {
  const [real, base] = [realOf(path), realOf(folder)];
  return real === base || real.startsWith(join(base, "/"));
}

function realOf(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    // Not there yet: what it would be below of is what counts.
    return dirname(path) === path ? path : join(realOf(dirname(path)), basename(path));
  }
}
