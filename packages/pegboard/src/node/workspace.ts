import { statSync } from "node:fs";
import { join, resolve } from "node:path";
import type { ApproveMode, Approver } from "../core/approval.ts";
import type { Diagnostic } from "../core/diagnostic.ts";
import { messageOf, PegboardError } from "../core/error.ts";
import type { Limits } from "../core/limits.ts";
import { createRedactor } from "../core/redact.ts";
import type { RegisterOptions } from "../core/registry.ts";
import { learnSecrets } from "../core/secret.ts";
import type { Session } from "../core/session.ts";
import { createRuntime, type OpenOptions, type Runtime, type RuntimeOptions } from "../runtime.ts";
import { pluginMcpServers } from "../sources/mcp/plugin-servers.ts";
import type { Store } from "../stores/store.ts";
import { createAgentBoard } from "./agents/agent-board.ts";
import type { AgentToolsetLoader } from "./agents/load-toolsets.ts";
import { createBoard } from "./board.ts";
import type { FilesystemScope } from "./files/mounts.ts";
import { lazyModels } from "./lazy-models.ts";
import { lazyStore } from "./lazy-store.ts";
import type { WorkspaceServers } from "./mcp/workspace-servers.ts";
import type { ModelPlaces } from "./models.ts";
import { databaseFile, dataFolder, userFolder } from "./places.ts";
import type { PluginBoard } from "./plugins/plugin-board.ts";
import { saveShellRules, saveUserRule, toSavedRule } from "./policy-file.ts";
import { isProcessAlive, processIdentity } from "./process-identity.ts";
import { describeHeld, type Reading, type ReadingOptions, readWorkspace, watchedPlaces } from "./read-workspace.ts";
import { resolveSelf } from "./resolve-self.ts";
import type { SandboxSettings } from "./sandbox/settings.ts";
import { showToolOutput } from "./sandbox/tool-output.ts";
import { userSecrets } from "./secrets.ts";
import { type Trust, untrusted } from "./trust.ts";
import { watchFiles } from "./watch.ts";
import { webTools } from "./web/tools.ts";
import { createWorkspaceSandboxes } from "./workspace-sandboxes.ts";

/** How a workspace is opened. */
export interface WorkspaceOptions extends ReadingOptions {
  /** Loads what changes on disk, without a restart. */
  readonly watch?: boolean;
  readonly approver?: Approver;
  readonly approve?: ApproveMode;
  /** Over the limits of the file. */
  readonly limits?: Partial<Limits>;
  /** The model that all agents run on, over those that the files force. */
  readonly forceModel?: string;
  /** Whether the tools of each source are remembered, so that they can be listed without running it; by default yes. */
  readonly remember?: boolean;
  /** Takes what tools in processes of their own write to their standard streams; by default it goes to standard error. */
  toolOutput?(source: string, text: string): void;
  /** By default a SQLite file in the workspace's data folder. */
  readonly store?: Store;
}

/** How a session of a workspace is opened; `filesystem` narrows which of the real files it sees, and how. */
export interface WorkspaceSessionOptions extends OpenOptions {
  readonly filesystem?: FilesystemScope;
}

/** A runtime with everything of a `pegboard.yaml`. */
export interface Workspace extends Runtime {
  /** Opens a session. Throws like that of a runtime, and when it asks for files that the workspace does not give. */
  open(options?: WorkspaceSessionOptions): Session;
  readonly folder: string;
  /** The configuration file, or undefined when there is none. */
  readonly file: string | undefined;
  readonly trust: Trust;
  /** Where tools run. */
  readonly sandbox: SandboxSettings;
  /** What was wrong at the last reading. */
  readonly diagnostics: readonly Diagnostic[];
  /** What is not run as long as the workspace is not trusted, in words. */
  readonly held: readonly string[];
  /** Reads everything again. What cannot be read leaves what was there. */
  reload(): Promise<void>;
}

// What most commands do not use is not loaded: every start would pay for it otherwise.
const sqlite = () => import("./sqlite.ts");
const hostModules = () => import("./load-host-tools.ts");
const agentToolsets = () => import("./agents/load-toolsets.ts");
const attachments = () => import("./agents/attachment.ts");
const pluginFolders = () => import("./plugins/workspace-plugins.ts");
const pluginBoards = () => import("./plugins/plugin-board.ts");
const mcpServers = () => import("./mcp/workspace-servers.ts");

/**
 * Opens a workspace. One that is not trusted is read, never run: its tools are absent, and its rules can only tighten.
 * Rejects with `invalid_config` when the configuration must not be worked with.
 */
export async function openWorkspace(dir: string, options: WorkspaceOptions = {}): Promise<Workspace> {
  resolveSelf();
  const folder = resolve(dir);
  if (!statSync(folder, { throwIfNoEntry: false })?.isDirectory())
    throw new PegboardError("invalid_config", `There is no folder ${folder}`);
  const home = options.home ?? userFolder();
  const vault = { secrets: options.secrets ?? userSecrets(home), redactor: options.redactor ?? createRedactor() };
  await learnSecrets(vault);
  const sandboxes = createWorkspaceSandboxes({
    folder,
    home,
    remember: options.remember !== false,
    output: (source, text) => (options.toolOutput ?? showToolOutput)(source, vault.redactor.text(text)),
    changed(source) {
      board.forget(source);
      void reload();
    },
  });
  const sandbox = () => sandboxes.for(reading.sandbox);
  let started: Promise<WorkspaceServers> | undefined;
  const servers = () => (started ??= startServers());
  let reading = await readWorkspace(folder, { ...options, ...vault, home, sandbox, servers });
  const database = databaseFile(folder, home);
  const store = options.store ?? lazyStore(async () => (await sqlite()).sqliteStore(database));
  let toolsets: Promise<AgentToolsetLoader> | undefined;
  const loadToolsets = async () =>
    (await agentToolsets()).createAgentToolsetLoader({
      board: () => runtime.tools,
      places: { ...vault, workspace: folder, packages: join(dataFolder(folder), "packages"), servers },
      sandbox,
    });
  const runtime = createRuntime({
    ...vault,
    plugins: { cwd: folder, mcpServer: pluginMcpServers(() => runtime.tools, offeredServers) },
    ...toModels(reading, { ...vault, folder }),
    catalog: {
      holdsVirtual: () => reading.config !== undefined && !reading.runs,
      defaultTools: () => reading.config?.agentTools ?? "all",
    },
    kernel: {
      toolsets: async (agent, place, signal) => (await (toolsets ??= loadToolsets())).load(agent, place, signal),
      attachment: async (place) => (await attachments()).attachmentReader(place),
      noticesRepeats: () => reading.config?.noticesRepeats ?? false,
      forcedModel: () => options.forceModel ?? reading.forcedModel,
    },
    store,
    process: { identity: processIdentity(), isAlive: isProcessAlive },
    policy: reading.policy,
    limits: { ...reading.limits, ...options.limits },
    delegation: (reading.runs && reading.config?.delegation) || {},
    ...(reading.config && {
      vfs: { ...reading.config.vfs, editAgents: reading.runs && reading.config.vfs.editAgents === true },
    }),
    ...(options.approver && { approver: options.approver }),
    ...(options.approve && { approve: options.approve }),
    saveRule: async (request, decision) => {
      if (request.suggestions) await saveShellRules(home, request.suggestions, decision);
      else await saveUserRule(home, toSavedRule(request, decision));
      await reload();
    },
  });
  runtime.tools.register(
    webTools(() => (reading.runs ? reading.config?.webTools : undefined) ?? {}, vault),
    { layer: "builtin", source: { kind: "builtin", id: "web" } },
  );
  const board = createBoard(runtime.tools, runtime);
  const agents = createAgentBoard(runtime.agents);
  let plugins: PluginBoard | undefined;
  const load = async (next: Reading) => {
    agents.load(next.agents, ({ layer }) => layer === "project" && !next.runs);
    const sandbox = sandboxes.for(next.sandbox);
    await board.load([...(next.runs ? next.sources : []), ...next.vouched], sandbox);
    if (next.plugins || plugins) {
      plugins ??= (await pluginBoards()).createPluginBoard(runtime.plugins);
      const { toWanted } = await pluginFolders();
      await plugins.load(next.plugins ? toWanted(next.plugins, { ...next, home }) : [], sandbox);
    }
    await sandboxes.keep(sandbox);
  };
  let reloading: Promise<void> = Promise.resolve();
  const reload = () => (reloading = reloading.then(refresh, refresh));
  await load(reading);
  for (const file of options.hostToolsModules ?? []) {
    const { loadHostModule } = await hostModules();
    board.report(
      await loadHostModule(resolve(file), runtime.tools, (tool) => runtime.tools.register(tool, hostOptions(file))),
    );
  }
  const watching = options.watch
    ? watchFiles(
        () => watchedPlaces(folder, home, reading),
        () => void reload(),
      )
    : undefined;

  async function refresh(): Promise<void> {
    try {
      const next = await readWorkspace(folder, { ...options, ...vault, home, sandbox, servers });
      if (reading.runs && !next.runs) throw untrusted(next.trust);
      reading = next;
      runtime.policy.replace(next.policy);
      await load(next);
    } catch (error) {
      board.report([{ severity: "error", code: "not_reloaded", message: messageOf(error) }]);
    }
  }

  /** The same, with the places for what servers of plugins offer besides tools. */
  async function offeredServers() {
    const { pool, pins, resolve } = await servers();
    const { prompts, resources } = runtime;
    return { pool, pins, resolve, prompts, resources };
  }

  async function startServers(): Promise<WorkspaceServers> {
    const { createWorkspaceServers } = await mcpServers();
    return createWorkspaceServers({
      ...vault,
      folder,
      home,
      ...(options.remember !== false && { cache: join(dataFolder(folder), "cache") }),
      // Most servers need the network and a home: they are as free as the person, unless nothing may be.
      confine: async (argv, { cwd }) =>
        reading.sandbox.required ? sandbox().command(argv, { cwd, write: [cwd] }) : argv,
    });
  }

  return {
    ...runtime,
    folder,
    file: reading.config?.file,
    get trust() {
      return reading.trust;
    },
    get sandbox() {
      return reading.sandbox;
    },
    get diagnostics() {
      return vault.redactor.json([
        ...reading.diagnostics,
        ...agents.errors,
        ...board.diagnostics,
        ...(plugins?.diagnostics ?? []),
      ]);
    },
    get held() {
      return reading.runs ? [] : describeHeld(reading);
    },
    open({ filesystem, ...given } = {}) {
      const narrower = filesystem && board.filesystem.narrow(filesystem, () => board.filesystem);
      const session = runtime.open({ cwd: folder, ...given });
      if (narrower) session.tools.register(narrower.tools, { source: { kind: "builtin", id: "filesystem" } });
      return session;
    },
    reload,
    async close() {
      watching?.[Symbol.dispose]();
      await reloading;
      try {
        await runtime.close();
      } finally {
        (await toolsets)?.[Symbol.dispose]();
        await (await started)?.[Symbol.asyncDispose]();
        await sandboxes[Symbol.asyncDispose]();
      }
    },
  };
}

/** A model that the person has not agreed to would be told everything: those of an untrusted workspace do not count. */
function toModels({ config, runs }: Reading, places: ModelPlaces): Pick<RuntimeOptions, "model" | "models"> {
  const { model, models = {} } = (runs && config) || {};
  return { models: lazyModels(models, places), ...(model !== undefined && { model }) };
}

function hostOptions(file: string): RegisterOptions {
  return { layer: "host", source: { kind: "host", id: "host", file: resolve(file) } };
}
