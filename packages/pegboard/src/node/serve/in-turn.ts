import type { RequestListener, ServerResponse } from "node:http";
import type { Socket } from "node:net";

/** No client that reads its answers has so many requests waiting behind one another. */
const MOST_WAITING = 16;

/**
 * Hands on the requests of a connection one after the other: the next one when the answer before it is on its way. Whoever
 * sends many at once and does not read would otherwise have all of their answers made, and kept. A connection on which more
 * wait than any client needs is ended.
 */
export function inTurn(listener: RequestListener): RequestListener {
  const queues = new WeakMap<Socket, ServerResponse[]>();
  return (request, response) => {
    const { socket } = request;
    const queue = queues.get(socket) ?? [];
    queues.set(socket, queue);
    const before = queue.at(-1);
    queue.push(response);
    response.once("close", () => queue.splice(queue.indexOf(response), 1));
    if (!before) return listener(request, response);
    if (queue.length > MOST_WAITING) return void socket.destroy();
    before.once("close", () => {
      if (!socket.destroyed) listener(request, response);
    });
  };
}
