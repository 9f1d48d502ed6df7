import type { Event } from "../core/event.ts";
import type { CommandType, CommandTypes } from "../transports/native/command-types.ts";
import type { WireError } from "../transports/native/wire.ts";
import { readEvents } from "./read-events.ts";
import { RemoteError, unreachable } from "./remote-error.ts";
import { toRequest } from "./to-request.ts";

/** Where the server is, and how it is asked. */
export interface ClientOptions {
  /** Such as `http://127.0.0.1:4747`. */
  readonly url: string;
  /** What opens the server's lock. */
  readonly token?: string;
  /** In place of the global one: a handler in the same process, or one that adds what a proxy wants. */
  readonly fetch?: (request: Request) => Response | Promise<Response>;
}

/** How one command is sent. */
export interface SendOptions {
  /** The session that it is about. */
  readonly session?: string;
  /** Leaves the command, which cancels it. */
  readonly signal?: AbortSignal;
}

/** What a command takes. */
export type ParamsOf<Type extends CommandType> = CommandTypes[Type]["params"];
/** What a command answers. */
export type AnswerOf<Type extends CommandType> = CommandTypes[Type]["result"];

/** A server of ours, from afar. Whatever it refuses, and whatever keeps it from answering, is a `RemoteError`. */
export interface Channel {
  /** Sends a command. Resolves to its answer. */
  send<Type extends CommandType>(type: Type, params: ParamsOf<Type>, options?: SendOptions): Promise<AnswerOf<Type>>;
  /** Sends a command. Yields the events that lead to its answer, and returns that. Whoever stops early cancels it. */
  stream<Type extends CommandType>(
    type: Type,
    params: ParamsOf<Type>,
    options?: SendOptions,
  ): AsyncGenerator<Event, AnswerOf<Type>, undefined>;
}

/** Makes the way to a server. Nothing is sent yet. */
export function createChannel({ url, token, fetch: given }: ClientOptions): Channel {
  const base = `${url.replace(/\/+$/, "")}/v1`;
  const ask = given ?? ((request: Request) => fetch(request));

  async function request(type: CommandType, params: object, accept: string, options: SendOptions): Promise<Response> {
    const { session, signal } = options;
    const { method, path, body } = toRequest(type, params, session);
    const headers = {
      accept,
      ...(token !== undefined && { authorization: `Bearer ${token}` }),
      ...(body !== undefined && { "content-type": "application/json" }),
    };
    const init = { method, headers, ...(body !== undefined && { body }), ...(signal && { signal }) };
    return ask(new Request(base + path, init));
  }

  return {
    async send(type, params, options = {}) {
      try {
        const response = await request(type, params, "application/json", options);
        return (await readAnswer(response)) as AnswerOf<typeof type>;
      } catch (error) {
        throw toRemoteError(error, url, options.signal);
      }
    },
    async *stream(type, params, options = {}) {
      try {
        const response = await request(type, params, NDJSON, options);
        // A lock in front of the protocol says no in its own way.
        if (!response.headers.get("content-type")?.startsWith(NDJSON)) return await readAnswer(response);
        for await (const event of readEvents(response.body!)) {
          // In one process the server may still have answered.
          options.signal?.throwIfAborted();
          if (event.type === "error") throw new RemoteError(event.data);
          if (event.final) return event.data as AnswerOf<typeof type>;
          yield event.data;
        }
        throw unreachable("The connection ended before the answer");
      } catch (error) {
        throw toRemoteError(error, url, options.signal);
      }
    },
  };
}

const NDJSON = "application/x-ndjson";

async function readAnswer(response: Response): Promise<any> {
  const { ok, status } = response;
  const text = await response.text();
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw unreachable(`The answer, with status ${status}, is not that of a server of ours`, error);
  }
  if (ok) return value;
  const { error } = Object(value) as { readonly error?: Partial<WireError> };
  const { code = "unavailable", message = `The server answers with status ${status}`, retryable = false } = error ?? {};
  throw new RemoteError({ ...error, code, name: error?.name ?? code.toUpperCase(), message, retryable });
}

function toRemoteError(thrown: unknown, url: string, signal: AbortSignal | undefined): RemoteError {
  if (thrown instanceof RemoteError) return thrown;
  if (!signal?.aborted) return unreachable(`${url} cannot be reached: is the server running?`, thrown);
  const message = "The command was left before its answer";
  return new RemoteError({ code: "cancelled", name: "CANCELLED", message, retryable: false }, { cause: thrown });
}
