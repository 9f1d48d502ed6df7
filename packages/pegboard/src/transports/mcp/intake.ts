import { PegboardError } from "../../core/error.ts";
import type { McpConnection, Wire } from "./connection.ts";
import { createPace } from "./pace.ts";

/** A client on a line that is read no faster than it reads itself. */
export interface Intake {
  readonly connection: McpConnection;
  /**
   * Takes a message as soon as those before it were taken and the client has room for answers. Nothing when the next one
   * may come at once, else a promise of that. Throws `busy` when too much waits already.
   */
  take(text: string): Promise<void> | undefined;
}

/** So much may wait to be taken. */
const MOST_WAITING = 32 * 1024 * 1024;

/** Connects a client whose line may be slow; `connect` is given the line as the connection is to see it. */
export function createIntake(wire: Wire, connect: (wire: Wire) => McpConnection): Intake {
  const pace = createPace();
  let writing: Promise<void> | undefined;
  let held: Promise<void> | undefined;
  let waiting = 0;
  const connection = connect({
    send(text) {
      pace.wrote(text.length);
      const sent = wire.send(text);
      if (sent) writing = sent;
      return sent;
    },
    close: () => wire.close(),
  });

  /** When the next message may be taken; nothing is now. */
  function next(): Promise<void> | undefined {
    const pause = pace.next(connection.open);
    // A client that does not read is not read from either.
    const room = writing;
    writing = undefined;
    return pause && room ? Promise.all([pause, room]).then(() => {}) : (pause ?? room);
  }

  async function takeLater(text: string, before: Promise<void>): Promise<void> {
    waiting += text.length;
    await before;
    waiting -= text.length;
    connection.receive(text);
    await next();
  }

  return {
    connection,
    take(text) {
      if (waiting > MOST_WAITING)
        throw new PegboardError("busy", "Too many messages wait: read the answers first", { retryable: true });
      let taken: Promise<void> | undefined;
      if (held) taken = takeLater(text, held);
      else {
        connection.receive(text);
        taken = next();
      }
      if (!taken) return undefined;
      const last = taken.then(
        () => void (held === last && (held = undefined)),
        () => void (held === last && (held = undefined)),
      );
      held = last;
      return last;
    },
  };
}
