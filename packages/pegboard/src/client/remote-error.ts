import type { ErrorCode, Json } from "@pegboard/contract";
import type { WireError } from "../transports/native/wire.ts";

/** Why a server did not carry out a command. `code` is of the table of errors, `reason` one word such as TOOL_NOT_FOUND. */
export class RemoteError extends Error {
  override readonly name = "RemoteError";
  readonly code: ErrorCode;
  readonly reason: string;
  readonly retryable: boolean;
  readonly details?: Json;

  constructor({ code, name, message, retryable, details }: WireError, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
    this.reason = name;
    this.retryable = retryable;
    if (details !== undefined) this.details = details;
  }
}

/** The error of a server that cannot be reached, or that says what no server of ours says. */
export function unreachable(message: string, cause?: unknown): RemoteError {
  return new RemoteError({ code: "unavailable", name: "UNREACHABLE", message, retryable: true }, { cause });
}
