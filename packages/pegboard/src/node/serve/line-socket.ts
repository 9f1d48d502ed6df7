import type { Socket } from "../../transports/native/socket.ts";
import { readLines } from "./read-lines.ts";

/** A client on standard streams. */
export interface Lines {
  readonly input: AsyncIterable<Uint8Array>;
  /** Writes one line. Resolves when the next one may be written. */
  send(line: string): Promise<void>;
  /** Nothing more is read when it fires. */
  readonly signal?: AbortSignal;
  /** Fires when nobody reads what is written. */
  readonly gone?: AbortSignal;
}

/** A message is not longer than this. */
const LONGEST = 16 * 1024 * 1024;

/** Standard streams as a socket: each line is a message. */
export function toLineSocket({ input, send, signal, gone }: Lines): Socket {
  let buffered = 0;
  let gate: PromiseWithResolvers<void> | undefined;
  const listeners: { message?: (text: string) => void; unreadable?: (why: string) => void } = {};

  const reading = readLines(input, LONGEST, {
    line(text) {
      listeners.message?.(text);
      return gate?.promise;
    },
    broken: () => listeners.unreadable?.("The line is not UTF-8: send one JSON object a line"),
    tooLong: () => listeners.unreadable?.(`The line is longer than ${LONGEST} bytes`),
  }).catch(() => {});
  const stopped = new Promise<void>((resolve) => {
    if (signal?.aborted) resolve();
    signal?.addEventListener("abort", () => resolve(), { once: true });
  });

  return {
    send(text) {
      buffered += text.length;
      void send(text).then(() => (buffered -= text.length));
    },
    get bufferedAmount() {
      return buffered;
    },
    onMessage: (listener) => (listeners.message = listener),
    onUnreadable: (listener) => (listeners.unreadable = listener),
    onEnd: (listener) => void Promise.race([reading, stopped]).then(listener),
    onClose: (listener) => gone?.addEventListener("abort", listener, { once: true }),
    close: () => {},
    pause: () => (gate ??= Promise.withResolvers()),
    resume() {
      gate?.resolve();
      gate = undefined;
    },
  };
}
