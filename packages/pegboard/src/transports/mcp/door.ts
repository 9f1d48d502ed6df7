import type { Desk, DeskSessionOptions } from "../desk.ts";
import type { Principal } from "../principal.ts";
import { Connection, type ConnectionDeps, type McpConnection, type Wire } from "./connection.ts";
import { createHttpLegs } from "./http.ts";
import { ListChanges } from "./list-change.ts";
import { Place } from "./place.ts";
import { createSeal } from "./seal.ts";
import type { McpServerOptions } from "./server.ts";
import { shelfResources } from "./shelf-resources.ts";
import { skillResources } from "./skills.ts";
import type { CallTimes } from "./session-calls.ts";

/** How the door of MCP presents itself, and how long it waits. */
export interface McpDoorOptions extends Omit<McpServerOptions, "agents" | "commands" | "prompts" | "skills"> {
  /** Whether agents are offered as tools; by default yes. */
  readonly agents?: boolean;
  /** How much text of a result clients get; the rest is read on. 100,000 when absent: more than that some cannot take. */
  readonly resultCharacters?: number;
  readonly times?: Partial<CallTimes>;
  /**
   * 32 secret bytes, with which what a client hands back is sealed. Servers that take each other's place need the same
   * one; by default it is good for this door alone.
   */
  readonly sealKey?: Uint8Array<ArrayBuffer> | undefined;
}

/** The door of MCP: every revision, on lines (standard streams, WebSocket) and over HTTP. */
export interface McpDoor {
  /** Serves a client on a line, in a session of its own. Throws `busy` or `unavailable`. */
  connect(principal: Principal, wire: Wire, options?: DeskSessionOptions): McpConnection;
  /** Answers a request to the endpoint of Streamable HTTP. Who asks and whether they may is not checked here. */
  fetch(request: Request, principal: Principal): Promise<Response>;
  /** Ends every connection and stream. */
  close(): Promise<void>;
}

/** A sealed handle is good for as long as an approval can be waited for, and no longer than this. */
const HANDLE_MS = 24 * 60 * 60_000;

/** Makes the door of MCP before a desk. */
export function createMcpDoor(desk: Desk, options: McpDoorOptions): McpDoor {
  const { agents = true, resultCharacters = 100_000, times, sealKey, ...presented } = options;
  const { runtime } = desk;
  const places = { desk, seal: createSeal(HANDLE_MS, sealKey), times };
  const { commands, prompts, skills } = runtime;
  const server: McpServerOptions = {
    ...presented,
    commands,
    prompts,
    skills,
    resources: [...(presented.resources ?? []), shelfResources(runtime.resources), skillResources(skills)],
    ...(agents && { agents: () => runtime.agents.list() }),
  };
  const lists = new ListChanges(runtime);
  const connections = new Set<McpConnection>();
  const shared: ConnectionDeps = {
    options: server,
    lists,
    closed(connection, place) {
      connections.delete(connection);
      place[Symbol.dispose]();
      void desk.leave(place.principal, place.session.id);
    },
  };

  /** Opens a session, with what all its servers share. */
  const open = (principal: Principal, given?: DeskSessionOptions): Place =>
    new Place(principal, desk.open(principal, { resultCharacters, ...given }), places);

  const http = createHttpLegs({ desk, server, lists, open });
  return {
    connect(principal, wire, given) {
      const connection = new Connection(wire, open(principal, given), shared);
      connections.add(connection);
      return connection;
    },
    fetch: (request, principal) => http.fetch(request, principal),
    async close() {
      await Promise.all([http.close(), ...Array.from(connections, (connection) => connection.close())]);
      lists[Symbol.dispose]();
    },
  };
}
