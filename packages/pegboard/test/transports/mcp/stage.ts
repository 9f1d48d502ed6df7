import {
  Client,
  type ClientOptions,
  StreamableHTTPClientTransport,
  type Transport,
} from "@modelcontextprotocol/client";
import { createRuntime, defineTool, type RuntimeOptions } from "../../../src/index.ts";
import { createDesk, type Desk, type DeskOptions } from "../../../src/transports/desk.ts";
import type { McpConnection } from "../../../src/transports/mcp/connection.ts";
import { createMcpDoor, type McpDoor, type McpDoorOptions } from "../../../src/transports/mcp/door.ts";
import type { Principal } from "../../../src/transports/principal.ts";

export const echo = defineTool({
  name: "echo",
  description: "Says it again",
  input: { type: "object", properties: { text: { type: "string" } }, required: ["text"] },
  approval: "preApproved",
  execute: ({ text }) => text,
});

export const danger = defineTool({
  name: "danger",
  description: "Does something that cannot be undone",
  input: { type: "object", properties: { what: { type: "string" } } },
  approval: "ask",
  execute: ({ what = "it" }) => `${what} is gone`,
});

export const ann: Principal = { id: "ann", client: "test" };
export const ben: Principal = { id: "ben" };

/** A desk with a door of MCP, for one test. */
export interface Stage {
  readonly desk: Desk;
  readonly door: McpDoor;
  close(): Promise<void>;
}

export function openStage(runtime: RuntimeOptions = {}, options: Partial<McpDoorOptions> & DeskOptions = {}): Stage {
  const desk = createDesk(createRuntime({ builtins: false, tools: [echo, danger], ...runtime }), options);
  const door = createMcpDoor(desk, { name: "pegboard", version: "1.0.0", ...options });
  return {
    desk,
    door,
    async close() {
      await door.close();
      await desk.close(AbortSignal.abort());
      await desk.runtime.close();
    },
  };
}

/** Both ways in which a client of today can speak. */
export const ERAS = ["legacy", "modern"] as const;
type Era = (typeof ERAS)[number];

/** How a client is reached: on a line, or over HTTP. */
export const WAYS = ["line", "http"] as const;

export interface ClientSettings extends ClientOptions {
  readonly way?: (typeof WAYS)[number];
  readonly era?: Era;
  readonly principal?: Principal;
}

/** A client of the official SDK, connected. */
export async function connectClient({ door }: Stage, settings: ClientSettings = {}): Promise<Client> {
  const { way = "line", era = "legacy", principal = ann, ...options } = settings;
  const mode = era === "modern" ? { pin: "2026-07-28" } : ("legacy" as const);
  const client = new Client({ name: "test", version: "1" }, { ...options, versionNegotiation: { mode } });
  await client.connect(way === "line" ? lineTo(door, principal) : httpTo(door, principal));
  return client;
}

function httpTo(door: McpDoor, principal: Principal): Transport {
  return new StreamableHTTPClientTransport(new URL("http://localhost/mcp"), {
    fetch: (url, init) => door.fetch(new Request(url, init as RequestInit), principal),
  });
}

/** A line in memory, with a turn of the loop between its ends. */
function lineTo(door: McpDoor, principal: Principal): Transport {
  let connection: McpConnection;
  const transport: Transport = {
    async start() {
      connection = door.connect(principal, {
        send: async (text) => void setImmediate(() => transport.onmessage?.(JSON.parse(text))),
        close: () => transport.onclose?.(),
      });
    },
    send: async (message) => void setImmediate(() => connection.receive(JSON.stringify(message))),
    close: () => connection.close(),
  };
  return transport;
}

/** The part of every request of the new era. */
export function envelope(capabilities: object = {}): { readonly _meta: Record<string, unknown> } {
  return {
    _meta: {
      "io.modelcontextprotocol/protocolVersion": "2026-07-28",
      "io.modelcontextprotocol/clientCapabilities": capabilities,
      "io.modelcontextprotocol/clientInfo": { name: "test", version: "1" },
    },
  };
}
