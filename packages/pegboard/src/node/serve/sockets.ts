import { type IncomingMessage, type Server, STATUS_CODES } from "node:http";
import type { Duplex } from "node:stream";
import { type WebSocket, WebSocketServer } from "ws";
import { messageOf } from "../../core/error.ts";
import { offeredProtocols } from "../../transports/http/credential.ts";
import type { Lock } from "../../transports/http/lock.ts";
import type { Refusal } from "../../transports/http/refusal.ts";
import type { Socket } from "../../transports/native/socket.ts";
import type { Principal } from "../../transports/principal.ts";
import { toSocket } from "./web-socket.ts";

/** Serves a principal on a socket; `query` is that of the address. May throw: then the client is told why. */
export type SocketDoor = (socket: Socket, principal: Principal, query: URLSearchParams) => void;

/** What WebSockets are served by. */
export interface SocketsOptions {
  readonly lock: Lock;
  /** Where they are asked for. */
  readonly path: string;
  /** The doors by the protocols that clients offer; the first one is also for those that offer none. */
  readonly doors: Readonly<Record<string, SocketDoor>>;
  /** How often clients must show that they are there; every 30 seconds when absent. */
  readonly heartbeatMs?: number;
}

/** The WebSockets of a server. */
export interface Sockets {
  /** Tells every client that the server goes away, and ends the lines. */
  close(): void;
}

const LONGEST = 16 * 1024 * 1024;
const GOING_AWAY = 1001;
const TRY_LATER = 1013;

/** Lets WebSockets in at a server, by the same lock as everything else. */
export function acceptSockets(server: Server, options: SocketsOptions): Sockets {
  const { lock, path, doors, heartbeatMs = 30_000 } = options;
  const names = Object.keys(doors);
  const sockets = new WebSocketServer({
    noServer: true,
    maxPayload: LONGEST,
    handleProtocols: (offered) => names.find((name) => offered.has(name)) ?? false,
  });
  const quiet = new WeakSet<WebSocket>();
  function heard(this: WebSocket): void {
    quiet.delete(this);
  }

  server.on("upgrade", (request: IncomingMessage, stream: Duplex, head: Buffer) => {
    stream.on("error", drop);
    const headers = toHeaders(request);
    const { principal, refusal } = lock.admit({ method: "GET", headers });
    if (refusal) return turnAway(stream, refusal);
    const [asked, query] = (request.url ?? "").split("?", 2);
    if (asked !== path) return turnAway(stream, nothingAt(asked!));
    const offered = offeredProtocols(headers);
    const name = offered.length === 0 ? names[0] : names.find((one) => offered.includes(one));
    if (name === undefined) return turnAway(stream, unknownProtocol(offered, names));
    sockets.handleUpgrade(request, stream, head, (accepted) => {
      accepted.on("pong", heard);
      const socket = toSocket(accepted);
      try {
        doors[name]!(socket, principal, new URLSearchParams(query));
      } catch (error) {
        socket.close(TRY_LATER, messageOf(error));
      }
    });
  });

  // Of a machine that is gone without a word nothing else would tell.
  const beating = setInterval(() => {
    for (const socket of sockets.clients) {
      if (quiet.has(socket)) socket.terminate();
      else if (socket.readyState === socket.OPEN) {
        quiet.add(socket);
        socket.ping();
      }
    }
  }, heartbeatMs).unref();

  return {
    close() {
      clearInterval(beating);
      for (const socket of sockets.clients) socket.close(GOING_AWAY, "The server is shutting down");
    },
  };
}

// A function of its own would keep the whole handshake as long as the connection is there.
function drop(this: Duplex): void {
  this.destroy();
}

function toHeaders({ headersDistinct }: IncomingMessage): Headers {
  const pairs = Object.entries(headersDistinct).flatMap(([name, values = []]) =>
    values.map((value): [string, string] => [name, value]),
  );
  return new Headers(pairs);
}

function turnAway(stream: Duplex, { status, code, message, headers }: Refusal): void {
  const body = JSON.stringify({ error: { code, message } });
  const fields = {
    ...headers,
    "content-type": "application/json",
    "content-length": String(Buffer.byteLength(body)),
    connection: "close",
  };
  const lines = Object.entries(fields).map(([name, value]) => `${name}: ${value}\r\n`);
  stream.end(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines.join("")}\r\n${body}`);
}

function nothingAt(path: string): Refusal {
  return { status: 404, code: "not_found", message: `There is no WebSocket at ${path}` };
}

function unknownProtocol(offered: readonly string[], known: readonly string[]): Refusal {
  const message = `None of the protocols ${offered.join(", ")} is known here: offer ${known.join(" or ")}`;
  return { status: 400, code: "invalid_input", message };
}
