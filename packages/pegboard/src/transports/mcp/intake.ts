import { PegboardError } from "../../core/error.ts";
import type { McpConnection, Wire } from "./connection.ts";
import { Pace } from "./pace.ts";

/** So much may wait to be taken. */
const MOST_WAITING = 32 * 1024 * 1024;

/** A client on a line that is read no faster than it reads itself. The connection has this for its line. */
export class Intake implements Wire {
  readonly connection: McpConnection;
  readonly #wire: Wire;
  readonly #pace = new Pace();
  /** Pending while the client has yet to take something. */
  #writing: Promise<void> | undefined;
  /** Pending while messages wait. */
  #held: Promise<void> | undefined;
  #waiting = 0;

  /** Connects a client whose line may be slow; `connect` is given the line as the connection is to see it. */
  constructor(wire: Wire, connect: (wire: Wire) => McpConnection) {
    this.#wire = wire;
    this.connection = connect(this);
  }

  send(text: string): Promise<void> | void {
    this.#pace.wrote(text.length);
    const sent = this.#wire.send(text);
    if (sent) this.#writing = sent;
    return sent;
  }

  close(): void {
    this.#wire.close();
  }

  /**
   * Takes a message as soon as those before it were taken and the client has room for answers. Nothing when the next one
   * may come at once, else a promise of that. Throws `busy` when too much waits already.
   */
  take(text: string): Promise<void> | undefined {
    if (this.#waiting > MOST_WAITING)
      throw new PegboardError("busy", "Too many messages wait: read the answers first", { retryable: true });
    const taken = this.#held ? this.#takeLater(text, this.#held) : this.#takeNow(text);
    if (!taken) return undefined;
    const free = () => {
      if (this.#held === last) this.#held = undefined;
    };
    const last = taken.then(free, free);
    this.#held = last;
    return last;
  }

  #takeNow(text: string): Promise<void> | undefined {
    this.connection.receive(text);
    return this.#next();
  }

  async #takeLater(text: string, before: Promise<void>): Promise<void> {
    this.#waiting += text.length;
    await before;
    this.#waiting -= text.length;
    await this.#takeNow(text);
  }

  /** When the next message may be taken; nothing is now. */
  #next(): Promise<void> | undefined {
    const pause = this.#pace.next(this.connection.open);
    // A client that does not read is not read from either.
    const room = this.#writing;
    this.#writing = undefined;
    return pause && room ? Promise.all([pause, room]).then(() => {}) : (pause ?? room);
  }
}
