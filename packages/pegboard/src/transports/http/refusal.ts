import type { ErrorCode } from "@pegboard/contract";

/** Why a request gets no further than the lock. */
export interface Refusal {
  readonly status: number;
  readonly code: ErrorCode;
  readonly message: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** A refusal as it is sent. */
export function refuse({ status, code, message, headers }: Refusal): Response {
  return Response.json({ error: { code, message } }, { status, headers: { ...headers, "cache-control": "no-store" } });
}
