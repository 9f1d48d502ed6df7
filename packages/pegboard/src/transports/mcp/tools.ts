import type { Capability, Json } from "@pegboard/contract";
import type { ToolView } from "../../core/tool-view.ts";
import type { AgentEntry } from "../../agents/catalog.ts";
import { toBareNames } from "./bare-names.ts";
import { toClientSchema } from "./client-schema.ts";
import { toClientName } from "./tool-name.ts";

/** A tool as MCP describes it. */
export interface McpTool {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: Readonly<Record<string, unknown>>;
  readonly outputSchema?: Readonly<Record<string, unknown>>;
  readonly annotations?: Readonly<Record<string, boolean>>;
  readonly _meta: Readonly<Record<string, unknown>>;
}

/** Under which programs are told who brings a tool, for whom it is there, and whether calls of it are asked about. */
const TOOL_META = "pegboard/tool";

/** What a client's call stands for: a tool of the session and its input. */
export interface Target {
  readonly tool: string;
  input(given: Json): Json;
  /** It takes long: a client that can come back for the result is let go at once. */
  readonly background?: boolean;
  /** The author's own, where results are held to one. */
  readonly outputSchema?: ToolView["outputSchema"];
}

/** Everything that one list of tools offers. */
export interface Offer {
  readonly tools: readonly McpTool[];
  /** What a name stands for: the one that clients see, or the whole one where they see a shorter one. */
  find(name: string): Target | undefined;
}

/**
 * The tools of a session as MCP offers them, with `bareNames` without the plugin or server that brings them, where that is
 * clear. Made once for one list.
 */
export function offerTools(list: readonly ToolView[], bareNames = false): Offer {
  const offers = bareNames ? bareOffers : wholeOffers;
  const known = offers.get(list);
  if (known) return known;
  const targets = new Map<string, Target>(list.map((view) => [view.name, toTarget(view)]));
  const bare = bareNames ? toBareNames(list.map(({ name }) => name)) : undefined;
  const tools = list.map((view) => {
    const short = toClientName(bare?.get(view.name) ?? view.name);
    const name = targets.has(short) ? view.name : short;
    targets.set(name, targets.get(view.name)!);
    return toMcpTool(name, view);
  });
  const offer = { tools, find: (name: string) => targets.get(name) };
  offers.set(list, offer);
  return offer;
}

const wholeOffers = new WeakMap<readonly ToolView[], Offer>();
const bareOffers = new WeakMap<readonly ToolView[], Offer>();

/**
 * The same with the agents of a catalog, where the session has the tool `agent`: each is a tool that asks it. They take the
 * way of every call, and a tool of the same name goes before.
 */
export function offerAgents(offer: Offer, agents: readonly AgentEntry[]): Offer {
  if (!offer.find(ASK)) return offer;
  const targets = new Map<string, Target>();
  const tools: McpTool[] = [];
  const { _meta } = offer.tools.find(({ name }) => name === ASK)!;
  for (const { name: agent, agent: definition, held, diagnostics } of agents) {
    const name = toClientName(`agent_${agent.replaceAll(/[^\w-]/g, "_")}`);
    const broken = diagnostics?.some(({ severity }) => severity === "error");
    if (held || broken || targets.has(name) || offer.find(name)) continue;
    const { description, input } = definition;
    targets.set(name, {
      tool: ASK,
      background: true,
      input: (given) => ({ agent, prompt: input ? JSON.stringify(given) : (Object(given) as Asked).prompt }) as Json,
    });
    tools.push({ name, description, inputSchema: input ? toClientSchema(input) : PROMPT, _meta });
  }
  return { tools: [...offer.tools, ...tools], find: (name) => offer.find(name) ?? targets.get(name) };
}

/** The built-in tool that asks an agent. */
const ASK = "agent";

interface Asked {
  readonly prompt?: Json;
}

const PROMPT = {
  type: "object",
  properties: { prompt: { type: "string", description: "All that the agent needs to know" } },
  required: ["prompt"],
};

function toTarget({ name, outputSchema }: ToolView): Target {
  return { tool: name, input: (given) => given, ...(outputSchema && { outputSchema }) };
}

function toMcpTool(name: string, view: ToolView): McpTool {
  const { description, inputSchema, outputSchema, capabilities, source, scope, approval } = view;
  const annotations = toAnnotations(capabilities);
  return {
    name,
    description,
    inputSchema: toClientSchema(inputSchema),
    ...(outputSchema && { outputSchema: outputSchema as Readonly<Record<string, unknown>> }),
    ...(annotations && { annotations }),
    // No client need know where on this machine its file is.
    _meta: { [TOOL_META]: { source: { kind: source.kind, id: source.id }, scope, approval } },
  };
}

// Hints for people; what may run is decided here, whatever a client makes of them.
function toAnnotations(capabilities: readonly Capability[]): Readonly<Record<string, boolean>> | undefined {
  if (capabilities.length === 0) return undefined;
  const readOnlyHint = capabilities.every((capability) => capability === "read");
  return {
    readOnlyHint,
    ...(!readOnlyHint && { destructiveHint: capabilities.some((one) => one === "write" || one === "process") }),
    openWorldHint: capabilities.includes("network"),
  };
}
