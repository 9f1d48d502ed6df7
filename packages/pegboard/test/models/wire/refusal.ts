import type { Format } from "../fake-provider.ts";
import type { Answer } from "./answer.ts";

/** A refusal in the words of a provider. `code` is what OpenAI calls so; `details` is Google's. */
export function refusal(
  format: Format,
  status: number,
  message: string,
  { code, details, headers }: { code?: string; details?: unknown[]; headers?: Record<string, string> } = {},
): Answer {
  return { status, body: { ...errorOf(format, status, message, code, details) }, ...(headers && { headers }) };
}

/** The error as it stands in a body, or in a stream. */
export function errorOf(format: Format, status: number, message: string, code?: string, details?: unknown[]): object {
  switch (format) {
    case "google":
      return { error: { code: status, message, status: "FAKE", ...(details && { details }) } };
    case "anthropic":
      return { type: "error", error: { type: code ?? "api_error", message } };
    default:
      return { error: { message, type: code ?? "server_error", param: null, code: code ?? null } };
  }
}
