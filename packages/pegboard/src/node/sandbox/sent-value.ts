import { ERRORS, type ErrorCode } from "@pegboard/contract";
import { messageOf, PegboardError } from "../../core/error.ts";
import { toBase64, toJson } from "../../core/to-json.ts";
import type { SentError, SentValue } from "./plugin-protocol.ts";

/** A value as it is sent, and of a very big one its beginning. Throws for what has no JSON form. */
export function toSentValue(value: unknown): SentValue {
  if (value === undefined) return {};
  if (value instanceof Error) return { error: toSentError(value) };
  if (value instanceof Uint8Array) return { base64: toBase64(value) };
  return { value: toJson(value).json };
}

/** A value as it is sent, whole. Throws `tool_error` for one that is too big, too. */
export function toWholeValue(value: unknown): SentValue {
  const { json, complete } = toJson(value);
  if (complete) return { value: json };
  throw new PegboardError("tool_error", "What the plugin returned is too big: a client could not take it");
}

/** The value that was sent. */
export function fromSentValue({ value, base64, error }: SentValue): unknown {
  if (error) return fromSentError(error);
  return base64 === undefined ? value : new Uint8Array(Buffer.from(base64, "base64"));
}

/** Whatever was thrown, as it is sent; the code of its author stays. */
export function toSentError(thrown: unknown): SentError {
  const { code, retryable } = Object(thrown) as { readonly code?: unknown; readonly retryable?: unknown };
  return {
    message: messageOf(thrown),
    ...(typeof code === "string" && { code }),
    ...(retryable === true && { retryable }),
    ...(thrown instanceof PegboardError && {
      ours: true,
      ...(thrown.details !== undefined && { details: thrown.details }),
    }),
  };
}

/** The error that was sent. What was sent is not trusted. */
export function fromSentError(sent: SentError): Error {
  const { message, code, retryable, ours, details } = Object(sent) as SentError;
  if (ours && Object.hasOwn(ERRORS, String(code)))
    return new PegboardError(code as ErrorCode, String(message), {
      retryable: retryable === true,
      ...(details !== undefined && { details }),
    });
  return Object.assign(new Error(String(message)), {
    ...(typeof code === "string" && { code }),
    ...(retryable === true && { retryable }),
  });
}
