import {
  type CallToolResult,
  type jsonSchemaValidator,
  ProtocolError,
  ProtocolErrorCode,
  Server,
  type ServerCapabilities,
} from "@modelcontextprotocol/server";
import type { Json } from "@pegboard/contract";
import type { AgentEntry } from "../../agents/catalog.ts";
import { TASKS_EXTENSION } from "../../core/mcp-names.ts";
import { callTool } from "./call-tool.ts";
import type { Listed } from "./list-change.ts";
import { type PromptShelves, servePrompts } from "./prompts.ts";
import { type McpResources, serveResources } from "./resources.ts";
import type { Era, McpSeat } from "./seat.ts";
import { SESSION_RESOURCES } from "./session-resources.ts";
import { toToolResult } from "./tool-result.ts";
import { serveSkills, SKILLS_EXTENSION, type Skills } from "./skills.ts";
import { serveTasks } from "./tasks.ts";
import { type Offer, offerAgents, offerTools, type Target } from "./tools.ts";

/** How a server presents itself. */
export interface McpServerOptions {
  readonly name: string;
  readonly version: string;
  /** What the model is told of the server as a whole. */
  readonly instructions?: string;
  /** The agents that are offered as tools. */
  agents?(): Promise<readonly AgentEntry[]>;
  /** The commands that people at clients can call up. */
  readonly commands?: PromptShelves["commands"];
  /** The prompts that code makes. */
  readonly prompts?: PromptShelves["prompts"];
  /** The skills that models at clients can take up. */
  readonly skills?: Skills;
  /** Where resources come from besides the session. */
  readonly resources?: readonly McpResources[];
  /** Offers tools and prompts without the plugin or server that brings them, where that is clear. */
  readonly bareNames?: boolean | undefined;
}

/** How long clients may take a list for granted; changes are told besides. */
const FRESH_MS = 10_000;
// A list depends on who asks.
const HINT = { ttlMs: FRESH_MS, cacheScope: "private" } as const;
const CACHE_HINTS = {
  "server/discover": HINT,
  "tools/list": HINT,
  "prompts/list": HINT,
  "resources/list": HINT,
  "resources/templates/list": HINT,
  // Others may write meanwhile.
  "resources/read": { ttlMs: 0, cacheScope: "private" },
} as const;

/** Answers to forms are checked by whoever asked. The validator of the SDK would be made anew for every request. */
export const NO_VALIDATOR: jsonSchemaValidator = {
  getValidator: () => (input) => ({ valid: true, data: input as never, errorMessage: undefined }),
};

/** Makes the server of one seat: of a connection in the old era, of a request in the new one. */
export function createMcpServer(seat: McpSeat, options: McpServerOptions): Server {
  const { name, version, instructions, agents, resources = [], bareNames } = options;
  const server = new Server(
    { name, version },
    {
      capabilities: capabilitiesOf(seat.era, options),
      ...(instructions !== undefined && { instructions }),
      cacheHints: CACHE_HINTS,
      jsonSchemaValidator: NO_VALIDATOR,
      inputRequired: { legacyShim: false },
    },
  );
  const tools = () => offerTools(seat.session.list(), bareNames);
  const all = async (): Promise<Offer> => (agents ? offerAgents(tools(), await agents()) : tools());

  async function find(asked: string): Promise<Target | undefined> {
    return tools().find(asked) ?? (await all()).find(asked);
  }

  server.setRequestHandler("tools/list", async () => ({ tools: [...(await all()).tools] as never }));
  server.setRequestHandler("tools/call", async ({ params }, context) => {
    const input = (params.arguments ?? {}) as Json;
    const target = await find(params.name);
    if (!target) return callUnlisted(seat, params.name, input);
    return (await callTool(server, seat, { name: params.name, input, target }, context)) as CallToolResult;
  });
  serveResources(server, seat, [...resources, SESSION_RESOURCES]);
  if (hasPrompts(options)) servePrompts(server, seat, options);
  if (options.skills) serveSkills(server, seat, options.skills);
  if (seat.era === "modern") serveTasks(server, seat);
  return server;
}

function hasPrompts({ commands, prompts }: McpServerOptions): boolean {
  return commands !== undefined || prompts !== undefined;
}

function capabilitiesOf(era: Era, options: McpServerOptions): ServerCapabilities {
  return {
    tools: { listChanged: true },
    logging: {},
    resources: { listChanged: true, ...(era === "legacy" && { subscribe: true }) },
    ...(hasPrompts(options) && { prompts: { listChanged: true }, completions: {} }),
    extensions: {
      ...(options.skills && { [SKILLS_EXTENSION]: { directoryRead: true } }),
      ...(era === "modern" && { [TASKS_EXTENSION]: {} }),
    },
  };
}

/** Calls a tool that the session does not list: it is refused, and the log keeps who tried what. */
async function callUnlisted({ session }: McpSeat, name: string, input: Json): Promise<CallToolResult> {
  const result = await session.call(name, input);
  if (result.error?.code === "not_found")
    throw new ProtocolError(ProtocolErrorCode.InvalidParams, result.error.message);
  return toToolResult(result, false);
}

/** What a client is told when a list has changed. */
export const LIST_CHANGED: Readonly<Record<Listed, string>> = {
  tools: "notifications/tools/list_changed",
  prompts: "notifications/prompts/list_changed",
  resources: "notifications/resources/list_changed",
};

/** Tells a client that a list has changed. One that has not shaken hands yet is told nothing: it may not be. */
export function tellListChange(server: Server, era: Era, what: Listed): void {
  if (era === "legacy" && !server.getClientVersion()) return;
  server.notification({ method: LIST_CHANGED[what] }).catch(() => {});
}
