import { defineTool, type Tool } from "@pegboard/contract";
import type { CallingAgent } from "../core/caller.ts";
import type { Registry } from "../core/registry.ts";
import type { ToolView } from "../core/tool-view.ts";
import type { AgentTools, ToolTurn } from "../core/workbench.ts";
import type { AgentRun } from "./agent-run.ts";
import { toCatalogue } from "./tool-catalogue.ts";
import { toolIndex, type ToolIndex } from "./tool-index.ts";

/** What a shelf is made of. */
interface ToolShelfDeps {
  readonly tools: AgentTools;
  /** The run, and its board, where the tool that searches hangs. */
  readonly run: string;
  readonly board: Registry;
  /** How many tokens the definitions may take before they are searched for. */
  readonly tokens: number;
  /** The names that the agent's file writes out: those tools it always has. */
  readonly named: readonly string[];
  /** What an earlier process had told the model of. */
  readonly told?: readonly string[];
}

/**
 * The tools of one run. When their definitions take too many tokens, the model is told of the core tools, of those that
 * the agent names, and of `tool_search`; what that finds is there from the next turn on, for this run alone.
 */
class ToolShelf implements AgentTools {
  readonly #deps: ToolShelfDeps;
  #found: readonly string[];
  #searching: { readonly tools: readonly ToolView[]; readonly tool: Disposable } | undefined;
  #made: { readonly all: ToolTurn; readonly found: readonly string[]; readonly turn: ToolTurn } | undefined;

  constructor(deps: ToolShelfDeps) {
    this.#deps = deps;
    this.#found = deps.told ?? [];
  }

  get turn(): ToolTurn {
    const all = this.#deps.tools.turn;
    if (this.#made?.all !== all || this.#made.found !== this.#found) {
      const turn = this.#choose(all);
      this.#made = { all: this.#deps.tools.turn, found: this.#found, turn };
    }
    return this.#made.turn;
  }

  #choose(all: ToolTurn): ToolTurn {
    const tools = all.tools.filter(({ name }) => name !== SEARCH);
    if (costOf(tools) <= this.#deps.tokens) {
      this.#stopSearching();
      return this.#deps.tools.turn;
    }
    const core = new Set([...this.#coreOf(tools), ...this.#found, SEARCH]);
    const searched = tools.filter(({ name }) => !core.has(name));
    this.#search(tools, searched);
    return this.#deps.tools.turn.narrow(
      core,
      (name) => `Tool "${name}" is not loaded: call ${SEARCH} with what you want to do, and then call what it finds`,
    );
  }

  /** Own tools and those that are named always; of the others whole groups, as long as there is room. */
  #coreOf(tools: readonly ToolView[]): string[] {
    const named = new Set(this.#deps.named);
    const core = tools.filter(({ name, source }) => source.agent !== undefined || named.has(name));
    let left = this.#deps.tokens - costOf(core);
    for (const isNext of GROUPS) {
      const group = tools.filter((tool) => isNext(tool) && !core.includes(tool));
      left -= costOf(group);
      if (left < 0) break;
      core.push(...group);
    }
    return core.map(({ name }) => name);
  }

  #search(tools: readonly ToolView[], searched: readonly ToolView[]): void {
    const same =
      this.#searching?.tools.length === tools.length && this.#searching.tools.every((tool, at) => tool === tools[at]);
    if (same) return;
    this.#stopSearching();
    let index: ToolIndex | undefined;
    const find = (query: string, most: number) => {
      // Most runs never search.
      const names = (index ??= toolIndex(tools)).search(query, most);
      this.#found = [...new Set([...this.#found, ...names])];
      return names.map((name) => tools.find((tool) => tool.name === name)!);
    };
    const { board, run } = this.#deps;
    const tool = board.register(searchTool(toCatalogue(searched), find), {
      source: { kind: "builtin", id: SEARCH, agent: run },
    });
    this.#searching = { tools, tool };
  }

  #stopSearching(): void {
    this.#searching?.tool[Symbol.dispose]();
    this.#searching = undefined;
  }
}

/** The tools of a run, on a shelf if they are too many. `named` is the agent's own list. */
export function toolShelf(run: AgentRun, agent: CallingAgent, named: readonly string[] = []): ToolShelf {
  const { workbench, from } = run;
  const told = from?.log.eventsOf(run.id).flatMap(({ type, data }) => (type === "turn-start" && data.tools) || []);
  return new ToolShelf({
    tools: workbench.toolsFor({ ...workbench.caller, kind: "model", agent }, run.boards),
    run: run.id,
    board: run.boards[0],
    tokens: workbench.limits.toolTokens,
    named,
    ...(told && { told }),
  });
}

const SEARCH = "tool_search";

/** What an agent has anyway, the most needed first. */
const GROUPS: readonly ((tool: ToolView) => boolean)[] = [
  ({ source }) => source.kind === "builtin",
  ({ source }) => source.plugin === undefined && source.kind !== "mcp",
];

const costs = new WeakMap<ToolView, number>();

/** Tokens that a model reads for these definitions: about one for four characters. */
function costOf(tools: readonly ToolView[]): number {
  let sum = 0;
  for (const tool of tools) {
    let cost = costs.get(tool);
    if (cost === undefined) {
      const { name, description, inputSchema } = tool;
      cost = Math.ceil((name.length + description.length + JSON.stringify(inputSchema).length) / 4);
      costs.set(tool, cost);
    }
    sum += cost;
  }
  return sum;
}

function searchTool(catalogue: string, find: (query: string, most: number) => readonly ToolView[]): Tool {
  return defineTool({
    name: SEARCH,
    description: `Find tools for what you want to do. There are more tools than you see: those that are found here can be called from your next step on.\n${catalogue}`,
    input: {
      type: "object",
      properties: {
        query: { type: "string", minLength: 1, description: "What you want to do, in plain words, or a tool's name" },
        limit: { type: "integer", minimum: 1, maximum: 20, default: 5, description: "How many tools to load at most" },
      },
      required: ["query"],
      additionalProperties: false,
    },
    capabilities: ["state"],
    execute({ query, limit }) {
      const tools = find(query, limit).map(({ name, description }) => ({ name, description }));
      const text =
        tools.length === 0
          ? "No tool fits. Try other words: what it works on, or what it does."
          : `Loaded, call them in your next step:\n${tools.map(({ name, description }) => `- ${name}: ${firstLine(description)}`).join("\n")}`;
      return { content: [{ type: "text", text }], structured: { tools } };
    },
  });
}

function firstLine(text: string): string {
  return text.split("\n", 1)[0]!;
}
