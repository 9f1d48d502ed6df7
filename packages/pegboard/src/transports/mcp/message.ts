import { isId, isRecord, paramsProblem, type RpcId } from "./message-params.ts";

/** A message that may be handed on, what to answer to one that may not, or nothing where an answer is not due. */
export type Checked =
  | { readonly message: RpcMessage; readonly reply?: never }
  | { readonly message?: never; readonly reply?: RpcError };

/** A message of JSON-RPC 2.0 whose frame is right: a request, a notification or a response. */
export interface RpcMessage {
  readonly jsonrpc: "2.0";
  readonly id?: RpcId;
  readonly method?: string;
  readonly params?: Readonly<Record<string, unknown>>;
  readonly [key: string]: unknown;
}

/** An answer that says what is wrong; without an id where none could be read. */
export interface RpcError {
  readonly jsonrpc: "2.0";
  readonly id?: RpcId;
  readonly error: { readonly code: number; readonly message: string };
}

export const PARSE_ERROR = -32700;
export const INVALID_REQUEST = -32600;
const METHOD_NOT_FOUND = -32601;
const INVALID_PARAMS = -32602;

/** No method is longer; what is would only be copied into the answer. */
const LONGEST_METHOD = 256;

/**
 * Reads one message. Whatever has a readable id and cannot be handed on gets an answer with that id, so that nobody waits
 * for ever; a notification or response that is wrong is dropped. Never throws.
 */
export function parseMessage(text: string): Checked {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return { reply: toRpcError(PARSE_ERROR, "Parse error: this is not JSON") };
  }
  return checkMessage(value);
}

function checkMessage(value: unknown): Checked {
  if (Array.isArray(value))
    return { reply: toRpcError(INVALID_REQUEST, "Invalid request: batches are not taken, send one message at a time") };
  if (typeof value !== "object" || value === null)
    return { reply: toRpcError(INVALID_REQUEST, "Invalid request: a message is a JSON object") };
  const { jsonrpc, id, method, params } = value as Record<string, unknown>;
  const known = isId(id) ? id : undefined;
  const refuse = (code: number, problem: string) => ({ reply: toRpcError(code, problem, known) });
  if (jsonrpc !== "2.0") return refuse(INVALID_REQUEST, `Invalid request: "jsonrpc" must be "2.0"`);
  if (method === undefined && ("result" in value || "error" in value)) {
    // Which of the two would be meant is anybody's guess.
    return "result" in value && "error" in value ? {} : { message: value as unknown as RpcMessage };
  }
  if (id !== undefined && known === undefined)
    return refuse(INVALID_REQUEST, `Invalid request: "id" must be a text or a whole number`);
  if (typeof method !== "string") return refuse(INVALID_REQUEST, `Invalid request: "method" must be a text`);
  const notification = id === undefined;
  if (method.length > LONGEST_METHOD) return notification ? {} : refuse(METHOD_NOT_FOUND, "Method not found");
  const problem = "params" in value ? paramsProblem(method, params) : paramsProblem(method, {});
  if (problem !== undefined) return notification ? {} : refuse(INVALID_PARAMS, `Invalid params: ${problem}`);
  // What else it holds means nothing, and the SDK would drop it for it.
  return {
    message: {
      jsonrpc: "2.0",
      method,
      ...(known !== undefined && { id: known }),
      ...(isRecord(params) && { params }),
    },
  };
}

/** An answer that says what is wrong. */
export function toRpcError(code: number, message: string, id?: RpcId): RpcError {
  return { jsonrpc: "2.0", ...(id !== undefined && { id }), error: { code, message } };
}
