import { PegboardError } from "../../core/error.ts";
import { type RpcError, toRpcError } from "./message.ts";
import type { RpcId } from "./message-params.ts";

/** More than this is no message; results are bounded elsewhere. */
export const MOST_BYTES = 16 * 1024 * 1024;

const TRY_LATER = -32000;

/** An answer of our own. */
export function refuse(status: number, error: RpcError): Response {
  return Response.json({ id: null, ...error }, { status });
}

/** The answer where there is too much to do, or no more is taken. Throws what is anything else. */
export function refuseWork(error: unknown, id?: RpcId): Response {
  if (!(error instanceof PegboardError) || !error.retryable) throw error;
  return refuse(503, toRpcError(TRY_LATER, `${error.code}: ${error.message}`, id));
}
