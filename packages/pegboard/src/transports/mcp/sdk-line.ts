import {
  type CallToolResult,
  type ClientCapabilities,
  type InputRequest,
  type JSONRPCMessage,
  type LoggingLevel,
  type RequestOptions,
  Server,
  type Transport,
} from "@modelcontextprotocol/server";
import { serveStdio } from "@modelcontextprotocol/server/stdio";
import type { ANYTHING } from "./anything.ts";
import type { OldServer } from "./direct-call.ts";
import type { Listed } from "./list-change.ts";
import type { RpcMessage } from "./message.ts";
import type { Place } from "./place.ts";
import type { Era } from "./seat.ts";
import { createMcpServer, LIST_CHANGED, type McpServerOptions, NO_VALIDATOR, tellListChange } from "./server.ts";

/** The connection whose messages the SDK takes. */
export interface SdkLineDeps {
  readonly place: Place;
  readonly options: McpServerOptions;
  /** Whether requests of the client have no answer yet. */
  readonly isBusy: boolean;
  /** Sends a message to the client. */
  send(message: object): Promise<void> | void;
  /** Ends the line. */
  hangUp(): void;
}

/** What the SDK serves a line with. */
interface Serving {
  readonly transport: Transport;
  readonly ending: ReturnType<typeof serveStdio>;
  era?: Era;
  server?: Server;
}

/** So long the SDK is kept when there is nothing to do for it: requests of a client come in groups. */
const REST_MS = 10;
/** After these it knows of the client what the handshake does not tell. */
const KEPT: ReadonlySet<string | undefined> = new Set(["logging/setLevel", "resources/subscribe"]);

/**
 * The SDK's part in a connection. Most of what an idle connection would weigh is the SDK's: where a client of the old era has
 * nothing open, it is let go, and when it is needed again it is made anew and the client's handshake repeated to it.
 */
export class SdkLine implements OldServer {
  readonly #deps: SdkLineDeps;
  #serving: Serving | undefined;
  /** Goes on while the handshake is repeated. */
  #waking: PromiseWithResolvers<void> | undefined;
  /** The `initialize` that is not answered yet. */
  #greeting: RpcMessage | undefined;
  /** The `initialize` that was. */
  #greeted: string | undefined;
  #capabilities: ClientCapabilities | undefined;
  #keeps = false;
  #resting: ReturnType<typeof setTimeout> | undefined;

  constructor(deps: SdkLineDeps) {
    this.#deps = deps;
  }

  /** In which era the client can be served; undefined until it has said so, or has shaken hands. */
  get era(): Era | undefined {
    if (this.#greeted !== undefined) return "legacy";
    return this.#serving?.era === "modern" ? "modern" : undefined;
  }

  /** Takes a message of the client. */
  receive(message: RpcMessage): void {
    if (this.#waking) void this.#waking.promise.then(() => this.#pass(message));
    else if (this.#serving || this.#greeted === undefined) this.#pass(message);
    // What is no request is about something that is over.
    else if (message.method !== undefined && message.id !== undefined)
      void this.#wake().then(() => this.#pass(message));
  }

  /** Nothing is open any more. */
  quiet(): void {
    if (!this.#serving || this.#greeted === undefined || this.#keeps) return;
    this.#resting ??= setTimeout(() => this.#rest(), REST_MS);
  }

  /** Tells the client that a list has changed. One that has not shaken hands yet is told nothing: it may not be. */
  listChanged(what: Listed): void {
    const server = this.#serving?.server;
    if (this.era === "legacy") void this.#deps.send({ jsonrpc: "2.0", method: LIST_CHANGED[what] });
    else if (this.era === "modern" && server) tellListChange(server, "modern", what);
  }

  /** Ends the line; what the SDK is at is cancelled. */
  async close(): Promise<void> {
    clearTimeout(this.#resting);
    if (this.#serving) await this.#serving.ending.close();
    else this.#deps.hangUp();
  }

  getClientCapabilities(): ClientCapabilities | undefined {
    return this.#capabilities;
  }

  projectCallToolResult(...given: Parameters<Server["projectCallToolResult"]>): CallToolResult {
    // Nothing else is there to be brought to its form.
    return given[0].structuredContent === undefined ? given[0] : PROJECTING.projectCallToolResult(...given);
  }

  async elicitInput(...given: Parameters<Server["elicitInput"]>): ReturnType<Server["elicitInput"]> {
    return (await this.#server()).elicitInput(...given);
  }

  async ask(request: InputRequest, schema: typeof ANYTHING, options: RequestOptions): Promise<unknown> {
    return (await this.#server()).request(request, schema, options);
  }

  async log(level: LoggingLevel, data: unknown, logger: string): Promise<void> {
    const params = { level, data, logger };
    if (this.#serving?.server) await this.#serving.server.sendLoggingMessage(params);
    // Nobody has set a level.
    else await this.#deps.send({ jsonrpc: "2.0", method: "notifications/message", params });
  }

  async #server(): Promise<Server> {
    if (this.#waking) await this.#waking.promise;
    else if (!this.#serving) await this.#wake();
    return this.#serving!.server!;
  }

  #pass(message: RpcMessage): void {
    if (message.method === "initialize") this.#greeting = message;
    this.#keeps ||= KEPT.has(message.method);
    this.#serving ??= this.#serve();
    this.#serving.transport.onmessage?.(message as JSONRPCMessage);
  }

  #serve(): Serving {
    const deps = this.#deps;
    const transport: Transport = {
      start: async () => {},
      send: async (message) => this.#say(message, transport),
      close: async () => {
        transport.onclose?.();
        if (this.#serving?.transport === transport) deps.hangUp();
      },
    };
    const create = ({ era }: { readonly era: Era }): Server => {
      serving.era = era;
      return (serving.server = createMcpServer(deps.place.seat(era), deps.options));
    };
    const serving: Serving = { transport, ending: serveStdio(create, { transport }) };
    return serving;
  }

  /** What the SDK says. */
  #say(message: JSONRPCMessage, transport: Transport): Promise<void> | void {
    // It was let go.
    if (this.#serving?.transport !== transport) return;
    const answers = "id" in message && !("method" in message);
    if (answers && this.#waking) return this.#waking.resolve();
    if (answers && message.id === this.#greeting?.id) {
      if ("result" in message && this.#serving.era === "legacy") this.#greeted = JSON.stringify(this.#greeting);
      if ("result" in message) this.#capabilities = this.#serving.server?.getClientCapabilities();
      this.#greeting = undefined;
    }
    return this.#deps.send(message);
  }

  /** Makes the SDK know the client again. */
  #wake(): Promise<void> {
    const waking = (this.#waking = Promise.withResolvers());
    // Before whatever waits for it.
    void waking.promise.then(() => {
      this.#waking = undefined;
      this.#pass(INITIALIZED);
    });
    this.#serving = this.#serve();
    this.#serving.transport.onmessage?.(JSON.parse(this.#greeted!) as JSONRPCMessage);
    return waking.promise;
  }

  #rest(): void {
    this.#resting = undefined;
    // Something may have come since.
    if (this.#deps.isBusy || this.#waking || this.#keeps) return;
    const ending = this.#serving?.ending;
    this.#serving = undefined;
    void ending?.close();
  }
}

const INITIALIZED: RpcMessage = { jsonrpc: "2.0", method: "notifications/initialized" };

/** It never serves anybody, and knows what results of the old era look like. */
const PROJECTING = new Server({ name: "projecting", version: "1" }, { jsonSchemaValidator: NO_VALIDATOR });
