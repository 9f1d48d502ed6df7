import type { WebSocket } from "ws";
import type { Socket } from "../../transports/native/socket.ts";

const UNSUPPORTED = 1003;

/** A WebSocket as doors see it. */
export function toSocket(socket: WebSocket): Socket {
  // What is wrong with a connection ends it.
  socket.on("error", socket.terminate);
  return new NodeSocket(socket);
}

class NodeSocket implements Socket {
  readonly #socket: WebSocket;

  constructor(socket: WebSocket) {
    this.#socket = socket;
  }

  get bufferedAmount(): number {
    return this.#socket.bufferedAmount;
  }

  send(text: string): void {
    this.#socket.send(text, ignore);
  }

  onMessage(listener: (text: string) => void): void {
    this.#socket.on("message", (data: Buffer, isBinary) => {
      if (isBinary) this.#socket.close(UNSUPPORTED, "Messages are texts");
      else listener(data.toString());
    });
  }

  onClose(listener: () => void): void {
    this.#socket.on("close", listener);
  }

  close(code: number, reason: string): void {
    this.#socket.close(code, toReason(reason));
  }

  pause(): void {
    this.#socket.pause();
  }

  resume(): void {
    this.#socket.resume();
  }
}

// Of a message that cannot be sent any more nobody needs to hear.
function ignore(): void {}

/** The longest reason that fits in the frame that ends a connection. */
const REASON_BYTES = 123;

function toReason(text: string): string {
  let reason = text.slice(0, REASON_BYTES);
  while (Buffer.byteLength(reason) > REASON_BYTES) reason = reason.slice(0, -1);
  return reason;
}
