import type { Agent, Command, McpServer, Plugin, Prompt, Resource, Skill } from "@pegboard/contract";
import type { AnyTool, Registry, ToolSource } from "../core/registry.ts";

/** The kinds of things that a plugin brings. */
export const COMPONENTS = [
  "tools",
  "agents",
  "skills",
  "commands",
  "prompts",
  "resources",
  "mcpServers",
  "hooks",
] as const;
export type ComponentKind = (typeof COMPONENTS)[number];

/** What of a plugin is switched off, by its name in the plugin; a hook by the name of its point. */
export type SwitchedOff = Readonly<Partial<Record<ComponentKind, readonly string[]>>>;

/** Whose something is. */
export interface Owner extends Pick<ToolSource, "file" | "version" | "digest" | "enabledBy"> {
  readonly plugin: string;
}

/** Where the things that plugins bring are hung. */
export interface Shelves {
  readonly tools: Registry;
  readonly agents: { register(agent: Agent, owner: Owner & { readonly layer: "plugin" }): Disposable };
  readonly skills?: { register(skill: Skill, owner: Owner): Disposable };
  readonly commands?: { register(command: Command, owner: Owner): Disposable };
  readonly prompts?: { register(prompt: Prompt, owner: Owner): Disposable };
  readonly resources?: { register(resource: Resource, owner: Owner): Disposable };
  /**
   * Makes the tools of an MCP server be had until it is disposed. Neither throws nor waits for the server: what is wrong
   * with it is told to `report`, and nothing when it is well again.
   */
  mcpServer?(name: string, server: McpServer, owner: Owner, report: (problem?: string) => void): Disposable;
}

/** What a plugin brings, its tools in the form that is registered. */
export type Things = Pick<Plugin, "agents" | "skills" | "commands" | "prompts" | "resources" | "mcpServers"> & {
  readonly tools: readonly AnyTool[];
};

/** Hears what is wrong with a thing that hangs, and nothing when it is well again. */
type Report = (about: string, problem: string | undefined) => void;

/** What one plugin has hung up; disposing takes all of it down. */
export class HungThings implements Disposable {
  readonly #things: Things;
  readonly #owner: Owner;
  readonly #shelves: Shelves;
  readonly #report: Report;
  readonly #hung = new Map<string, Disposable>();
  #tools: Disposable | undefined;
  #toolNames = "";

  constructor(things: Things, owner: Owner, shelves: Shelves, report: Report) {
    this.#things = things;
    this.#owner = owner;
    this.#shelves = shelves;
    this.#report = report;
  }

  /** Makes exactly that hang which is not switched off. Throws what a shelf throws that refuses something, and then nothing has changed. */
  show(off: SwitchedOff): void {
    const wanted = this.#wanted(off);
    const added = new Map<string, Disposable>();
    try {
      for (const [key, hang] of wanted) if (!this.#hung.has(key)) added.set(key, hang());
      this.#showTools(off.tools ?? []);
    } catch (error) {
      for (const one of added.values()) one[Symbol.dispose]();
      throw error;
    }
    for (const [key, one] of this.#hung) {
      if (wanted.has(key)) continue;
      this.#hung.delete(key);
      one[Symbol.dispose]();
    }
    for (const [key, one] of added) this.#hung.set(key, one);
  }

  [Symbol.dispose](): void {
    this.#tools?.[Symbol.dispose]();
    for (const one of this.#hung.values()) one[Symbol.dispose]();
    this.#hung.clear();
  }

  /** How each thing that is not switched off and no tool is hung up, by kind and name. */
  #wanted(off: SwitchedOff): ReadonlyMap<string, () => Disposable> {
    const owner = this.#owner;
    const { agents, skills, commands, prompts, resources, mcpServer = refuseServer } = this.#shelves;
    const wanted = new Map<string, () => Disposable>();
    const want = (kind: ComponentKind, name: string, hang: () => Disposable) => {
      if (!off[kind]?.includes(name)) wanted.set(`${kind} ${name}`, hang);
    };
    for (const agent of this.#things.agents ?? [])
      want("agents", agent.name, () => agents.register(agent, { ...owner, layer: "plugin" }));
    if (skills)
      for (const skill of this.#things.skills ?? []) want("skills", skill.name, () => skills.register(skill, owner));
    if (commands)
      for (const command of this.#things.commands ?? [])
        want("commands", command.name, () => commands.register(command, owner));
    if (prompts)
      for (const prompt of this.#things.prompts ?? [])
        want("prompts", prompt.name, () => prompts.register(prompt, owner));
    if (resources)
      for (const resource of this.#things.resources ?? [])
        want("resources", resource.name, () => resources.register(resource, owner));
    for (const [name, server] of Object.entries(this.#things.mcpServers ?? {}))
      want("mcpServers", name, () => mcpServer(name, server, owner, (problem) => this.#report(name, problem)));
    return wanted;
  }

  #showTools(off: readonly string[]): void {
    const tools = this.#things.tools.filter(({ name }) => !off.includes(name));
    const names = tools.map(({ name }) => name).join(" ");
    if (names === this.#toolNames) return;
    const { plugin } = this.#owner;
    const options = {
      layer: "plugin",
      prefix: plugin,
      source: { kind: "plugin", id: plugin, ...this.#owner },
    } as const;
    const { tools: board } = this.#shelves;
    const before = this.#tools;
    this.#tools = before ? board.registerOrReplace(tools, options) : board.register(tools, options);
    this.#toolNames = names;
    // What was replaced is gone already: this takes down what is off now.
    before?.[Symbol.dispose]();
  }
}

const refuseServer: NonNullable<Shelves["mcpServer"]> = (name, _server, _owner, report) => {
  report(`MCP server "${name}" is not there: the host was not told how to reach servers (plugins.mcpServer)`);
  return { [Symbol.dispose]: () => report() };
};
