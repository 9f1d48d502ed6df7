import { PegboardError } from "../core/error.ts";

/** What a server answers that will never do better. */
const LASTING = [501, 505];

/** The error for an answer that is a failure: `rate_limited`, `unavailable`, or `tool_error` for what will stay as it is. */
export function statusError(message: string, status: number, body: string, retryAfter?: string): PegboardError {
  const code = status === 429 ? "rate_limited" : status >= 500 ? "unavailable" : "tool_error";
  const details = { status, ...(body !== "" && { body }), ...(retryAfter !== undefined && { retryAfter }) };
  return new PegboardError(code, body === "" ? message : `${message}:\n${body}`, {
    retryable: status === 429 || (status >= 500 && !LASTING.includes(status)),
    details,
  });
}

/** What the server that gave this error asked to wait, in milliseconds: it says seconds or a date. */
export function retryAfterMs(error: unknown): number | undefined {
  const { retryAfter } = Object((error as Partial<PegboardError> | undefined)?.details) as { retryAfter?: string };
  if (retryAfter === undefined) return undefined;
  const ms = /^\d+$/.test(retryAfter) ? Number(retryAfter) * 1000 : Date.parse(retryAfter) - Date.now();
  return Number.isFinite(ms) ? ms : undefined;
}

/** Does something with a signal that fires with the caller's, or with `timeout` when the time is up. */
export async function withDeadline<T>(
  timeoutMs: number,
  signal: AbortSignal,
  what: string,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const controller = new AbortController();
  const late = () =>
    controller.abort(new PegboardError("timeout", `${what} within ${timeoutMs / 1000} seconds`, { retryable: true }));
  const timer = setTimeout(late, timeoutMs);
  try {
    return await work(AbortSignal.any([signal, controller.signal]));
  } finally {
    clearTimeout(timer);
  }
}
