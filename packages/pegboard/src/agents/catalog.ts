import type { Agent } from "@pegboard/contract";
import type { Diagnostic } from "../core/diagnostic.ts";
import { PegboardError } from "../core/error.ts";
import { agentIdentity, fullName } from "../core/name.ts";
import { AGENT_LAYERS, type AgentLayer, type AgentSource } from "./agent-source.ts";
import { ambiguous, heldAgent, unknownAgent } from "./catalog-error.ts";

/** An agent that was found. */
export interface AgentEntry {
  /** What tells it from all others, and finds it: its own name, or `plugin/name` when a plugin brings it. */
  readonly name: string;
  readonly agent: Agent;
  readonly source: AgentSource;
  /** What has the same name and is hidden by it, the next one first. */
  readonly shadows: readonly AgentSource[];
  readonly diagnostics?: readonly Diagnostic[];
  /** It belongs to a workspace that the person has not trusted: it is listed, never run. */
  readonly held?: true;
}

/** How an agent is registered: by default as one of the project. */
export interface RegisterAgentOptions {
  readonly layer?: Exclude<AgentLayer, "virtual">;
  /** The plugin that brings it; an agent of the layer `plugin` needs one. */
  readonly plugin?: string;
  readonly file?: string;
  /** What was odd about its file. */
  readonly diagnostics?: readonly Diagnostic[];
  readonly held?: boolean;
}

/** An agent from a virtual file. */
export interface VirtualAgent {
  readonly agent: Agent;
  readonly file: string;
  readonly diagnostics: readonly Diagnostic[];
}

/** What a catalog asks for when it is asked itself, so that it always tells what holds now. */
export interface CatalogDeps {
  /** The agents in virtual files. */
  virtual?(): Promise<readonly VirtualAgent[]>;
  /** Whether those are held. */
  holdsVirtual?(): boolean;
  /** What an agent that names no tools has; all of its scope when absent. */
  defaultTools?(): "all" | "none";
}

type Candidate = Omit<AgentEntry, "name" | "shadows">;

/**
 * All agents by name, in layers. Of two in one layer neither hides the other: their name finds none of them. Agents of
 * plugins are always found by `plugin/name`.
 */
export class AgentCatalog {
  readonly #deps: CatalogDeps;
  readonly #registered = new Set<Candidate>();
  /** Those of plugins by identity: a twin is not looked for among all. */
  readonly #ofPlugins = new Map<string, Candidate>();
  readonly #listeners = new Set<() => void>();

  constructor(deps: CatalogDeps = {}) {
    this.#deps = deps;
  }

  /**
   * Adds an agent; disposing takes it away again. Throws `invalid_definition` for a name that is none and for an agent of
   * a plugin without the plugin's name, `duplicate` when the plugin has it already.
   */
  register(agent: Agent, options: RegisterAgentOptions = {}): Disposable {
    const { layer = "project", plugin, file, diagnostics = [], held } = options;
    const problem = sourceProblem(layer, plugin);
    if (problem) throw new PegboardError("invalid_definition", `Agent "${String(agent.name)}" is refused: ${problem}`);
    checkNames(agent.name, plugin);
    const candidate: Candidate = {
      agent,
      source: { layer, ...(plugin !== undefined && { plugin }), ...(file !== undefined && { file }) },
      ...(diagnostics.length > 0 && { diagnostics }),
      ...(held && { held }),
    };
    const identity = agentIdentity(agent.name, plugin);
    const twin = this.#ofPlugins.get(identity);
    if (twin) throw ambiguous(identity, [twin, candidate]);
    this.#registered.add(candidate);
    if (plugin !== undefined) this.#ofPlugins.set(identity, candidate);
    this.#announce();
    return { [Symbol.dispose]: () => void (this.#drop(candidate) && this.#announce()) };
  }

  /**
   * Takes the agents of this name (or `plugin/name`) in a layer away, by default in the highest that has one. Whether
   * there were any. What is in virtual files stays.
   */
  unregister(name: string, layer?: AgentLayer): boolean {
    const named = [...this.#registered].filter((candidate) => isNamed(candidate, name));
    const gone = layer === undefined ? winners(named) : named.filter(({ source }) => source.layer === layer);
    for (const candidate of gone) this.#drop(candidate);
    if (gone.length > 0) this.#announce();
    return gone.length > 0;
  }

  /** The agent of this name, or undefined. Rejects with `duplicate` when there are several of equal rank. */
  async find(name: string): Promise<AgentEntry | undefined> {
    const named = (await this.#candidates()).filter((candidate) => isNamed(candidate, name));
    const [first, ...others] = winners(named);
    if (first && others.length > 0) throw ambiguous(name, [first, ...others]);
    return first && this.#toEntry(first, named);
  }

  /**
   * The agent of this name, ready to be run. Rejects with `not_found` and what may have been meant, `duplicate`, or
   * `untrusted`.
   */
  async resolve(name: string): Promise<AgentEntry> {
    const entry = await this.find(name);
    if (!entry)
      throw unknownAgent(
        name,
        (await this.list()).map((one) => one.name),
      );
    if (entry.held) throw heldAgent(name, entry.source);
    return entry;
  }

  /**
   * Every agent that its name finds, sorted by name. Those that nothing finds because there are several of one name are
   * listed too, each with an error that says so.
   */
  async list(): Promise<readonly AgentEntry[]> {
    const groups = Map.groupBy(await this.#candidates(), ({ agent }) => agent.name);
    const entries = Array.from(groups.values(), (named) => {
      const top = winners(named);
      if (top.length === 1) return [this.#toEntry(top[0]!, named)];
      return top.map((candidate) => this.#toAmbiguousEntry(candidate, top, named));
    });
    return entries.flat().sort((a, b) => (a.name < b.name ? -1 : 1));
  }

  /** Calls the listener after every registration that comes or goes, at once. It must not throw. */
  onChange(listener: () => void): Disposable {
    this.#listeners.add(listener);
    return { [Symbol.dispose]: () => void this.#listeners.delete(listener) };
  }

  async #candidates(): Promise<readonly Candidate[]> {
    const { virtual, holdsVirtual } = this.#deps;
    const held = holdsVirtual?.() ?? false;
    const fromFiles = ((await virtual?.()) ?? []).map(({ agent, file, diagnostics }): Candidate => ({
      agent,
      source: { layer: "virtual", file },
      ...(diagnostics.length > 0 && { diagnostics }),
      ...(held && { held }),
    }));
    return [...this.#registered, ...fromFiles];
  }

  #toEntry(winner: Candidate, named: readonly Candidate[]): AgentEntry {
    const shadows = named.filter((other) => rankOf(other) < rankOf(winner)).sort((a, b) => rankOf(b) - rankOf(a));
    const { agent, source } = winner;
    const none = agent.tools === undefined && this.#deps.defaultTools?.() === "none";
    return {
      name: agentIdentity(agent.name, source.plugin),
      ...winner,
      ...(none && { agent: { ...agent, tools: [] } }),
      shadows: shadows.map(({ source }) => source),
    };
  }

  #toAmbiguousEntry(candidate: Candidate, top: readonly Candidate[], named: readonly Candidate[]): AgentEntry {
    const { agent, source } = candidate;
    const entry = this.#toEntry(candidate, named);
    if (source.plugin !== undefined) return entry;
    const { message } = ambiguous(agent.name, top);
    const diagnostic: Diagnostic = {
      severity: "error",
      code: "duplicate",
      message,
      ...(source.file !== undefined && { file: source.file }),
    };
    return { ...entry, diagnostics: [...(entry.diagnostics ?? []), diagnostic] };
  }

  #drop(candidate: Candidate): boolean {
    if (!this.#registered.delete(candidate)) return false;
    const { agent, source } = candidate;
    if (source.plugin !== undefined) this.#ofPlugins.delete(agentIdentity(agent.name, source.plugin));
    return true;
  }

  #announce(): void {
    for (const listener of this.#listeners) listener();
  }
}

function checkNames(name: string, plugin: string | undefined): void {
  fullName(name);
  if (plugin !== undefined) fullName(plugin);
}

function sourceProblem(layer: AgentLayer, plugin: string | undefined): string | undefined {
  if (layer === "plugin" && plugin === undefined) return "an agent of a plugin needs the plugin's name";
  if (layer !== "plugin" && plugin !== undefined)
    return `it names the plugin "${plugin}" and is registered as one of the layer "${layer}"`;
  return undefined;
}

function rankOf({ source }: Candidate): number {
  return AGENT_LAYERS.indexOf(source.layer);
}

function winners(named: readonly Candidate[]): Candidate[] {
  const highest = Math.max(...named.map(rankOf));
  return named.filter((candidate) => rankOf(candidate) === highest);
}

function isNamed({ agent, source }: Candidate, name: string): boolean {
  return agent.name === name || (source.plugin !== undefined && agentIdentity(agent.name, source.plugin) === name);
}
