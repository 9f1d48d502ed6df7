import { ProtocolError, ProtocolErrorCode, SdkError, SdkErrorCode } from "@modelcontextprotocol/client";
import type { Wire } from "./wire.ts";

/** How far a request is, as a server tells it. */
export interface Report {
  readonly message: string;
  readonly current: number;
  readonly total?: number;
}

/** What a request is sent with besides its parameters. */
export interface RequestOptions {
  /** Takes the request back: the server is told. */
  readonly signal: AbortSignal;
  readonly headers?: Readonly<Record<string, string>>;
  progress?(report: Report): void;
}

/** What requests are made with. */
export interface RequestsDeps {
  /** Whether a request is taken back by closing the stream that it has for itself. */
  readonly streamEach: boolean;
  /** Tells the server something, in the words of its era. */
  notify(method: string, params: Record<string, unknown>): Promise<void>;
}

interface Open extends Pick<RequestOptions, "progress"> {
  readonly control: AbortController;
  answered: boolean;
  resolve(result: object): void;
  reject(reason: unknown): void;
}

type Message = Parameters<NonNullable<Wire["onmessage"]>>[0];

/** Far from those that the SDK counts for its own requests on the same line. */
const FIRST_ID = 1_000_000_000;

/**
 * Requests past the SDK, on the line of a connection that it has made: what it does around each takes longer than all the
 * rest of a call, and it takes no answers that it does not know. All that answers none of them stays the SDK's.
 */
export class Requests {
  readonly #wire: Wire;
  readonly #deps: RequestsDeps;
  readonly #open = new Map<unknown, Open>();
  #last = FIRST_ID;

  constructor(wire: Wire, deps: RequestsDeps) {
    this.#wire = wire;
    this.#deps = deps;
    const others = wire.onmessage;
    wire.onmessage = (message: Message, extra) => {
      if (!this.#take(message)) others?.(message, extra);
    };
  }

  /** Asks, and resolves to the result as it came. Rejects with the errors of the SDK, or with the reason of the signal. */
  async send(method: string, params: RequestParams, options: RequestOptions): Promise<object> {
    const { signal, headers, progress } = options;
    signal.throwIfAborted();
    const id = ++this.#last;
    const { promise, resolve, reject } = Promise.withResolvers<object>();
    const control = new AbortController();
    this.#open.set(id, { control, resolve, reject, answered: false, ...(progress && { progress }) });
    const cancel = () => {
      reject(signal.reason);
      if (this.#deps.streamEach) control.abort();
      else void this.#deps.notify("notifications/cancelled", { requestId: id, reason: CANCELLED }).catch(() => {});
    };
    signal.addEventListener("abort", cancel);
    const _meta = { ...params._meta, ...(progress && { progressToken: id }) };
    const message = { jsonrpc: "2.0", id, method, params: { ...params, _meta } } as const;
    const sent = this.#wire.send(message as Message, {
      ...(headers && { headers }),
      ...(this.#deps.streamEach && { requestSignal: control.signal }),
      onRequestStreamEnd: () => {
        // Mostly the answer is there, and an error takes its time to be made.
        if (this.#open.get(id)?.answered === false) reject(toClosed("the answer ended before it was whole"));
      },
    });
    sent.catch(reject);
    try {
      return await promise;
    } finally {
      this.#open.delete(id);
      signal.removeEventListener("abort", cancel);
    }
  }

  /** The line has ended: whatever waits fails. */
  end(): void {
    for (const { control, reject } of this.#open.values()) {
      reject(toClosed("Connection closed"));
      control.abort();
    }
  }

  /** Whether a message was about one of these requests. */
  #take(message: Message): boolean {
    if ("method" in message) return message.method === "notifications/progress" && this.#report(message.params ?? {});
    const open = this.#open.get(message.id);
    if (!open) return false;
    open.answered = true;
    if ("error" in message) open.reject(toError(message.error));
    else if (typeof message.result === "object" && message.result !== null) open.resolve(message.result);
    else open.reject(new SdkError(SdkErrorCode.InvalidResult, "It answered with something that is no result"));
    return true;
  }

  #report({ progressToken, progress: current, total, message }: Readonly<Record<string, unknown>>): boolean {
    const open = this.#open.get(progressToken);
    if (open && typeof current === "number")
      open.progress?.({
        message: typeof message === "string" ? message : "",
        current,
        ...(typeof total === "number" && { total }),
      });
    return open !== undefined;
  }
}

/** The parameters of a request. */
export interface RequestParams {
  readonly _meta?: Readonly<Record<string, unknown>>;
  readonly [name: string]: unknown;
}

const CANCELLED = "The call was cancelled";

function toClosed(why: string): SdkError {
  return new SdkError(SdkErrorCode.ConnectionClosed, why);
}

function toError(error: unknown): ProtocolError {
  const { code, message, data } = Object(error) as { code?: unknown; message?: unknown; data?: unknown };
  const known = typeof code === "number" ? code : ProtocolErrorCode.InternalError;
  return ProtocolError.fromError(known, typeof message === "string" ? message : "It says no reason", data);
}
