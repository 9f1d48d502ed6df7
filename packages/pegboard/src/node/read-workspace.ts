import { existsSync, statSync } from "node:fs";
import { basename, join, resolve } from "node:path";
import { describeDiagnostic, type Diagnostic } from "../core/diagnostic.ts";
import { PegboardError } from "../core/error.ts";
import type { Limits } from "../core/limits.ts";
import type { PolicyOptions } from "../core/policy.ts";
import { createRedactor, type Redactor } from "../core/redact.ts";
import type { Rule } from "../core/rule.ts";
import type { Secrets } from "../core/secret.ts";
import type { ReadAgent } from "./agents/read-agents.ts";
import { trustedAgentFiles } from "./agents/trusted-files.ts";
import { type Config, readConfig, readHostTools } from "./config-file.ts";
import type { WorkspaceServers } from "./mcp/workspace-servers.ts";
import {
  AGENTS_FOLDER,
  CONFIG_FILE,
  dataFolder,
  LOCK_FILE,
  PLUGIN_SWITCHES,
  PLUGINS_FOLDER,
  STORED_SETTINGS,
  userFolder,
} from "./places.ts";
import type { WorkspacePlugins } from "./plugins/workspace-plugins.ts";
import { readUserPolicy } from "./policy-file.ts";
import type { Sandbox } from "./sandbox/sandbox.ts";
import { DEFAULT_SANDBOX, type SandboxSettings } from "./sandbox/settings.ts";
import { userSecrets } from "./secrets.ts";
import { listSources } from "./sources.ts";
import { nothingToTrust, readTrust, type Trust, trustFile } from "./trust.ts";
import type { WorkspaceSource } from "./workspace-source.ts";

// What most workspaces do not have is not loaded.
const agentFiles = () => import("./agents/read-agents.ts");
const pluginFolders = () => import("./plugins/workspace-plugins.ts");

/** How a workspace is read. */
export interface ReadingOptions {
  /** The caller vouches for the workspace as it is and as it will be, as long as this runtime lives. */
  readonly trust?: boolean;
  /** Files of host tools (YAML), besides the workspace's own. Naming one is vouching for it. */
  readonly hostTools?: readonly string[];
  /** Modules of host tools. Naming one is vouching for it. */
  readonly hostToolsModules?: readonly string[];
  /** The folder of the person's own settings. */
  readonly home?: string;
  /** What `secret://name` stands for; by default the environment and the person's own secrets. */
  readonly secrets?: Secrets;
  /** Keeps secrets out of the log, of results and of diagnostics; by default one of its own. */
  readonly redactor?: Redactor;
}

/** What reading lends what it finds, for when it runs. */
interface Lent {
  sandbox?(): Sandbox;
  servers?(): Promise<WorkspaceServers>;
}

/** What stands in a workspace, as far as reading tells. */
export interface Reading {
  /** The configuration of the workspace. */
  readonly config: Config | undefined;
  /** The person's own policy. */
  readonly user: Config | undefined;
  /** What both together say, as far as they count. */
  readonly policy: PolicyOptions;
  readonly limits: Partial<Limits>;
  /** Where tools run. */
  readonly sandbox: SandboxSettings;
  /** The model that all agents run on, if one is forced. */
  readonly forcedModel: string | undefined;
  readonly trust: Trust;
  /** Whether what is in the workspace may run. */
  readonly runs: boolean;
  readonly sources: readonly WorkspaceSource[];
  /** The agents' files of the workspace and of the person. */
  readonly agents: readonly ReadAgent[];
  /** The plugins of the workspace and of the person; undefined when there are none. */
  readonly plugins: WorkspacePlugins | undefined;
  /** The sources that the caller vouches for. */
  readonly vouched: readonly WorkspaceSource[];
  readonly diagnostics: readonly Diagnostic[];
}

/** Reads a workspace; nothing of it runs. Rejects with `invalid_config` when the configuration must not be worked with. */
export async function readWorkspace(dir: string, options: ReadingOptions & Lent = {}): Promise<Reading> {
  const folder = resolve(dir);
  if (!statSync(folder, { throwIfNoEntry: false })?.isDirectory())
    throw new PegboardError("invalid_config", `There is no folder ${folder}`);
  const home = options.home ?? userFolder();
  const file = join(folder, CONFIG_FILE);
  const config = existsSync(file) ? await readConfig(file) : undefined;
  const user = await readUserPolicy(home);
  const extra = await Promise.all((options.hostTools ?? []).map((path) => readHostTools(resolve(path))));
  for (const each of [config, user, ...extra]) if (each?.fatal) throw fatal(each);
  const { secrets = userSecrets(home), redactor = createRedactor(), servers } = options;
  const packages = join(dataFolder(folder), "packages");
  const places = { workspace: folder, packages, secrets, redactor, ...(servers && { servers }) };
  const vouched = listSources(extra, { ...places, workspace: join(folder, ".pegboard") });
  const given = [
    ...(options.hostTools ?? []),
    ...(options.hostToolsModules ?? []),
    ...vouched.flatMap(({ files }) => files),
  ];
  const sources = config
    ? listSources([config], {
        ...places,
        protect: [home, dataFolder(folder), ...given],
        shellRules: user?.shell?.entry.rules ?? [],
      })
    : [];
  const hasAgents = [folder, home].some((place) => existsSync(join(place, AGENTS_FOLDER)));
  const aliases = Object.keys(config?.models.aliases ?? {});
  const agents = hasAgents ? await (await agentFiles()).readAgents(config && folder, home, aliases) : [];
  const { enabled = [] } = config?.plugins ?? {};
  const hasPlugins = enabled.length > 0 || [folder, home].some(holdsPlugins);
  const { sandbox = notOpen } = options;
  const reader = hasPlugins ? await pluginFolders() : undefined;
  const plugins = await reader?.readPlugins({ folder: config && folder, home, sandbox, models: aliases, enabled });
  const own = plugins?.own.flatMap(({ files }) => files) ?? [];
  const trust = config
    ? readTrust(folder, home, [...sources.flatMap(({ files }) => files), ...trustedAgentFiles(agents), ...own])
    : nothingToTrust(folder);
  const runs = options.trust === true || trust.trusted;
  return {
    config,
    user,
    policy: toPolicy(user, config, runs),
    limits: runs ? (config?.limits ?? {}) : {},
    sandbox: { ...DEFAULT_SANDBOX, ...(runs && config?.sandbox) },
    forcedModel: user?.forcedModel ?? (runs ? config?.forcedModel : undefined),
    trust,
    runs,
    sources,
    agents,
    plugins,
    vouched,
    diagnostics: [
      ...[config, user, ...extra].flatMap((each) => each?.diagnostics ?? []),
      ...(plugins?.diagnostics ?? []),
      ...(config && reader && plugins ? reader.unknownPlugins(plugins, config) : []),
    ],
  };
}

/** What is not run as long as a workspace is not trusted, in words. */
export function describeHeld({ sources, agents, plugins }: Reading): string[] {
  const own = agents.filter(({ layer }) => layer === "project");
  return [
    ...sources.map(({ label }) => label),
    ...own.map(({ file }) => `${AGENTS_FOLDER}/${basename(file)}`),
    ...(plugins?.own.map(({ folder }) => `${PLUGINS_FOLDER}/${basename(folder.root)}`) ?? []),
  ];
}

/** The places whose changes change what is read. */
export function watchedPlaces(folder: string, home: string, reading: Reading): readonly string[] {
  const { sources, vouched, config, plugins } = reading;
  const found = [...(plugins?.own ?? []), ...(plugins?.user ?? [])];
  const files = [...sources, ...vouched, ...found].flatMap(({ files }) => files);
  return [
    config?.file ?? join(folder, CONFIG_FILE),
    join(folder, "tools"),
    join(folder, AGENTS_FOLDER),
    join(home, AGENTS_FOLDER),
    join(folder, PLUGINS_FOLDER),
    join(home, PLUGINS_FOLDER),
    join(home, STORED_SETTINGS),
    join(folder, LOCK_FILE),
    join(home, LOCK_FILE),
    join(home, PLUGIN_SWITCHES),
    trustFile(home),
    join(home, "policy.yaml"),
    ...files,
  ];
}

function holdsPlugins(place: string): boolean {
  return existsSync(join(place, PLUGINS_FOLDER)) || existsSync(join(place, LOCK_FILE));
}

function notOpen(): never {
  throw new PegboardError("unavailable", "A workspace that is only read runs nothing");
}

function toPolicy(user: Config | undefined, config: Config | undefined, trusted: boolean): PolicyOptions {
  const own = config?.policy.rules ?? [];
  const rules: readonly Rule[] = [
    ...(user?.policy.rules ?? []),
    ...(trusted ? own : own.filter(({ approval }) => approval !== "preApproved")),
  ];
  const fallback = [config?.policy.default, user?.policy.default].includes("blocked") ? "blocked" : "ask";
  return { default: fallback, rules };
}

function fatal({ file, diagnostics }: Config): PegboardError {
  const errors = diagnostics.filter(({ severity }) => severity === "error");
  return new PegboardError(
    "invalid_config",
    `${file} cannot be used:\n${errors.map((one) => `  ${describeDiagnostic(one)}`).join("\n")}`,
  );
}
