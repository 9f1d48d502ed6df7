import type { ErrorCode, Failure, Json } from "@pegboard/contract";

/** The one error class. Inside it is thrown; at every boundary it travels as data (`toFailure`). */
export class PegboardError extends Error {
  override readonly name = "PegboardError";
  readonly code: ErrorCode;
  readonly retryable: boolean;
  readonly details?: Json;

  constructor(code: ErrorCode, message: string, options: ErrorOptions & { retryable?: boolean; details?: Json } = {}) {
    super(message, options);
    this.code = code;
    this.retryable = options.retryable ?? false;
    if (options.details !== undefined) this.details = options.details;
  }
}

/** Anything that was thrown, as a failure: ours keeps its code, everything else is the tool's own. Never throws. */
export function toFailure(thrown: unknown): Failure {
  if (thrown instanceof PegboardError) {
    const { code, message, retryable, details } = thrown;
    return { code, message, retryable, ...(details !== undefined && { details }) };
  }
  return { code: "tool_error", message: messageOf(thrown), retryable: false };
}

/** The message of whatever was thrown, also of a string, of nothing, or of a value that throws when read. */
export function messageOf(thrown: unknown): string {
  try {
    if (typeof thrown === "string" && thrown !== "") return thrown;
    const { message } = Object(thrown) as { message?: unknown };
    if (typeof message === "string" && message !== "") return message;
    if (thrown instanceof Error) return thrown.name;
    if (thrown === undefined || thrown === null || thrown === "") return "The tool failed without saying why";
    return JSON.stringify(thrown) ?? String(thrown);
  } catch {
    return "The tool failed with a value that cannot be read";
  }
}
