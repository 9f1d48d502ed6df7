/** A line to one client that carries whole messages both ways: a WebSocket, or standard streams. */
export interface Socket {
  /** Sends a message. One that cannot be sent any more is dropped. */
  send(text: string): void;
  /** How much is on its way, in bytes or characters. */
  readonly bufferedAmount: number;
  onMessage(listener: (text: string) => void): void;
  /** Something came that is no message; `why` is a sentence. */
  onUnreadable?(listener: (why: string) => void): void;
  /** No message comes any more, but those that are sent may still arrive. */
  onEnd?(listener: () => void): void;
  /** The client is gone. */
  onClose(listener: () => void): void;
  close(code: number, reason: string): void;
  /** Lets the client wait with what it sends. */
  pause?(): void;
  resume?(): void;
}

/** Waits until a client that is slow has taken what was sent to it. */
export interface Flow {
  /** Nothing when there is room, else a promise of it. */
  room(characters: number): Promise<void> | undefined;
  /** Whether somebody would have to wait. */
  readonly full: boolean;
}

/** So much may be on its way before anybody waits. */
const HIGH = 1024 * 1024;
/** So much may wait for a client that reads nothing at all; one that lets more pile up is left. */
const MOST_WAITING = 32 * 1024 * 1024;
const STALLED_MS = 2_000;
const LOOK_MS = 10;

/**
 * Watches how fast a client reads. `over` is aborted when it is gone; a client for which too much piles up is closed. There
 * may be thousands of them: most never wait.
 */
export function createFlow(socket: Socket, over: Pick<AbortSignal, "aborted">): Flow {
  return new SocketFlow(socket, over);
}

class SocketFlow implements Flow {
  readonly #socket: Socket;
  readonly #over: Pick<AbortSignal, "aborted">;
  #waiting = 0;
  #clear: Promise<void> | undefined;

  constructor(socket: Socket, over: Pick<AbortSignal, "aborted">) {
    this.#socket = socket;
    this.#over = over;
  }

  get full(): boolean {
    return this.#socket.bufferedAmount > HIGH;
  }

  room(characters: number): Promise<void> | undefined {
    return this.full ? this.#wait(characters) : undefined;
  }

  async #wait(characters: number): Promise<void> {
    this.#waiting += characters;
    while (this.full && !this.#over.aborted) await (this.#clear ??= this.#drain());
    this.#waiting -= characters;
  }

  async #drain(): Promise<void> {
    const socket = this.#socket;
    socket.pause?.();
    let [seen, since] = [socket.bufferedAmount, performance.now()];
    while (this.full && !this.#over.aborted) {
      await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
      if (socket.bufferedAmount !== seen) [seen, since] = [socket.bufferedAmount, performance.now()];
      else if (this.#waiting > MOST_WAITING && performance.now() - since > STALLED_MS)
        socket.close(1013, "too much waits to be read: read on with the command events");
    }
    this.#clear = undefined;
    socket.resume?.();
  }
}
