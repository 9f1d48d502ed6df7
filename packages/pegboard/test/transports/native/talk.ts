import type { Socket } from "../../../src/transports/native/socket.ts";
import type { WireEvent } from "../../../src/transports/native/wire.ts";

/** A command, right or wrong. */
export interface Sent {
  readonly id?: string | number;
  readonly [key: string]: unknown;
}

/** A socket whose other end is a test. */
export interface Talk {
  readonly socket: Socket;
  /** Everything that came, in order. */
  readonly events: WireEvent[];
  /** How it was closed by the server. */
  readonly closed: { code: number; reason: string }[];
  /** Sends a text as it is. */
  raw(text: string): void;
  /** Takes what the server sends. */
  hear(text: string): void;
  /** Sends a command, and resolves to its events once the final one is there. */
  send(command: Sent): Promise<readonly WireEvent[]>;
  /** Resolves to the first event that fits, also one that came already. */
  until(fits: (event: WireEvent) => boolean): Promise<WireEvent>;
  /** The client sends no more. */
  end(): void;
  /** The client goes away. */
  leave(): void;
  /** How much the client has not read. */
  unread: number;
}

/** Makes both ends of a socket; or, with a way to send, the end of a client alone. */
export function makeTalk(far?: { send(text: string): void }): Talk {
  const listeners: { message?: (text: string) => void; end?: () => void; close?: () => void } = {};
  const waiting = new Set<() => void>();
  const talk: Talk = {
    events: [],
    closed: [],
    unread: 0,
    socket: {
      send: (text) => talk.hear(text),
      get bufferedAmount() {
        return talk.unread;
      },
      onMessage: (listener) => (listeners.message = listener),
      onEnd: (listener) => (listeners.end = listener),
      onClose: (listener) => (listeners.close = listener),
      close(code, reason) {
        talk.closed.push({ code, reason });
        listeners.close?.();
      },
    },
    raw: (text) => (far ? far.send(text) : listeners.message!(text)),
    hear(text) {
      talk.events.push(JSON.parse(text) as WireEvent);
      for (const look of waiting) look();
    },
    async send(command) {
      const from = talk.events.length;
      talk.raw(JSON.stringify(command));
      const { id = null } = command;
      const own = () => talk.events.slice(from).filter((event) => event.id === id);
      await talk.until((event) => event.final && own().includes(event));
      return own();
    },
    until: (fits) =>
      new Promise((resolve) => {
        const look = () => {
          const found = talk.events.find(fits);
          if (!found) return;
          waiting.delete(look);
          resolve(found);
        };
        waiting.add(look);
        look();
      }),
    end: () => listeners.end?.(),
    leave: () => listeners.close?.(),
  };
  return talk;
}
