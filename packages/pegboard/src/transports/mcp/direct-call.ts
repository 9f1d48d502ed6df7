import {
  type InputRequest,
  type LoggingLevel,
  LOG_LEVEL_META_KEY,
  type RequestOptions,
  SERVER_INFO_META_KEY,
  type ServerContext,
} from "@modelcontextprotocol/server";
import type { ANYTHING } from "./anything.ts";
import type { CallServer } from "./attend-call.ts";
import type { CancelSignal } from "./call-signal.ts";
import { callTool } from "./call-tool.ts";
import { LEVELS, type RpcId } from "./message-params.ts";
import type { OrdinaryCall } from "./ordinary-call.ts";
import type { McpSeat } from "./seat.ts";
import type { McpServerOptions } from "./server.ts";
import type { Target } from "./tools.ts";

/** What an ordinary call is made with. */
export interface DirectCallDeps {
  readonly target: Target;
  readonly seat: McpSeat;
  readonly options: McpServerOptions;
  /** Cancels the call. */
  readonly signal: CancelSignal;
  /** Tells the client something on the way. */
  notify(notification: object): Promise<void> | void;
  /** In the old era: the server that shook hands, by which the client is asked. */
  readonly server?: OldServer | undefined;
}

/** What calls of the old era need of the server that shook hands. */
export interface OldServer extends CallServer {
  /** Asks the client, and waits for its answer. */
  ask(request: InputRequest, schema: typeof ANYTHING, options: RequestOptions): Promise<unknown>;
  /** Tells the client of something that it may want to know. */
  log(level: LoggingLevel, data: unknown, logger: string): Promise<void>;
}

/** The answer to a request. */
export interface RpcAnswer {
  readonly jsonrpc: "2.0";
  readonly id: RpcId;
  readonly result?: object;
  readonly error?: { readonly code: number; readonly message: string; readonly data?: unknown };
}

const INTERNAL_ERROR = -32603;

/**
 * Makes an ordinary call, and resolves to the answer that the SDK would give. Never rejects. What the SDK does around each
 * request takes longer than the call itself.
 */
export async function callDirectly(call: OrdinaryCall, deps: DirectCallDeps): Promise<RpcAnswer> {
  const { id, name, input } = call;
  const { server, seat, target, options } = deps;
  try {
    const context = { mcpReq: new DirectRequest(call, deps) } as unknown as ServerContext;
    const result: Outcome = await callTool(server ?? NO_SERVER, seat, { name, input, target }, context);
    // In the order of the SDK, so that no client can tell which way it went.
    return { result: server ? result : stamp(result, options), jsonrpc: "2.0", id };
  } catch (error) {
    const { code, message = "Internal error", data } = Object(error) as Thrown;
    const known = typeof code === "number" ? code : INTERNAL_ERROR;
    return { jsonrpc: "2.0", id, error: { code: known, message, ...(data !== undefined && { data }) } };
  }
}

type Outcome = object & { readonly _meta?: object | undefined; readonly [key: string]: unknown };

interface Thrown {
  readonly code?: unknown;
  readonly message?: string;
  readonly data?: unknown;
}

/** In the new era a result says of what type it is, and whose. */
function stamp(result: Outcome, { name, version }: McpServerOptions): Outcome {
  return {
    resultType: "complete",
    ...result,
    _meta: { ...result._meta, [SERVER_INFO_META_KEY]: { name, version } },
  };
}

/** What a call needs of a server; in the new era nothing is asked while it waits. */
const NO_SERVER: CallServer = {
  projectCallToolResult: (result) => result,
  getClientCapabilities: () => undefined,
  elicitInput: () => Promise.reject(new Error("Nothing is asked while a call waits")),
};

/** As much of the context of a request as calls use. */
class DirectRequest {
  readonly id: RpcId;
  readonly _meta: OrdinaryCall["meta"];
  readonly #deps: DirectCallDeps;

  constructor({ id, meta }: OrdinaryCall, deps: DirectCallDeps) {
    this.id = id;
    this._meta = meta;
    this.#deps = deps;
  }

  /** What every request of the new era says of its client. */
  get envelope(): OrdinaryCall["meta"] | undefined {
    return this.#deps.server ? undefined : this._meta;
  }

  get signal(): CancelSignal {
    return this.#deps.signal;
  }

  requestState(): undefined {}

  async notify(notification: object): Promise<void> {
    await this.#deps.notify(notification);
  }

  async log(level: LoggingLevel, data: unknown, logger: string): Promise<void> {
    const { server } = this.#deps;
    if (server) return server.log(level, data, logger);
    const least = LEVELS.indexOf(this._meta[LOG_LEVEL_META_KEY] as string);
    if (least !== -1 && LEVELS.indexOf(level) >= least)
      await this.#deps.notify({ method: "notifications/message", params: { level, data, logger } });
  }

  /** Only in the old era. */
  send(request: InputRequest, schema: typeof ANYTHING, options: RequestOptions): Promise<unknown> {
    return this.#deps.server!.ask(request, schema, options);
  }
}
