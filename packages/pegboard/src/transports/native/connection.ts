import { PegboardError } from "../../core/error.ts";
import { VERSION } from "../../version.ts";
import type { Principal } from "../principal.ts";
import type { Asker, Request } from "./carry-out.ts";
import type { NativeDeps } from "./command.ts";
import { isWork } from "./commands.ts";
import { exchange } from "./exchange.ts";
import { noSession } from "./no-session.ts";
import { type ReadCommand, readCommand } from "./read-command.ts";
import { createFlow, type Flow, type Socket } from "./socket.ts";
import { createTurns, type Turns } from "./turns.ts";
import { type CommandId, namedError, PROTOCOL, toLine, toWireError, type WireEvent } from "./wire.ts";

/** Who is at the other end of a socket. */
export interface ConnectionOptions {
  readonly native: NativeDeps;
  readonly principal: Principal;
  /** The session that commands mean which name none. By default one of this connection alone, made when it is needed. */
  readonly session?: string;
  /** Whether the client is greeted with `connected`. */
  readonly greets?: boolean;
}

/** The code that a socket is closed with when its session is not there. */
const NO_SESSION = 4004;

/** Speaks our own protocol over a socket. Resolves when the client is gone, or has sent its last and has all answers. */
export async function serveSocket(socket: Socket, options: ConnectionOptions): Promise<void> {
  const connection = new Connection(socket, options);
  await connection.open();
  await connection.close();
}

interface AtWork {
  readonly type: string;
  readonly controller: AbortController;
}

class Connection {
  readonly #socket: Socket;
  readonly #options: ConnectionOptions;
  readonly #flow: Flow;
  readonly #turns: Turns;
  readonly #gone = new AbortController();
  readonly #ended = Promise.withResolvers<void>();
  readonly #commands = new Map<CommandId, AtWork>();
  readonly #answers = new Set<Promise<void>>();
  readonly #ready = Promise.withResolvers<void>();
  /** The session that was made for this connection. */
  #own: string | undefined;

  constructor(socket: Socket, options: ConnectionOptions) {
    this.#socket = socket;
    this.#options = options;
    this.#flow = createFlow(socket, this.#gone.signal);
    this.#turns = createTurns(this.#flow, this.#gone.signal);
    socket.onMessage((text) => this.#keep(this.#answer(readCommand(text))));
    socket.onUnreadable?.((why) =>
      this.#keep(this.#answer({ id: null, problem: namedError("INVALID_MESSAGE", "invalid_input", why) })),
    );
    socket.onEnd?.(() => this.#ended.resolve());
    socket.onClose(() => {
      this.#gone.abort();
      this.#ended.resolve();
    });
  }

  /** Greets the client and answers it until it sends no more. */
  async open(): Promise<void> {
    const { session, greets } = this.#options;
    if (session !== undefined && !(await this.#finds(session))) return;
    if (greets) {
      const data = { protocol: PROTOCOL, version: VERSION, ...(session !== undefined && { session }) };
      await this.#send({ id: null, seq: 1, type: "connected", data, final: true });
    }
    this.#ready.resolve();
    await this.#ended.promise;
  }

  /** Waits for what is at work, and gives back what was made for this connection. */
  async close(): Promise<void> {
    // Nobody is left who could end these.
    for (const { type, controller } of this.#commands.values()) if (type === "events") controller.abort();
    this.#ready.resolve();
    await Promise.all(this.#answers);
    const { native, principal } = this.#options;
    if (this.#own !== undefined) await native.desk.leave(principal, this.#own);
  }

  async #finds(session: string): Promise<boolean> {
    const { native, principal } = this.#options;
    try {
      await native.desk.find(principal, session, { endsIdle: true });
      return true;
    } catch (error) {
      const missing = error instanceof PegboardError && error.code === "not_found";
      const data = toWireError(missing ? noSession(session) : error);
      await this.#send({ id: null, seq: 1, type: "error", data, final: true });
      this.#socket.close(missing ? NO_SESSION : 1011, data.name);
      this.#gone.abort();
      return false;
    }
  }

  #keep(answer: Promise<void>): void {
    this.#answers.add(answer);
    void answer.then(() => this.#answers.delete(answer));
  }

  async #answer({ id, request, problem }: ReadCommand): Promise<void> {
    await this.#ready.promise;
    if (this.#gone.signal.aborted) return;
    const taken = id !== null && this.#commands.has(id);
    if (request && !taken) return this.#carryOut(id, request);
    const error = problem ?? new PegboardError("duplicate", `A command with the id ${JSON.stringify(id)} is at work`);
    await this.#send({ id, seq: 1, type: "error", data: toWireError(error), final: true });
  }

  async #carryOut(id: CommandId | null, request: Request): Promise<void> {
    const { native, principal } = this.#options;
    const controller = new AbortController();
    const leave = () => controller.abort();
    this.#gone.signal.addEventListener("abort", leave);
    if (id !== null) this.#commands.set(id, { type: request.type, controller });
    const asker: Asker = {
      principal,
      signal: controller.signal,
      ownSession: () => this.#options.session ?? (this.#own ??= native.desk.open(principal).id),
      cancelCommand: (other) => this.#cancel(other),
    };
    const done = isWork(request.type) ? await this.#turns.next() : undefined;
    let characters = 0;
    await exchange(id, request, asker, native, (event) => {
      // The number is free again for whoever has read the last event.
      if (event.final && id !== null) this.#commands.delete(id);
      const line = toLine(event);
      if (event.final) characters = line.length;
      return this.#sendLine(line);
    });
    done?.(characters);
    this.#gone.signal.removeEventListener("abort", leave);
  }

  #cancel(id: CommandId): boolean {
    const command = this.#commands.get(id);
    // A cancel is at work too while it looks.
    if (!command || command.type === "cancel") return false;
    command.controller.abort();
    return true;
  }

  #send(event: WireEvent): Promise<void> | undefined {
    return this.#sendLine(toLine(event));
  }

  #sendLine(line: string): Promise<void> | undefined {
    if (this.#gone.signal.aborted) return undefined;
    const room = this.#flow.room(line.length);
    if (room)
      return room.then(() => {
        if (!this.#gone.signal.aborted) this.#socket.send(line);
      });
    this.#socket.send(line);
    return undefined;
  }
}
