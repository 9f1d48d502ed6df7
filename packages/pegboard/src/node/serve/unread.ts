import type { Server } from "node:http";
import type { Socket } from "node:net";
import { PegboardError } from "../../core/error.ts";

/** How much all clients together may leave unread, and how long one may read nothing while it is more than that. */
const MOST_BYTES = 16 * 1024 * 1024;
const STALLED_MS = 250;
const LOOK_MS = 50;

interface Reading {
  written: number;
  since: number;
}

/**
 * Watches how much of what a server sends is not read. Where it is too much, the connections are ended that take nothing,
 * the slowest first: what was sent on them can be asked for again, and nobody else has to wait. `told` hears of each.
 */
export function watchUnread(server: Server, told?: (error: PegboardError) => void): Disposable {
  const sockets = new Map<Socket, Reading>();
  server.on("connection", (socket: Socket) => {
    sockets.set(socket, { written: 0, since: performance.now() });
    socket.once("close", () => sockets.delete(socket));
  });

  function look(): void {
    const now = performance.now();
    let unread = 0;
    const stalled: Socket[] = [];
    for (const [socket, reading] of sockets) {
      const { writableLength, bytesWritten } = socket;
      // What is sent counts as written before it is taken.
      const taken = bytesWritten - writableLength;
      unread += writableLength;
      if (taken !== reading.written || writableLength === 0) sockets.set(socket, { written: taken, since: now });
      else if (now - reading.since > STALLED_MS) stalled.push(socket);
    }
    if (unread <= MOST_BYTES) return;
    stalled.sort((a, b) => sockets.get(a)!.since - sockets.get(b)!.since);
    for (const socket of stalled) {
      if (unread <= MOST_BYTES) break;
      unread -= socket.writableLength;
      told?.(new PegboardError("busy", `A client that left ${socket.writableLength} bytes unread was let go`));
      socket.destroy();
    }
  }

  const looking = setInterval(look, LOOK_MS).unref();
  return { [Symbol.dispose]: () => clearInterval(looking) };
}
