import type { ErrorCode } from "@pegboard/contract";

const STATUS: Readonly<Partial<Record<ErrorCode, number>>> = {
  invalid_input: 400,
  invalid_definition: 400,
  invalid_config: 400,
  denied: 403,
  blocked: 403,
  agent_mismatch: 403,
  untrusted: 403,
  not_found: 404,
  duplicate: 409,
  interrupted: 409,
  cancelled: 409,
  expired: 410,
  busy: 429,
  rate_limited: 429,
  budget_limit: 429,
  unavailable: 503,
  timeout: 504,
};

/** The HTTP status of an error. */
export function statusOf(code: ErrorCode): number {
  return STATUS[code] ?? 500;
}
