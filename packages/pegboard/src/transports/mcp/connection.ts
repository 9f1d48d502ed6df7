import { isJSONRPCRequest } from "@modelcontextprotocol/server";
import { CallSignal } from "./call-signal.ts";
import { callDirectly } from "./direct-call.ts";
import type { ListChanges, Listed, ListReader } from "./list-change.ts";
import { INVALID_REQUEST, parseMessage, type RpcMessage, toRpcError } from "./message.ts";
import { toOrdinaryCall } from "./ordinary-call.ts";
import type { Place } from "./place.ts";
import { SdkLine, type SdkLineDeps } from "./sdk-line.ts";
import type { McpServerOptions } from "./server.ts";
import { offerTools } from "./tools.ts";

/** A line on which messages go out, one text each. */
export interface Wire {
  /** Sends a message. Resolves when the next one may be sent; until then nothing more should be read. */
  send(text: string): Promise<void> | void;
  /** Ends the line. */
  close(): void;
}

/** A client on a line. */
export interface McpConnection {
  /** Takes one message, as it came. */
  receive(text: string): void;
  /** Answers that a message could not be taken, and why. */
  refuse(code: number, why: string): void;
  /** How many requests of the client have no answer yet. */
  readonly open: number;
  /** Ends the connection; what is at work is cancelled. */
  close(): Promise<void>;
}

/** What all connections of a door share. */
export interface ConnectionDeps {
  readonly options: McpServerOptions;
  readonly lists: ListChanges;
  closed(connection: McpConnection, place: Place): void;
}

/**
 * Serves a client on a line, in the era that it speaks. Messages that are wrong are answered here: the SDK would leave them
 * without an answer. Ordinary calls go the short way, past the SDK.
 */
export class Connection implements McpConnection, SdkLineDeps, ListReader {
  readonly place: Place;
  readonly #wire: Wire;
  readonly #deps: ConnectionDeps;
  readonly #sdk: SdkLine;
  /** The requests without an answer, with what cancels those that go the short way. */
  #open: Map<unknown, CallSignal | undefined> | undefined;
  #over: Promise<void> | undefined;

  constructor(wire: Wire, place: Place, deps: ConnectionDeps) {
    this.#wire = wire;
    this.place = place;
    this.#deps = deps;
    this.#sdk = new SdkLine(this);
    deps.lists.add(this, place.session);
  }

  get options(): McpServerOptions {
    return this.#deps.options;
  }

  get open(): number {
    return this.#open?.size ?? 0;
  }

  get isBusy(): boolean {
    return this.#open !== undefined;
  }

  receive(text: string): void {
    const { message, reply } = parseMessage(text);
    if (reply) void this.#write(reply);
    if (!message || this.#over || this.#take(message)) return;
    const { id, method } = message;
    if (method !== undefined && id !== undefined && !isJSONRPCRequest(message))
      return void this.#write(toRpcError(INVALID_REQUEST, "Invalid request: what is in _meta is not understood", id));
    if (method !== undefined && id !== undefined) this.#begin(id);
    this.#sdk.receive(message);
    // No answer follows to what the client has cancelled.
    if (id === undefined && method === "notifications/cancelled") this.#end(message.params?.["requestId"]);
  }

  refuse(code: number, why: string): void {
    void this.#write({ jsonrpc: "2.0", error: { code, message: why } });
  }

  listChanged(what: Listed): void {
    this.#sdk.listChanged(what);
  }

  send(message: object): Promise<void> | void {
    const { id, method } = message as RpcMessage;
    if (id !== undefined && method === undefined) this.#end(id);
    return this.#write(message);
  }

  hangUp(): void {
    this.#wire.close();
  }

  close(): Promise<void> {
    this.#over ??= this.#close();
    return this.#over;
  }

  /** Takes a message that it can answer, or that cancels what it does. Whether it did: all others are the SDK's. */
  #take(message: RpcMessage): boolean {
    if (message.method === "notifications/cancelled") return this.#cancel(message.params?.["requestId"]);
    // Before the handshake is over nothing is ordinary.
    const { era } = this.#sdk;
    const call = era && toOrdinaryCall(message, era);
    if (!call) return false;
    const { place, options } = this;
    const target = offerTools(place.session.list(), options.bareNames).find(call.name);
    if (!target) return false;
    const signal = new CallSignal();
    this.#begin(call.id, signal);
    const notify = (notification: object) => this.#write({ jsonrpc: "2.0", ...notification });
    const server = era === "legacy" ? this.#sdk : undefined;
    void callDirectly(call, { target, seat: place.seat(era), options, signal, notify, server }).then((answer) => {
      // No answer follows to what the client has cancelled.
      if (!signal.aborted) void this.send(answer);
    });
    return true;
  }

  #cancel(id: unknown): boolean {
    const signal = this.#open?.get(id);
    if (!signal) return false;
    signal.abort();
    this.#end(id);
    return true;
  }

  #begin(id: unknown, signal?: CallSignal): void {
    (this.#open ??= new Map()).set(id, signal);
  }

  #end(id: unknown): void {
    if (!this.#open?.delete(id) || this.#open.size > 0) return;
    this.#open = undefined;
    this.#sdk.quiet();
  }

  #write(message: object): Promise<void> | void {
    return this.#wire.send(JSON.stringify(message))?.catch(() => {});
  }

  async #close(): Promise<void> {
    this.#deps.lists.delete(this);
    for (const signal of this.#open?.values() ?? []) signal?.abort();
    await this.#sdk.close();
    this.#deps.closed(this, this.place);
  }
}
