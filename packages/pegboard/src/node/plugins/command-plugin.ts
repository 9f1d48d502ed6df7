import { basename, join } from "node:path";
import type { Agent, Plugin, PluginHost } from "@pegboard/contract";
import type { Diagnostic } from "../../core/diagnostic.ts";
import { parseDuration } from "../../core/duration.ts";
import { messageOf } from "../../core/error.ts";
import type { FileReport } from "../../core/file-report.ts";
import { agentIdentity } from "../../core/name.ts";
import type { AnyTool } from "../../core/registry.ts";
import { commandTool } from "../command-tool.ts";
import type { Sandbox } from "../sandbox/sandbox.ts";
import { changedError, sealFiles } from "../sandbox/seal.ts";
import { type Manifest, type ManifestFile, type ManifestTool, parseManifest } from "./manifest.ts";
import { toCapabilities, toInput, toWrittenSettings } from "./manifest-values.ts";
import { readManifestAgents } from "./manifest-agents.ts";
import type { PluginFolder } from "./plugin-folder.ts";
import type { ReadPlugin } from "./read-plugin.ts";
import { toReport } from "./report.ts";
import { toEnvironment, toSettingsSchema, type WrittenSettings } from "./settings.ts";
import { type Surroundings, toSurroundings } from "./surroundings.ts";

/** The file that describes a plugin. */
export const MANIFEST_FILE = "plugin.json";

/** What the tools of a plugin run with. */
export interface CommandPluginDeps {
  /** Where they run now. */
  sandbox(): Pick<Sandbox, "command" | "changed">;
  /** Where the plugins' dependencies are installed, each in a folder of its own. */
  readonly environments: string;
}

/** Reads a folder with a `plugin.json`. Runs nothing and never rejects; with an error in the manifest there is no plugin. */
export async function readCommandPlugin(folder: PluginFolder, deps: CommandPluginDeps): Promise<ReadPlugin> {
  const file = folder.absolute(MANIFEST_FILE);
  const text = await folder.read(MANIFEST_FILE).catch((error: unknown) => error as Error);
  if (typeof text !== "string") {
    const message = text === undefined ? "there is no such file" : messageOf(text);
    return nothing(folder, [{ severity: "error", code: "not_read", message, file }]);
  }
  return toCommandPlugin(folder, parseManifest(text, file), deps);
}

/** What comes of a manifest that was read, wherever its fields stand in the file. */
export async function toCommandPlugin(
  folder: PluginFolder,
  { manifest, diagnostics: found, at }: ManifestFile,
  deps: CommandPluginDeps,
): Promise<ReadPlugin> {
  const file = folder.absolute(MANIFEST_FILE);
  if (!manifest) return nothing(folder, found);
  const { agents, ...read } = await readManifestAgents(manifest, folder, (pointer) => ({ file, ...at(pointer) }));
  const { dependencies, runtime = "node" } = manifest;
  const surroundings =
    dependencies && toSurroundings({ ...dependencies, runtime }, join(deps.environments, manifest.name));
  const settings = toWrittenSettings(manifest.config);
  const plugin = toPlugin(manifest, agents, { ...deps, folder: folder.root, surroundings, settings });
  const origin = { format: "pegboard", folder: folder.root, file, digest: folder.digest() } as const;
  const diagnostics = [...found, ...read.diagnostics];
  const reports = [reportManifest(file, manifest, found), ...read.reports];
  return {
    name: manifest.name,
    origin,
    loaded: { plugin, origin, diagnostics, reports },
    runs: Object.fromEntries((manifest.tools ?? []).map(({ name, command, args = [] }) => [name, [command, ...args]])),
    ...(settings && { settings }),
    ...(surroundings && { surroundings }),
    diagnostics,
    reports,
  };
}

function nothing(folder: PluginFolder, diagnostics: readonly Diagnostic[]): ReadPlugin {
  const file = folder.absolute(MANIFEST_FILE);
  const origin = { format: "pegboard", folder: folder.root, file } as const;
  return { name: basename(folder.root), origin, diagnostics, reports: [reportManifest(file, undefined, diagnostics)] };
}

interface PluginPlaces extends CommandPluginDeps {
  readonly folder: string;
  readonly surroundings: Surroundings | undefined;
  readonly settings: WrittenSettings | undefined;
}

function toPlugin(manifest: Manifest, agents: readonly Agent[], places: PluginPlaces): Plugin {
  const { name, version, description, activationMode } = manifest;
  const { folder, settings, surroundings } = places;
  let host: PluginHost | undefined;
  const environment = () => ({
    ...surroundings?.env,
    ...(settings && host && toEnvironment(host.settings, settings, { folder, plugin: name })),
  });
  const tools = (manifest.tools ?? []).map((tool) => toTool(tool, manifest, { ...places, environment }));
  return {
    name,
    version,
    ...(description !== undefined && { description }),
    ...(tools.length > 0 && { tools }),
    ...(agents.length > 0 && { agents }),
    ...(settings && { settingsSchema: toSettingsSchema(settings) }),
    ...(activationMode && { activation: activationMode }),
    register(own) {
      host = own;
      // Said now, rather than by the first call.
      environment();
    },
  };
}

interface ToolPlaces extends PluginPlaces {
  environment(): Readonly<Record<string, string>>;
}

function toTool(written: ManifestTool, manifest: Manifest, places: ToolPlaces): AnyTool {
  const {
    name,
    description,
    command,
    args = [],
    schema,
    usageGuidance,
    timeout,
    requiresConfirmation,
    version,
  } = written;
  const { folder, surroundings } = places;
  const program = surroundings?.program(command) ?? command;
  // What its arguments name runs as much as the program itself, and so does what that mentions.
  const isSame = sealFiles([MANIFEST_FILE, command, ...args].map((word) => join(folder, word)));
  const tool = commandTool(
    {
      entry: {
        name,
        description: usageGuidance ? `${description}\n\n${usageGuidance}` : description,
        command: [program, ...args],
        parameters: toInput(schema),
        capabilities: toCapabilities(written),
      },
      file: join(folder, MANIFEST_FILE),
      line: 0,
    },
    {
      async command(argv, place) {
        const sandbox = places.sandbox();
        if (isSame()) return sandbox.command(argv, place);
        sandbox.changed(`plugin ${manifest.name}`);
        throw changedError(`tool "${name}" of plugin "${manifest.name}"`);
      },
      env: places.environment,
      write: [],
      read: [folder, ...(surroundings ? [surroundings.folder] : [])],
    },
  );
  const bound = toRequiredAgent(written, manifest);
  return {
    ...tool,
    ...(requiresConfirmation && { approval: "ask" }),
    ...(timeout !== undefined && { timeoutMs: typeof timeout === "string" ? parseDuration(timeout)! : timeout }),
    ...(bound && { requiredAgent: bound }),
    ...(version !== undefined && { version }),
  };
}

/** The agents that a tool is bound to, each told from all others, also those whose files turned out to be wrong. */
function toRequiredAgent(
  { required_agent, visible_to }: ManifestTool,
  manifest: Manifest,
): readonly string[] | undefined {
  const named = [...(required_agent === undefined ? [] : [required_agent]), ...(visible_to ?? [])];
  if (named.length === 0) return undefined;
  const own = (manifest.agents ?? []).map(({ name }) => name);
  return [...new Set(named.map((name) => (own.includes(name) ? agentIdentity(name, manifest.name) : name)))];
}

function reportManifest(file: string, manifest: Manifest | undefined, diagnostics: readonly Diagnostic[]): FileReport {
  const { name, description, tools } = manifest ?? {};
  const item = {
    ...(name !== undefined && { name }),
    ...(description !== undefined && { description }),
    ...(tools && { tools: tools.map((tool) => tool.name) }),
  };
  const fields = Object.keys(manifest ?? {}).map(
    (field) => ({ field, became: NOTES.includes(field) ? "ignored" : "mapped" }) as const,
  );
  return toReport(
    file,
    { kind: "plugin", format: "pegboard" },
    { loaded: manifest !== undefined, item, fields, diagnostics },
  );
}

/** What says nothing that is acted on. */
const NOTES = ["$schema", "author", "homepage", "repository", "license", "keywords"];
