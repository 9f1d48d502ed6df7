import { RequestError } from "@agentclientprotocol/sdk";
import type { ErrorCode } from "@pegboard/contract";
import { toFailure } from "../../core/error.ts";

const INTERNAL = -32603;
const NUMBERS: Partial<Record<ErrorCode, number>> = {
  not_found: -32002,
  invalid_input: -32602,
  invalid_config: -32602,
};

/** Anything that was thrown, as an error of the protocol. Its `data` carries our code. */
export function toRequestError(thrown: unknown): RequestError {
  if (thrown instanceof RequestError) return thrown;
  const { code, message, retryable } = toFailure(thrown);
  return new RequestError(NUMBERS[code] ?? INTERNAL, message, { code, retryable });
}
