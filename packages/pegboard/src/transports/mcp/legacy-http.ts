import { type Server, WebStandardStreamableHTTPServerTransport } from "@modelcontextprotocol/server";
import type { Desk } from "../desk.ts";
import type { Principal } from "../principal.ts";
import { MOST_BYTES, refuse } from "./http-answer.ts";
import type { ListChanges, ListReader } from "./list-change.ts";
import { INVALID_REQUEST, type RpcMessage, toRpcError } from "./message.ts";
import type { Place } from "./place.ts";
import { createMcpServer, type McpServerOptions, tellListChange } from "./server.ts";
import { createTap, type Tap } from "./tap.ts";

/** What both eras need over HTTP. */
export interface HttpDeps {
  readonly desk: Desk;
  readonly server: McpServerOptions;
  readonly lists: ListChanges;
  /** Opens a session. Throws `busy` or `unavailable`. */
  open(principal: Principal): Place;
}

/** The old era over HTTP: a session from its handshake until it is deleted, or nobody has used it for long. */
export interface LegacyHttp {
  post(request: Request, message: RpcMessage, principal: Principal): Promise<Response>;
  /** What is not POST: the stream of the session, or its end. */
  other(request: Request, principal: Principal): Promise<Response>;
  close(): Promise<void>;
}

interface LegacySession {
  readonly principal: string;
  readonly transport: WebStandardStreamableHTTPServerTransport;
  readonly taps: Taps;
  readonly end: () => Promise<void>;
  /** Puts off the end of a session that is not used. */
  touch(): void;
}

const SESSION_HEADER = "mcp-session-id";
const NO_SESSION = -32001;
const MISSING_SESSION = `The header Mcp-Session-Id is missing: begin with "initialize"`;
/** What is told between requests, on a stream of its own. */
const NO_REQUEST = Symbol();

/** The answers of one session that are on their way. */
class Taps {
  readonly #open = new Map<unknown, Tap>();

  pass(request: unknown, response: Response): Response {
    if (!response.headers.get("content-type")?.startsWith("text/event-stream")) return response;
    const tap = createTap(() => this.#open.get(request) === tap && this.#open.delete(request));
    this.#open.set(request, tap);
    return tap.pass(response);
  }

  /** What is told on the way goes out with the answer, or, where it is of no request, on its own stream. */
  room(request: unknown): Promise<unknown> | undefined {
    const rooms = [request, NO_REQUEST].flatMap((one) => this.#open.get(one)?.room() ?? []);
    return rooms.length > 0 ? Promise.all(rooms) : undefined;
  }
}

/** Serves clients of the old era, each in a session of its own: only so can they be asked for approval. */
export function createLegacyHttp({ desk, server: options, lists, open }: HttpDeps): LegacyHttp {
  const sessions = new Map<string, LegacySession>();

  async function begin(principal: Principal): Promise<LegacySession> {
    const place = open(principal);
    const { session } = place;
    const taps = new Taps();
    const seat = place.seat("legacy", (request) => taps.room(request));
    const server: Server = createMcpServer(seat, options);
    const transport = new WebStandardStreamableHTTPServerTransport({
      sessionIdGenerator: () => session.id,
      maxRequestBodySize: MOST_BYTES,
    });
    const reader: ListReader = { listChanged: (what) => tellListChange(server, "legacy", what) };
    lists.add(reader, session);
    let idle: ReturnType<typeof setTimeout> | undefined;
    let ended: Promise<void> | undefined;
    const end = () => (ended ??= finish());
    const made: LegacySession = {
      principal: principal.id,
      transport,
      taps,
      end,
      touch() {
        clearTimeout(idle);
        // A call may take longer than that.
        idle = setTimeout(() => void (session.atWork ? made.touch() : end()), desk.runtime.limits.sessionIdleMs);
        (idle as { unref?(): void }).unref?.();
      },
    };
    async function finish(): Promise<void> {
      clearTimeout(idle);
      sessions.delete(session.id);
      lists.delete(reader);
      await server.close().catch(() => {});
      place[Symbol.dispose]();
      await desk.leave(principal, session.id);
    }
    server.onclose = () => void end();
    await server.connect(transport);
    sessions.set(session.id, made);
    return made;
  }

  /** The session that a request names, or the answer to one that names none of its own. */
  function find(request: Request, principal: Principal, message?: RpcMessage): LegacySession | Response {
    const id = request.headers.get(SESSION_HEADER);
    if (id === null) return refuse(400, toRpcError(INVALID_REQUEST, MISSING_SESSION, message?.id));
    const session = sessions.get(id);
    // What belongs to somebody else is told exactly as what does not exist.
    if (session?.principal !== principal.id)
      return refuse(404, toRpcError(NO_SESSION, "Session not found", message?.id));
    session.touch();
    return session;
  }

  return {
    async post(request, message, principal) {
      const isNew = message.method === "initialize" && !request.headers.has(SESSION_HEADER);
      const session = isNew ? await begin(principal) : find(request, principal, message);
      if (session instanceof Response) return session;
      const response = await session.transport.handleRequest(request, { parsedBody: message });
      // A handshake that failed leaves nothing behind.
      if (isNew && response.status >= 400) await session.end();
      else if (isNew) session.touch();
      return session.taps.pass(message.id, response);
    },
    async other(request, principal) {
      const session = find(request, principal);
      if (session instanceof Response) return session;
      return session.taps.pass(NO_REQUEST, await session.transport.handleRequest(request));
    },
    async close() {
      await Promise.all(Array.from(sessions.values(), ({ end }) => end()));
    },
  };
}
