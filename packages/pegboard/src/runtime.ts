import type { Agent, Command, Hooks, Prompt, Resource, Skill } from "@pegboard/contract";
import { ASSISTANT } from "./agents/assistant.ts";
import type { AgentRun } from "./agents/agent-run.ts";
import { AgentCatalog, type CatalogDeps } from "./agents/catalog.ts";
import { Kernel, type KernelDeps } from "./agents/kernel.ts";
import { lazySessions } from "./agents/lazy-sessions.ts";
import { Pool } from "./agents/pool.ts";
import type { DelegationOptions } from "./agents/task-judges.ts";
import type { Sessions } from "./agents/sessions.ts";
import type { Tasks } from "./agents/tasks.ts";
import type { WarmAgent } from "./agents/warm-model.ts";
import { checkVirtualAgent, createVirtualAgents } from "./agents/virtual-agents.ts";
import type { ApprovalRequest, ApproveMode, Approver } from "./core/approval.ts";
import { PegboardError } from "./core/error.ts";
import { createHookSource } from "./core/hooks/hook-source.ts";
import { type Limits, toLimits } from "./core/limits.ts";
import type { Model, Models } from "./core/model.ts";
import { Policy, type PolicyOptions } from "./core/policy.ts";
import { createRedactor, type Redactor } from "./core/redact.ts";
import { type AnyTool, Registry } from "./core/registry.ts";
import { learnSecrets, NO_SECRETS, type Secrets } from "./core/secret.ts";
import { Session } from "./core/session.ts";
import type { SessionDeps } from "./core/session-deps.ts";
import type { SessionOptions } from "./core/session-options.ts";
import { recover } from "./core/recover.ts";
import { Shelf } from "./core/shelf.ts";
import { NO_MODELS } from "./models/no-models.ts";
import { createPluginActs } from "./plugins/plugin-acts.ts";
import { Plugins } from "./plugins/plugins.ts";
import type { Shelves } from "./plugins/shelves.ts";
import { memoryStore } from "./stores/memory.ts";
import type { Store } from "./stores/store.ts";
import { agentTools, type AgentToolsDeps } from "./tools/agents.ts";
import { readResultTool } from "./tools/read-result.ts";
import { hangSkillTool } from "./tools/skill-board.ts";
import { type VfsScope, vfsTools } from "./tools/vfs.ts";

// Most starts run no agent.
const givenWork = () => import("./agents/tasks.ts");
const letters = () => import("./agents/tell-parent.ts");

/** Everything a runtime is made of; all of it has a default. */
export interface RuntimeOptions {
  /** The board, when it is to be shared or was filled before. */
  readonly registry?: Registry;
  /** Tools of the host, registered at once. */
  readonly tools?: readonly AnyTool[];
  /** Agents of the project, registered at once. */
  readonly agents?: readonly Agent[];
  /** What holds for agents of virtual files, and for agents that name no tools. */
  readonly catalog?: Omit<CatalogDeps, "virtual">;
  /** For agents that name no model: `provider:model`, an alias, or a model. */
  readonly model?: string | Model;
  /** Where models come from that are asked for by name: `createModels()` of `pegboard/ai-sdk`. By default there are none. */
  readonly models?: Models;
  /**
   * Loads the toolsets that agents bring, reads files that are attached by their path, notices repeated calls, and says which
   * model all agents run on, whatever else is named.
   */
  readonly kernel?: Pick<KernelDeps, "toolsets" | "attachment" | "noticesRepeats" | "forcedModel">;
  readonly policy?: PolicyOptions;
  /** Answers for sessions that name no approver of their own. */
  readonly approver?: Approver;
  readonly approve?: ApproveMode;
  readonly limits?: Partial<Limits>;
  /** How the results of work that agents give away are judged. */
  readonly delegation?: DelegationOptions;
  readonly hooks?: readonly Hooks[];
  readonly plugins?: PluginsOptions;
  readonly store?: Store;
  /** How this process is told from others that use the same store; calls of those that are gone are then ended. */
  readonly process?: { readonly identity: string; isAlive(identity: string): boolean };
  /** What `secret://name` stands for. By default no secret is set. */
  readonly secrets?: Secrets;
  /** Keeps secrets out of the log and of results; by default one of its own. */
  readonly redactor?: Redactor;
  /** `false` leaves the built-in tools and agents out. */
  readonly builtins?: boolean;
  /** Where the virtual files may be read and written, and how many versions are kept. */
  readonly vfs?: VfsScope & { readonly versions?: number };
  /** Keeps "from now on" answers as rules; without it that answer is not offered. */
  readonly saveRule?: (request: ApprovalRequest, decision: "allow" | "deny") => Promise<void>;
}

/** How plugins are brought up, and where they act by themselves. */
export interface PluginsOptions extends Pick<SessionOptions, "cwd" | "env">, Pick<Shelves, "mcpServer"> {
  /** How long each step of a plugin's life may take, in milliseconds; 10 seconds when absent. */
  readonly stepMs?: number;
}

/** How a session is opened; `vfs` narrows where its virtual files may be read and written. */
export interface OpenOptions extends SessionOptions {
  readonly vfs?: VfsScope;
}

/** Everything wired together. */
export interface Runtime {
  /** The board: `register`, `registerOrReplace`, `unregister`, `clear`, `get`, `list`, `names`, `count`. */
  readonly tools: Registry;
  readonly agents: AgentCatalog;
  readonly policy: Policy;
  readonly limits: Limits;
  readonly plugins: Plugins;
  readonly skills: Shelf<Skill>;
  readonly commands: Shelf<Command>;
  readonly prompts: Shelf<Prompt>;
  readonly resources: Shelf<Resource>;
  /** The agents that are kept warm: how many, which are at work, and how to let them go. */
  readonly pool: Pick<Pool<WarmAgent>, "stats" | "remove" | "clear">;
  /** What the log knows of sessions, of this process and of others. */
  readonly sessions: Sessions;
  readonly store: Store;
  /** Knows the secrets: for what is written or shown elsewhere. */
  readonly redactor: Redactor;
  /** Opens a session. Throws `invalid_config` when it cannot work, `duplicate` when its id is open already. */
  open(options?: OpenOptions): Session;
  /** Closes all sessions, plugins and the store. Then rejects when plugins did not stop well, with an error that names them. */
  close(): Promise<void>;
}

/** Makes a runtime. The only place that knows every part. */
export function createRuntime(options: RuntimeOptions = {}): Runtime {
  const {
    registry = new Registry(),
    store = memoryStore(),
    hooks = [],
    builtins = true,
    vfs = {},
    saveRule,
    secrets = NO_SECRETS,
    redactor = createRedactor(),
  } = options;
  const policy = new Policy(options.policy);
  const agents = new AgentCatalog({ ...options.catalog, virtual: createVirtualAgents(store.files) });
  const skills = new Shelf<Skill>("skill");
  const commands = new Shelf<Command>("command");
  const prompts = new Shelf<Prompt>("prompt");
  const resources = new Shelf<Resource>("resource");
  const sessions = new Map<string, Session>();
  const limits = toLimits(options.limits);
  const { stepMs = 10_000, mcpServer, ...place } = options.plugins ?? {};
  const plugins = new Plugins({
    shelves: { tools: registry, agents, skills, commands, prompts, resources, ...(mcpServer && { mcpServer }) },
    limits,
    secrets,
    redactor,
    stepMs,
    taskOf: (context) => (context.agent?.run === undefined ? undefined : kernel.runOf(context).task),
    actAs: (plugin) =>
      createPluginActs({
        open: () => open({ ...place, client: `plugin:${plugin}`, plugin, as: "tool" }),
        agent: ASSISTANT.name,
        ask: (request, context) => ask({ attachments: [], ...request }, context),
        askFor: async (task, request, signal) => (await tasks()).askFor(task, request, signal),
      }),
  });
  const pool = new Pool<WarmAgent>({ max: limits.poolSize, idleMs: limits.poolIdleMs });
  let prepared = false;
  let preparing: Promise<void> | undefined;
  const prepare = async () => {
    await learnSecrets({ secrets, redactor });
    if (options.process) await recover(store, options.process.isAlive).catch(() => {});
    prepared = true;
  };
  const deps: SessionDeps = {
    registry,
    policy,
    limits,
    events: store,
    blobs: store.blobs,
    process: options.process?.identity,
    secrets,
    redactor,
    // What failed once is tried again by the next call.
    ready: () => (prepared ? undefined : (preparing ??= prepare().finally(() => (preparing = undefined)))),
    hooks: createHookSource(hooks, plugins),
    tagged: () => plugins.tagged,
    run: (agent, prompt, given, workbench) => kernel.start(agent, prompt, given, workbench),
    cancel: (id, session) => kernel.cancel(id, session),
    resume: (run, given, workbench) => kernel.resume(run, given, workbench),
    saveRule,
    closed(session) {
      sessions.delete(session);
      void pool.clear(session);
    },
  };
  const vfsToolsIn = (scope: readonly VfsScope[]) =>
    vfsTools({
      files: store.files,
      scope,
      checkAgent: checkVirtualAgent,
      ...(vfs.versions !== undefined && { versions: vfs.versions }),
    });
  const builtin = (id: string, tools: AnyTool | readonly AnyTool[]) =>
    registry.register(tools, { layer: "builtin", source: { kind: "builtin", id } });
  const registered = builtins
    ? [builtin("results", readResultTool(store.blobs)), builtin("vfs", vfsToolsIn([vfs]))]
    : [];
  if (options.tools) registry.register(options.tools);
  if (builtins) agents.register(ASSISTANT, { layer: "builtin" });
  for (const agent of options.agents ?? []) agents.register(agent);
  const describeAgent = async (name: string) => {
    const entry = await agents.find(name).catch(() => undefined);
    if (!entry) return "unknown";
    return entry.agent.tools ? `tools: ${entry.agent.tools.join(", ") || "none"}` : "all tools of its scope";
  };
  const ask: AgentToolsDeps["ask"] = ({ agent, prompt, attachments: paths, ...more }, context) => {
    const given = { ...more, attachments: paths.map((path) => ({ path })) };
    if (context.agent?.run !== undefined) return kernel.ask({ agent, prompt, options: given }, context);
    const { signal, session } = context;
    return sessions.get(session.id)!.run(agent, prompt, { ...given, signal }).result;
  };
  const survives = {
    ...(options.process && { isAlive: options.process.isAlive }),
    takeUpTasks: async (run: AgentRun) => (await tasks()).takeUp(run),
  };
  const kernel = new Kernel({
    agents,
    models: options.models ?? NO_MODELS,
    model: options.model,
    pool,
    limits,
    ...survives,
    ...options.kernel,
  });
  let loading: Promise<Tasks> | undefined;
  const tasks = () =>
    (loading ??= givenWork().then(({ Tasks }) => new Tasks({ kernel, agents, options: options.delegation })));
  const agentDeps: AgentToolsDeps = {
    ask,
    describe: describeAgent,
    exists: (name) =>
      agents.find(name).then(
        (entry) => entry !== undefined,
        () => true,
      ),
    check: async (request, context) => (await tasks()).check(request, context),
    start: async (request, context) => (await tasks()).start(request, context),
    tellParent: async (message, context, how) => (await letters()).tellParent(kernel.runOf(context), message, how),
  };
  const skillDeps = {
    shelf: skills,
    isTagged: (plugin: string) => plugins.tagged.has(plugin),
    isOff: (plugin: string, session: string) => sessions.get(session)?.waitsFor(plugin) ?? false,
  };
  if (builtins) registered.push(builtin("agents", agentTools(agentDeps)), hangSkillTool(skillDeps, registry));
  const watching = registry.onChange((change) => {
    for (const session of sessions.values()) session.toolsChanged(change);
  });
  const open: Runtime["open"] = ({ vfs: narrower, ...given } = {}) => {
    if (!globalThis.crypto?.subtle)
      throw new PegboardError("unavailable", "This page has no secure context: serve it over https or from localhost");
    const { approver = options.approver, approve = options.approve } = given;
    if (given.id !== undefined && sessions.has(given.id))
      throw new PegboardError("duplicate", `Session "${given.id}" is open already`);
    const session = new Session({ ...given, ...(approver && { approver }), ...(approve && { approve }) }, deps);
    if (narrower && builtins)
      session.tools.register(vfsToolsIn([vfs, narrower]), { source: { kind: "builtin", id: "vfs" } });
    sessions.set(session.id, session);
    return session;
  };
  return {
    tools: registry,
    agents,
    policy,
    limits,
    plugins,
    skills,
    commands,
    prompts,
    resources,
    pool,
    sessions: lazySessions({
      log: store,
      redactor,
      isAlive: options.process?.isAlive ?? (() => false),
      isRunning: (run) => kernel.has(run),
      close: async (id) => sessions.get(id)?.close(),
    }),
    store,
    redactor,
    open,
    async close() {
      await Promise.all(Array.from(sessions.values(), (session) => session.close()));
      const stopped = await plugins.close().then(
        () => undefined,
        (error: unknown) => ({ error }),
      );
      watching[Symbol.dispose]();
      for (const tools of registered) tools[Symbol.dispose]();
      await pool[Symbol.asyncDispose]();
      await store.close();
      if (stopped) throw stopped.error;
    },
  };
}
