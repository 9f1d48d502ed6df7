import { existsSync, statSync } from "node:fs";
import { basename, join, resolve } from "node:path";
import type { ApproveMode, Approver } from "../core/approval.ts";
import { describeDiagnostic, type Diagnostic } from "../core/diagnostic.ts";
import { messageOf, PegboardError } from "../core/error.ts";
import type { Limits } from "../core/limits.ts";
import type { Models } from "../core/model.ts";
import type { PolicyOptions } from "../core/policy.ts";
import { createRedactor, type Redactor } from "../core/redact.ts";
import type { RegisterOptions } from "../core/registry.ts";
import type { Rule } from "../core/rule.ts";
import { learnSecrets, type Secrets } from "../core/secret.ts";
import type { Session } from "../core/session.ts";
import { createRuntime, type OpenOptions, type Runtime, type RuntimeOptions } from "../runtime.ts";
import { costOf } from "../models/prices.ts";
import type { Store } from "../stores/store.ts";
import { createAgentBoard } from "./agents/agent-board.ts";
import type { AgentToolsetLoader } from "./agents/load-toolsets.ts";
import type { ReadAgent } from "./agents/read-agents.ts";
import { trustedAgentFiles } from "./agents/trusted-files.ts";
import { createBoard } from "./board.ts";
import { type Config, readConfig, readHostTools } from "./config-file.ts";
import type { FilesystemScope } from "./files/mounts.ts";
import { lazyStore } from "./lazy-store.ts";
import type { ModelPlaces } from "./models.ts";
import { AGENTS_FOLDER, CONFIG_FILE, databaseFile, dataFolder, userFolder } from "./places.ts";
import { readUserPolicy, saveShellRules, saveUserRule, toSavedRule } from "./policy-file.ts";
import { isProcessAlive, processIdentity } from "./process-identity.ts";
import { resolveSelf } from "./resolve-self.ts";
import { createSandbox, type Sandbox } from "./sandbox/sandbox.ts";
import { DEFAULT_SANDBOX, type SandboxSettings } from "./sandbox/settings.ts";
import { showToolOutput } from "./sandbox/tool-output.ts";
import { userSecrets } from "./secrets.ts";
import { listSources, type WorkspaceSource } from "./sources.ts";
import { nothingToTrust, readTrust, type Trust, trustFile, untrusted } from "./trust.ts";
import { watchFiles } from "./watch.ts";
import { webTools } from "./web/tools.ts";

/** How a workspace is opened. */
export interface WorkspaceOptions {
  /** The caller vouches for the workspace as it is and as it will be, as long as this runtime lives. */
  readonly trust?: boolean;
  /** Files of host tools (YAML), besides the workspace's own. Naming one is vouching for it. */
  readonly hostTools?: readonly string[];
  /** Modules of host tools. Naming one is vouching for it. */
  readonly hostToolsModules?: readonly string[];
  /** Loads what changes on disk, without a restart. */
  readonly watch?: boolean;
  readonly approver?: Approver;
  readonly approve?: ApproveMode;
  /** Over the limits of the file. */
  readonly limits?: Partial<Limits>;
  /** Whether the tools of each source are remembered, so that they can be listed without running it; by default yes. */
  readonly remember?: boolean;
  /** Takes what tools in processes of their own write to their standard streams; by default it goes to standard error. */
  toolOutput?(source: string, text: string): void;
  /** By default a SQLite file in the workspace's data folder. */
  readonly store?: Store;
  /** The folder of the person's own settings. */
  readonly home?: string;
  /** What `secret://name` stands for; by default the environment and the person's own secrets. */
  readonly secrets?: Secrets;
  /** Keeps secrets out of the log, of results and of diagnostics; by default one of its own. */
  readonly redactor?: Redactor;
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
const agentFiles = () => import("./agents/read-agents.ts");
const agentToolsets = () => import("./agents/load-toolsets.ts");
const attachments = () => import("./agents/attachment.ts");
const providers = () => import("./models.ts");

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
  let reading = await readWorkspace(folder, { ...options, ...vault, home });
  const database = databaseFile(folder, home);
  const store = options.store ?? lazyStore(async () => (await sqlite()).sqliteStore(database));
  let toolsets: Promise<AgentToolsetLoader> | undefined;
  const loadToolsets = async () =>
    (await agentToolsets()).createAgentToolsetLoader({
      board: () => runtime.tools,
      places: { ...vault, workspace: folder, packages: join(dataFolder(folder), "packages") },
      sandbox: () => sandboxFor(reading),
    });
  const runtime = createRuntime({
    ...vault,
    ...toModels(reading, { ...vault, folder }),
    catalog: {
      holdsVirtual: () => reading.config !== undefined && !reading.runs,
      defaultTools: () => reading.config?.agentTools ?? "all",
    },
    kernel: {
      toolsets: async (agent, place, signal) => (await (toolsets ??= loadToolsets())).load(agent, place, signal),
      attachment: async (place) => (await attachments()).attachmentReader(place),
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
  const board = createBoard(runtime.tools);
  const agents = createAgentBoard(runtime.agents);
  const sandboxes = new Map<string, Sandbox>();
  const load = async (next: Reading) => {
    agents.load(next.agents, ({ layer }) => layer === "project" && !next.runs);
    const sandbox = sandboxFor(next);
    await board.load([...(next.runs ? next.sources : []), ...next.vouched], sandbox);
    for (const [key, other] of sandboxes) {
      if (other === sandbox) continue;
      sandboxes.delete(key);
      await other[Symbol.asyncDispose]();
    }
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
      const next = await readWorkspace(folder, { ...options, ...vault, home });
      if (reading.runs && !next.runs) throw untrusted(next.trust);
      reading = next;
      runtime.policy.replace(next.policy);
      await load(next);
    } catch (error) {
      board.report([{ severity: "error", code: "not_reloaded", message: messageOf(error) }]);
    }
  }

  function sandboxFor({ sandbox: settings }: Reading): Sandbox {
    const key = JSON.stringify(settings);
    const data = dataFolder(folder);
    const sandbox =
      sandboxes.get(key) ??
      createSandbox({
        settings,
        folder,
        protect: protectedPlaces(folder),
        hide: [data, home],
        ...(options.remember !== false && { cache: join(data, "cache") }),
        output: (source, text) => (options.toolOutput ?? showToolOutput)(source, vault.redactor.text(text)),
        changed(source) {
          board.forget(source);
          void reload();
        },
      });
    sandboxes.set(key, sandbox);
    return sandbox;
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
      return vault.redactor.json([...reading.diagnostics, ...agents.errors, ...board.diagnostics]);
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
      await runtime.close();
      (await toolsets)?.[Symbol.dispose]();
      for (const sandbox of sandboxes.values()) await sandbox[Symbol.asyncDispose]();
    },
  };
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
  readonly trust: Trust;
  /** Whether what is in the workspace may run. */
  readonly runs: boolean;
  readonly sources: readonly WorkspaceSource[];
  /** The agents' files of the workspace and of the person. */
  readonly agents: readonly ReadAgent[];
  /** The sources that the caller vouches for. */
  readonly vouched: readonly WorkspaceSource[];
  readonly diagnostics: readonly Diagnostic[];
}

/** Reads a workspace; nothing of it runs. Rejects with `invalid_config` when the configuration must not be worked with. */
export async function readWorkspace(dir: string, options: WorkspaceOptions = {}): Promise<Reading> {
  const folder = resolve(dir);
  if (!statSync(folder, { throwIfNoEntry: false })?.isDirectory())
    throw new PegboardError("invalid_config", `There is no folder ${folder}`);
  const home = options.home ?? userFolder();
  const file = join(folder, CONFIG_FILE);
  const config = existsSync(file) ? await readConfig(file) : undefined;
  const user = await readUserPolicy(home);
  const extra = await Promise.all((options.hostTools ?? []).map((path) => readHostTools(resolve(path))));
  for (const each of [config, user, ...extra]) if (each?.fatal) throw fatal(each);
  const { secrets = userSecrets(home), redactor = createRedactor() } = options;
  const places = { workspace: folder, packages: join(dataFolder(folder), "packages"), secrets, redactor };
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
  const agents = hasAgents ? await (await agentFiles()).readAgents(config && folder, home) : [];
  const trust = config
    ? readTrust(folder, home, [...sources.flatMap(({ files }) => files), ...trustedAgentFiles(agents)])
    : nothingToTrust(folder);
  const runs = options.trust === true || trust.trusted;
  return {
    config,
    user,
    policy: toPolicy(user, config, runs),
    limits: runs ? (config?.limits ?? {}) : {},
    sandbox: { ...DEFAULT_SANDBOX, ...(runs && config?.sandbox) },
    trust,
    runs,
    sources,
    agents,
    vouched,
    diagnostics: [config, user, ...extra].flatMap((each) => each?.diagnostics ?? []),
  };
}

/** A model that the person has not agreed to would be told everything: those of an untrusted workspace do not count. */
function toModels({ config, runs }: Reading, places: ModelPlaces): Pick<RuntimeOptions, "model" | "models"> {
  const { model, models: settings = {} } = (runs && config) || {};
  let loading: Promise<Models> | undefined;
  const load = async () => (await providers()).workspaceModels(settings, places);
  const models: Models = {
    resolve: async (name) => (await (loading ??= load())).resolve(name),
    cost: (id, usage) => costOf(id, usage, settings.prices),
  };
  return { models, ...(model !== undefined && { model }) };
}

function describeHeld({ sources, agents }: Reading): string[] {
  const own = agents.filter(({ layer }) => layer === "project");
  return [...sources.map(({ label }) => label), ...own.map(({ file }) => `${AGENTS_FOLDER}/${basename(file)}`)];
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

/** What in a workspace decides what runs, here or in Git: a confined program must not write it. */
function protectedPlaces(folder: string): string[] {
  return [CONFIG_FILE, "tools", "plugins", "agents", "hooks", ".git/hooks", ".git/config"].map((name) =>
    join(folder, name),
  );
}

function hostOptions(file: string): RegisterOptions {
  return { layer: "host", source: { kind: "host", id: "host", file: resolve(file) } };
}

function watchedPlaces(folder: string, home: string, { sources, vouched, config }: Reading): readonly string[] {
  const files = [...sources, ...vouched].flatMap(({ files }) => files);
  return [
    config?.file ?? join(folder, CONFIG_FILE),
    join(folder, "tools"),
    join(folder, AGENTS_FOLDER),
    join(home, AGENTS_FOLDER),
    trustFile(home),
    join(home, "policy.yaml"),
    ...files,
  ];
}
