import type { Json } from "@pegboard/contract";
import { PegboardError } from "../core/error.ts";

/** What is known of an answer that is a failure. */
export interface FailedAnswer {
  /** `provider:model`. */
  readonly model: string;
  readonly status: number;
  /** What the provider says, without secrets. */
  readonly said?: string;
  readonly retryAfterMs?: number | undefined;
  /** The request holds more tokens than the model takes. */
  readonly contextLength?: boolean;
  /** Waiting does not help: there is no money left. */
  readonly exhausted?: boolean;
  /** The variables that could hold another key. */
  readonly keys?: readonly string[];
}

/**
 * The error for an HTTP status: `rate_limited` and `unavailable` can pass, `invalid_config` is for whoever chose the model
 * and its key, `invalid_input` for a request that the provider will not take.
 */
export function statusError(answer: FailedAnswer): PegboardError {
  const { model, status, retryAfterMs, contextLength, exhausted, keys = [] } = answer;
  const said = answer.said ? `: ${answer.said}` : "";
  const details: Json = {
    status,
    ...(retryAfterMs !== undefined && { retryAfterMs }),
    ...(contextLength && { contextLength }),
  };
  if (status === 429 || status === 402) {
    const over = exhausted || status === 402;
    const why = over ? "has no credit left for this key" : "takes no more requests for now";
    return new PegboardError("rate_limited", `${model} ${why} (${status})${said}`, { retryable: !over, details });
  }
  // Not what it says: refusals of a key like to quote it.
  if (status === 401 || status === 403) {
    const fix = keys.length === 0 ? "check the key" : `check the key in ${keys.join(" or ")}`;
    return new PegboardError("invalid_config", `${model} refuses access (${status}): ${fix}`, { details });
  }
  if (status === 404)
    return new PegboardError("invalid_config", `${model} is not known to its provider (404)${said}`, { details });
  if (status >= 500 || status === 408 || status === 409)
    return new PegboardError("unavailable", `${model} cannot answer now (${status})${said}`, {
      retryable: true,
      details,
    });
  const what = contextLength ? "takes no request as long as this one" : "refuses the request";
  return new PegboardError("invalid_input", `${model} ${what} (${status})${said}`, { details });
}
