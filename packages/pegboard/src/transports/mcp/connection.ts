import { isJSONRPCRequest, type JSONRPCMessage, type Transport } from "@modelcontextprotocol/server";
import { serveStdio } from "@modelcontextprotocol/server/stdio";
import type { Listed } from "./list-change.ts";
import { LineCalls, type LineServer } from "./line-calls.ts";
import { INVALID_REQUEST, parseMessage, type RpcMessage, toRpcError } from "./message.ts";
import type { Era, McpSeat } from "./seat.ts";
import { createMcpServer, type McpServerOptions, tellListChange } from "./server.ts";

/** A line on which messages go out, one text each. */
export interface Wire {
  /** Sends a message. Resolves when the next one may be sent; until then nothing more should be read. */
  send(text: string): Promise<void>;
  /** Ends the line. */
  close(): void;
}

/** A client on a line. */
export interface McpConnection {
  /** Takes one message, as it came. */
  receive(text: string): void;
  /** Answers that a message could not be taken, and why. */
  refuse(code: number, why: string): void;
  /** How many requests of the client have no answer yet. */
  readonly open: number;
  /** Ends the connection; what is at work is cancelled. */
  close(): Promise<void>;
}

/** What a connection needs besides its line. */
export interface ConnectionDeps {
  readonly server: McpServerOptions;
  seat(era: Era): McpSeat;
  onListChange(tell: (what: Listed) => void): Disposable;
  closed(): void;
}

/**
 * Serves a client on a line, in the era that it speaks. Messages that are wrong are answered here: the SDK would leave them
 * without an answer.
 */
export function serveConnection(wire: Wire, deps: ConnectionDeps): McpConnection {
  const open = new Set<unknown>();
  let over: Promise<void> | undefined;
  const send = (message: unknown) => wire.send(JSON.stringify(message)).catch(() => {});
  const transport: Transport = {
    start: async () => {},
    async send(message) {
      if ("id" in message && !("method" in message)) open.delete(message.id);
      await send(message);
    },
    async close() {
      transport.onclose?.();
      wire.close();
    },
  };
  let now: LineServer | undefined;
  const serving = serveStdio(
    ({ era }) => {
      const seat = deps.seat(era);
      const server = createMcpServer(seat, deps.server);
      now = { seat, server };
      return server;
    },
    { transport },
  );
  const calls = new LineCalls({
    options: deps.server,
    answer: (answer) => transport.send(answer as JSONRPCMessage),
    notify: (notification) => send({ jsonrpc: "2.0", ...notification }),
  });
  const watching = deps.onListChange((what) => now && tellListChange(now.server, now.seat.era, what));

  return {
    receive(text) {
      const { message, reply } = parseMessage(text);
      if (reply) void send(reply);
      if (!message) return;
      if (now && take(message, now)) return;
      const { id, method } = message;
      if (method !== undefined && id !== undefined && !isJSONRPCRequest(message))
        return void send(toRpcError(INVALID_REQUEST, "Invalid request: what is in _meta is not understood", id));
      note(message);
      transport.onmessage?.(message as JSONRPCMessage);
    },
    refuse: (code, why) => void send({ jsonrpc: "2.0", error: { code, message: why } }),
    get open() {
      return open.size;
    },
    close() {
      over ??= end();
      return over;
    },
  };

  function take(message: RpcMessage, server: LineServer): boolean {
    const taken = calls.take(message, server);
    if (taken) note(message);
    return taken;
  }

  function note({ id, method, params }: RpcMessage): void {
    if (method === undefined) return;
    if (id !== undefined) open.add(id);
    // No answer follows to what the client has cancelled.
    else if (method === "notifications/cancelled") open.delete(params?.["requestId"]);
  }

  async function end(): Promise<void> {
    watching[Symbol.dispose]();
    calls[Symbol.dispose]();
    await serving.close();
    deps.closed();
  }
}
