import type { Server } from "@modelcontextprotocol/server";
import { callDirectly, type RpcAnswer } from "./direct-call.ts";
import type { RpcMessage } from "./message.ts";
import { toOrdinaryCall } from "./ordinary-call.ts";
import type { McpSeat } from "./seat.ts";
import type { McpServerOptions } from "./server.ts";
import { offerTools } from "./tools.ts";

/** The server that a client on a line speaks with. */
export interface LineServer {
  readonly seat: McpSeat;
  readonly server: Server;
}

/** How a line is written to. */
export interface LineCallDeps {
  readonly options: McpServerOptions;
  answer(answer: RpcAnswer): Promise<void>;
  notify(notification: object): Promise<void>;
}

/** The calls on a line that go the short way, past the SDK. */
export class LineCalls implements Disposable {
  readonly #deps: LineCallDeps;
  readonly #open = new Map<unknown, AbortController>();

  constructor(deps: LineCallDeps) {
    this.#deps = deps;
  }

  /** Takes a message that it can answer, or that cancels what it does. Whether it did: all others are the SDK's. */
  take(message: RpcMessage, { seat, server }: LineServer): boolean {
    if (message.method === "notifications/cancelled") return this.#cancel(message.params?.["requestId"]);
    // Before the handshake is over nothing is ordinary.
    if (seat.era === "legacy" && !server.getClientVersion()) return false;
    const call = toOrdinaryCall(message, seat.era);
    const { options, answer, notify } = this.#deps;
    const target = call && offerTools(seat.session.list(), options.bareNames).find(call.name);
    if (!call || !target) return false;
    const control = new AbortController();
    const { signal } = control;
    this.#open.set(call.id, control);
    const old = seat.era === "legacy" && { server };
    void callDirectly(call, { target, seat, options, signal, notify, ...old }).then((given) => {
      if (this.#open.get(call.id) === control) this.#open.delete(call.id);
      // No answer follows to what the client has cancelled.
      if (!signal.aborted) void answer(given);
    });
    return true;
  }

  [Symbol.dispose](): void {
    for (const control of this.#open.values()) control.abort();
    this.#open.clear();
  }

  #cancel(id: unknown): boolean {
    const control = this.#open.get(id);
    control?.abort();
    return this.#open.delete(id);
  }
}
