import type { WebSocket } from "ws";
import type { Socket } from "../../transports/native/socket.ts";

const UNSUPPORTED = 1003;

/** A WebSocket as doors see it. */
export function toSocket(socket: WebSocket): Socket {
  // What is wrong with a connection ends it.
  socket.on("error", () => socket.terminate());
  return {
    send: (text) => socket.send(text, () => {}),
    get bufferedAmount() {
      return socket.bufferedAmount;
    },
    onMessage: (listener) =>
      void socket.on("message", (data: Buffer, isBinary) => {
        if (isBinary) socket.close(UNSUPPORTED, "Messages are texts");
        else listener(data.toString());
      }),
    onClose: (listener) => void socket.on("close", listener),
    close: (code, reason) => socket.close(code, toReason(reason)),
    pause: () => socket.pause(),
    resume: () => socket.resume(),
  };
}

/** The longest reason that fits in the frame that ends a connection. */
const REASON_BYTES = 123;

function toReason(text: string): string {
  let reason = text.slice(0, REASON_BYTES);
  while (Buffer.byteLength(reason) > REASON_BYTES) reason = reason.slice(0, -1);
  return reason;
}
