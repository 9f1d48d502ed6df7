import { existsSync, realpathSync } from "node:fs";
import { basename, dirname, extname, join, resolve } from "node:path";
import type { Diagnostic } from "../core/diagnostic.ts";
import { messageOf } from "../core/error.ts";
import { createRedactor } from "../core/redact.ts";
import { type Registration, type RegisterOptions, Registry } from "../core/registry.ts";
import { createRuntime } from "../runtime.ts";
import { toSourceName } from "../sources/mcp/names.ts";
import { type AgentText, lintAgent } from "./agents/lint-agent.ts";
import { type ReadAgent, readAgents } from "./agents/read-agents.ts";
import { trustedAgentFiles } from "./agents/trusted-files.ts";
import { type Config, readConfig, readHostTools, readPolicy } from "./config-file.ts";
import type { ExportKind } from "./load-recipe.ts";
import { CONFIG_FILE, dataFolder, findWorkspace } from "./places.ts";
import { readPlugins } from "./plugins/workspace-plugins.ts";
import { policyFile } from "./policy-file.ts";
import { resolveSelf } from "./resolve-self.ts";
import { userRedactor, userSecrets } from "./secrets.ts";
import { createSandbox } from "./sandbox/sandbox.ts";
import { DEFAULT_SANDBOX } from "./sandbox/settings.ts";
import { showToolOutput } from "./sandbox/tool-output.ts";
import { listSources } from "./sources.ts";
import type { LoadedSource, WorkspaceSource } from "./workspace-source.ts";
import { readTrust } from "./trust.ts";
import { webTools } from "./web/tools.ts";

/** What a file is to Pegboard. */
export type FileKind = "config" | "policy" | "host-tools" | "tools" | "agent";

/** How files are inspected. */
export interface InspectOptions {
  /** The folder of the person's own settings. */
  readonly home: string;
  /** The caller vouches for whatever the files run; without it only what the person trusts is run. */
  readonly trust?: boolean;
  /** Files of host tools, besides the workspace's own. Naming one is vouching for it. */
  readonly hostTools?: readonly string[];
}

/** One file, read on its own: what is wrong with it takes nothing away from the others. */
export interface InspectedFile {
  readonly path: string;
  readonly kind: FileKind;
  /** What it says, when it is YAML. */
  readonly config?: Config;
  /** What a module exports, when it was imported. */
  readonly exports?: Readonly<Record<string, ExportKind>>;
  /** What it says, when it is an agent. */
  readonly agent?: ReadAgent;
  /** The tools that it yields. */
  readonly tools: readonly Registration[];
  readonly diagnostics: readonly Diagnostic[];
  /** Whether it can be used. Code that must not run is not loaded. */
  readonly loaded: boolean;
}

/** The files of a workspace and the board that they fill. No session can be opened on it: it is there to be looked at. */
export interface Inspection {
  readonly registry: Registry;
  readonly files: readonly InspectedFile[];
  /** What stands before the names of tools that are known once their plugin or MCP server runs. */
  readonly unseen: readonly string[];
}

/** Reads everything of a workspace, and the person's own policy. Never rejects for what is in the files. */
export async function inspectWorkspace(folder: string, options: InspectOptions): Promise<Inspection> {
  const { registry, yaml, module, sandbox, close } = createInspector(resolve(folder), options);
  const policy = policyFile(options.home);
  const config = await yaml(join(resolve(folder), CONFIG_FILE), "config");
  const files = [config];
  for (const file of config.config ? placedModules(config.config, options.home) : []) files.push(await module(file));
  for (const file of options.hostTools ?? []) files.push(await yaml(resolve(file), "host-tools", true));
  if (existsSync(policy)) files.push(await yaml(policy, "policy"));
  const models = Object.keys(config.config?.models.aliases ?? {});
  const { enabled = [] } = config.config?.plugins ?? {};
  const plugins = await readPlugins({ folder: resolve(folder), home: options.home, sandbox, models, enabled });
  await close();
  const unseen = [
    ...[...plugins.own, ...plugins.user, ...plugins.bundled].map(({ name }) => name),
    ...[...(config.config?.mcpServers.keys() ?? [])].map((server) => toSourceName(server)),
  ];
  const board = isComplete(files) ? registry : undefined;
  for (const agent of await readAgents(resolve(folder), options.home, models))
    files.push(inspectAgent(agent, board, unseen));
  return { registry, files, unseen };
}

/** Reads files, each as what it is said to be. */
export async function inspectFiles(
  files: readonly { readonly path: string; readonly kind: Exclude<FileKind, "agent"> }[],
  options: InspectOptions,
): Promise<Inspection> {
  const { registry, yaml, module, close } = createInspector(process.cwd(), options);
  const inspected: InspectedFile[] = [];
  for (const { path, kind } of files)
    inspected.push(kind === "tools" ? await module(resolve(path)) : await yaml(resolve(path), kind));
  await close();
  return { registry, files: inspected, unseen: [] };
}

/** Tells what an agent says about tools that the workspace does not have; nothing where not all of them can be known. */
export async function agentLint(
  workspace: string,
  options: InspectOptions,
): Promise<(agent: AgentText) => readonly Diagnostic[]> {
  const { registry, files, unseen } = await inspectWorkspace(workspace, options);
  return isComplete(files) ? (agent) => lintAgent(agent, registry, unseen) : () => [];
}

function isComplete(files: readonly InspectedFile[]): boolean {
  return !files.some(({ diagnostics }) => diagnostics.some(({ code }) => code === "untrusted"));
}

function inspectAgent(agent: ReadAgent, board: Registry | undefined, unseen: readonly string[]): InspectedFile {
  const { file: path, agent: read, text, diagnostics } = agent;
  const unknown = read && board ? lintAgent({ agent: read, file: path, text }, board, unseen) : [];
  const all = [...diagnostics, ...unknown];
  return { path, kind: "agent", agent, tools: [], diagnostics: all, loaded: read !== undefined };
}

const READ = { config: readConfig, policy: readPolicy, "host-tools": readHostTools };

function createInspector(folder: string, { home, trust = false }: InspectOptions) {
  resolveSelf();
  const registry = createBuiltinBoard();
  const isTrusted = createTrustCheck(home);
  const redactor = userRedactor(home);
  const output = (source: string, text: string) => showToolOutput(source, redactor.text(text));
  const sandbox = createSandbox({ settings: DEFAULT_SANDBOX, folder, output });
  return {
    sandbox: () => sandbox,
    /** Ends what was started to look into code. */
    close: () => sandbox[Symbol.asyncDispose](),
    registry,
    /** Whoever names a file of host tools on the command line vouches for it. */
    yaml: (path: string, kind: keyof typeof READ, vouched = false) =>
      guarded(path, kind, async () => {
        const config = await READ[kind](path);
        const tools: Registration[] = [];
        const diagnostics = [...config.diagnostics];
        let held = false;
        for (const { label, files, options, load } of sourcesOf(config, home).filter(
          ({ options }) => !isPlaced(options),
        )) {
          if (!trust && !vouched && !(await isTrusted([path, ...files]))) {
            held = true;
            diagnostics.push(notTrusted(path, label));
            continue;
          }
          const loaded = await load(sandbox);
          const { hung, refused } = hang(registry, loaded, options, path);
          tools.push(...hung);
          diagnostics.push(...loaded.diagnostics, ...refused);
        }
        return { path, kind, config, tools, diagnostics, loaded: !config.fatal && !held };
      }),
    module: (path: string) =>
      guarded(path, "tools", async () => {
        const kind = "tools";
        if (existsSync(path) && !trust && !(await isTrusted([path])))
          return { path, kind, tools: [], diagnostics: [notTrusted(path, basename(path))], loaded: false };
        const label = basename(path);
        const { problems, exports, ...loaded } = await sandbox.load({
          key: path,
          process: { place: path, signature: "", label },
          recipe: { kind: "file", file: path },
          files: [path],
          env: {},
          trusted: false,
        });
        const { hung, refused } = hang(
          registry,
          loaded,
          { layer: "user", source: { kind: "file", id: basename(path, extname(path)), file: path } },
          path,
        );
        const diagnostics = [
          ...problems.map(({ name, message }) => notLoaded(path, `${name}: ${message}`)),
          ...refused,
        ];
        return {
          path,
          kind,
          ...(exports && { exports }),
          tools: hung,
          diagnostics,
          loaded: hung.length > 0 || diagnostics.length === 0,
        };
      }),
  };
}

/** The tools that are there in every workspace. They are there to be looked at: what they need is not. */
function createBuiltinBoard(): Registry {
  const registry = new Registry();
  createRuntime({ registry });
  registry.register(
    webTools(() => ({})),
    { layer: "builtin", source: { kind: "builtin", id: "web" } },
  );
  return registry;
}

async function guarded(path: string, kind: FileKind, inspect: () => Promise<InspectedFile>): Promise<InspectedFile> {
  try {
    return await inspect();
  } catch (error) {
    const missing: Diagnostic = { severity: "error", code: "missing", message: "there is no such file", file: path };
    return {
      path,
      kind,
      tools: [],
      diagnostics: [existsSync(path) ? notLoaded(path, messageOf(error)) : missing],
      loaded: false,
    };
  }
}

function hang(
  registry: Registry,
  { tools, judge }: Pick<LoadedSource, "tools" | "judge">,
  options: RegisterOptions,
  file: string,
) {
  const hung: Registration[] = [];
  const refused: Diagnostic[] = [];
  const watching = registry.onChange(({ added }) => hung.push(...added));
  for (const tool of tools) {
    try {
      registry.register(tool, { ...options, ...(judge && { judge }) });
    } catch (error) {
      refused.push(notLoaded(file, messageOf(error)));
    }
  }
  watching[Symbol.dispose]();
  return { hung, refused };
}

/** Whether all of these files belong to what the person has trusted in the workspace around the first of them. */
function createTrustCheck(home: string): (files: readonly string[]) => Promise<boolean> {
  const known = new Map<string, Promise<ReadonlySet<string>>>();
  return async (files) => {
    const workspace = findWorkspace(dirname(files[0]!));
    if (workspace === undefined) return false;
    if (!known.has(workspace)) known.set(workspace, trustedFiles(workspace, home));
    const trusted = await known.get(workspace)!;
    return files.every((file) => !existsSync(file) || trusted.has(realpathSync(file)));
  };
}

async function trustedFiles(workspace: string, home: string): Promise<ReadonlySet<string>> {
  const sources = sourcesOf(await readConfig(join(workspace, CONFIG_FILE)), home);
  const trust = readTrust(workspace, home, [
    ...sources.flatMap(({ files }) => files),
    ...trustedAgentFiles(await readAgents(workspace, home)),
  ]);
  return new Set(trust.trusted ? trust.files.map((file) => realpathSync(join(trust.workspace, file))) : []);
}

function sourcesOf(config: Config, home: string): WorkspaceSource[] {
  const workspace = dirname(config.file);
  return listSources([config], {
    workspace,
    packages: join(dataFolder(workspace), "packages"),
    secrets: userSecrets(home),
    redactor: createRedactor(),
  });
}

function placedModules(config: Config, home: string): string[] {
  return sourcesOf(config, home)
    .filter(({ options }) => isPlaced(options))
    .flatMap(({ files }) => files);
}

function isPlaced({ source }: RegisterOptions): boolean {
  return source?.kind === "file";
}

function notLoaded(file: string, message: string): Diagnostic {
  return { severity: "error", code: "not_loaded", message, file };
}

function notTrusted(file: string, what: string): Diagnostic {
  return {
    severity: "warning",
    code: "untrusted",
    message: `${what} was not looked into, because it is not trusted`,
    file,
    fix: "look at it, then: pegboard trust, or add --trust",
  };
}
