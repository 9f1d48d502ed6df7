import { join } from "node:path";
import type { Agent, McpServer } from "@pegboard/contract";
import type { Diagnostic } from "../../core/diagnostic.ts";
import { PegboardError } from "../../core/error.ts";
import type { Judge } from "../../core/judge.ts";
import type { LoadOwnTools, OwnTools, RunPlace } from "../../core/own-tools.ts";
import type { AnyTool, RegisterOptions, Registry } from "../../core/registry.ts";
import { type AgentToolset, readAgentToolsets } from "./toolset-entries.ts";
import type { HostCommandEntry, ToolsetEntry } from "../config-file.ts";
import { mcpSources } from "../mcp/mcp-sources.ts";
import { narrowRunFiles } from "./narrow-files.ts";
import { narrowRunShell } from "./narrow-shell.ts";
import { openForRun } from "./open-for-run.ts";
import { raiseApproval } from "./raise-approval.ts";
import { AGENTS_FOLDER } from "../places.ts";
import type { Sandbox } from "../sandbox/sandbox.ts";
import { hostToolSources, type SourcePlaces, toolsetSources } from "../sources.ts";
import type { LoadedSource, WorkspaceSource } from "../workspace-source.ts";

/** What toolsets of agents are loaded with. */
export interface AgentToolsetDeps {
  /** The board of the workspace. */
  board(): Registry;
  readonly places: SourcePlaces;
  /** Where code runs now. */
  sandbox(): Sandbox;
}

/** Loads toolsets of agents. Disposing lets go of those that are shared. */
export interface AgentToolsetLoader extends Disposable {
  readonly load: LoadOwnTools;
}

/** Tools to hang on the board of a run, and how to let go of them. */
interface Part {
  readonly tools: readonly AnyTool[];
  readonly options: RegisterOptions;
  judgeOf?(tool: AnyTool): Judge | undefined;
  /** What of it is not there. */
  readonly warnings?: readonly string[];
  dispose?(): Promise<void>;
}

/**
 * Makes the loader of a workspace. What an agent brings itself is loaded for each run, unless it says that it is shared;
 * what it says about files and commands can only take away.
 */
export function createAgentToolsetLoader(deps: AgentToolsetDeps): AgentToolsetLoader {
  // Paths in an agent's file are absolute by now; everything else starts at the workspace.
  const origin = { file: join(deps.places.workspace, AGENTS_FOLDER), line: 0 };
  const shared = new Map<string, { readonly sandbox: Sandbox; readonly loaded: Promise<LoadedSource> }>();

  async function load(agent: Agent, place: RunPlace, signal: AbortSignal): Promise<OwnTools> {
    const { toolsets, problems } = readAgentToolsets(agent, knownToolsets(deps.board()));
    if (problems.length > 0)
      throw new PegboardError("invalid_config", problems.map(({ message }) => message).join("\n"));
    const loading = toolsets.map((toolset) => loadPart(toolset, agent, place));
    const outcomes = await Promise.allSettled(loading);
    const parts = outcomes.flatMap((outcome) => (outcome.status === "fulfilled" ? [outcome.value] : []));
    const own = toOwnTools(agent, parts, namesOf(toolsets, deps.board()));
    const failed = outcomes.find((outcome) => outcome.status === "rejected");
    if (!failed && !signal.aborted) return own;
    await own[Symbol.asyncDispose]();
    throw failed ? failed.reason : signal.reason;
  }

  async function loadPart(toolset: AgentToolset, agent: Agent, place: RunPlace): Promise<Part> {
    switch (toolset.kind) {
      case "wanted":
        return { tools: [], options: {} };
      case "filesystem":
        return narrowRunFiles(toolset.scope, place);
      case "shell":
        return narrowRunShell(toolset.policy, agent.name, place, deps.places.workspace);
      case "code":
        return loadCode(toolset.key, toolset.entry, agent, place);
      case "command":
        return loadCommand(toolset.entry, agent, place);
      case "server":
        return loadServer(toolset.key, toolset.server, place);
      case "absent":
        return {
          tools: [],
          options: {},
          warnings: [`MCP server "${toolset.key}" is not among those of the workspace`],
        };
    }
  }

  async function loadCommand(entry: HostCommandEntry, agent: Agent, place: RunPlace): Promise<Part> {
    // A name that others know must not become something else: rules may allow it.
    if (place.find(entry.name))
      throw new PegboardError("duplicate", `Agent "${agent.name}": there is a tool "${entry.name}" already`);
    const [source] = hostToolSources({ tools: [{ entry, ...origin }] }, deps.places);
    const { tools, diagnostics } = await source!.load(deps.sandbox());
    refuse(agent, diagnostics);
    return { tools, options: { source: { kind: "host", id: agent.name, agent: place.run } } };
  }

  /** Of all that an agent brings, a server is the likeliest not to be there: the run goes on without. */
  async function loadServer(key: string, server: McpServer, place: RunPlace): Promise<Part> {
    const [source] = mcpSources({ mcpServers: new Map([[key, { entry: { server }, ...origin }]]) }, deps.places);
    const { tools, diagnostics, judgeOf, release } = await source!.load(deps.sandbox());
    return {
      tools,
      options: { prefix: source!.options.prefix!, source: { ...source!.options.source!, agent: place.run } },
      warnings: diagnostics.map(({ message }) => message),
      ...(judgeOf && { judgeOf }),
      dispose: async () => release?.(),
    };
  }

  async function loadCode(key: string, entry: ToolsetEntry, agent: Agent, { run, session }: RunPlace): Promise<Part> {
    const [source] = toolsetSources({ toolsets: new Map([[key, { entry, ...origin }]]) }, deps.places);
    const { tools, diagnostics, release } = await (entry.shared ? loadShared(source!) : source!.load(deps.sandbox()));
    const opened = openForRun(tools, toView(entry, session, run));
    const dispose = async () => {
      await opened[Symbol.asyncDispose]();
      if (!entry.shared) release?.();
    };
    try {
      refuse(agent, diagnostics);
      await opened.begin(entry.call !== undefined && !entry.shared);
    } catch (error) {
      await dispose();
      throw error;
    }
    return {
      tools: opened.tools.map((tool) => raiseApproval(tool, approvalOf(entry, tool.name))),
      options: { prefix: key, source: { ...source!.options.source!, agent: run } },
      dispose,
    };
  }

  function loadShared(source: WorkspaceSource): Promise<LoadedSource> {
    const sandbox = deps.sandbox();
    const key = JSON.stringify([source.key, source.signature]);
    const present = shared.get(key);
    if (present?.sandbox === sandbox) return present.loaded;
    const loaded = source.load(sandbox);
    shared.set(key, { sandbox, loaded });
    // What failed once is tried again by the next run.
    void loaded.then(({ diagnostics, release }) => {
      if (diagnostics.length > 0 && shared.delete(key)) release?.();
    });
    return loaded;
  }

  return {
    load,
    [Symbol.dispose]() {
      for (const { loaded } of shared.values()) void loaded.then(({ release }) => release?.());
      shared.clear();
    },
  };
}

function refuse({ name }: Agent, diagnostics: readonly Diagnostic[]): void {
  if (diagnostics.length === 0) return;
  const why = diagnostics.map(({ message }) => message).join("; ");
  throw new PegboardError("unavailable", `Agent "${name}": ${why}`);
}

function toOwnTools({ tools }: Agent, parts: readonly Part[], wanted: readonly string[]): OwnTools {
  // A list of nothing but denials allows the rest, which these belong to.
  const isExclusive = tools !== undefined && (tools.length === 0 || tools.some((entry) => !entry.startsWith("!")));
  return {
    ...(tools && { tools: isExclusive ? [...tools, ...wanted] : tools }),
    warnings: parts.flatMap(({ warnings = [] }) => warnings),
    register(board) {
      for (const { tools: hung, options, judgeOf } of parts) {
        if (!judgeOf) board.register(hung, options);
        else for (const tool of hung) board.register(tool, { ...options, ...toJudge(judgeOf(tool)) });
      }
    },
    async [Symbol.asyncDispose]() {
      await Promise.allSettled(parts.map(async (part) => part.dispose?.()));
    },
  };
}

// A toolset that a call makes is told apart by the id of its session: this one is the run's alone.
function toView(entry: ToolsetEntry, session: RunPlace["session"], run: string): RunPlace["session"] {
  return entry.call === undefined ? session : { ...session, id: `${session.id}/${run}` };
}

function approvalOf({ approval }: ToolsetEntry, tool: string) {
  return typeof approval === "object" ? (approval.tools?.[tool] ?? approval.default) : approval;
}

function toJudge(judge: Judge | undefined): Pick<RegisterOptions, "judge"> {
  return judge ? { judge } : {};
}

const TOOLSET_KINDS: readonly string[] = ["builtin", "module", "package", "mcp"];

/** The toolsets of a board, by name. */
export function knownToolsets(registry: Registry): string[] {
  const sources = registry.list().filter(({ source }) => TOOLSET_KINDS.includes(source.kind));
  return [...new Set(sources.map(({ source }) => source.id))].sort();
}

/** The tools of the board that an agent asks for by naming their toolset. */
function namesOf(toolsets: readonly AgentToolset[], board: Registry): string[] {
  const named = toolsets.flatMap((toolset) => {
    if (toolset.kind === "wanted") return toolset.key;
    return toolset.kind === "filesystem" || toolset.kind === "shell" ? toolset.kind : [];
  });
  return board
    .list()
    .filter(({ source }) => TOOLSET_KINDS.includes(source.kind) && named.includes(source.id))
    .map(({ name }) => name);
}
