import type { Json } from "@pegboard/contract";
import { messageOf, PegboardError } from "../../core/error.ts";
import type { Wire } from "./wire.ts";

const MOST = 2_000;

/** The error of a server that does not do what was asked of it, with what it said last. */
export function toServerError(label: string, what: string, thrown: unknown, wire: Wire): PegboardError {
  if (thrown instanceof PegboardError) {
    const { code, message, retryable, details } = thrown;
    return new PegboardError(code, `MCP server "${label}" ${what}: ${message}`, {
      cause: thrown,
      retryable,
      ...(details !== undefined && { details }),
    });
  }
  const { code } = Object(thrown) as { code?: unknown };
  const why = wire.lastWords?.() ?? reasonOf(thrown);
  const message = `MCP server "${label}" ${what}: ${why.slice(0, MOST)}`;
  const details = { mcp: typeof code === "string" || typeof code === "number" ? code : null, ...statusOf(thrown) };
  const requiredCapabilities = missingIn(thrown);
  if (code === MISSING_CAPABILITY && requiredCapabilities)
    return new PegboardError("unavailable", message, { cause: thrown, details: { ...details, requiredCapabilities } });
  if (typeof code === "number")
    return new PegboardError(code === INVALID_PARAMS ? "invalid_input" : "tool_error", message, {
      cause: thrown,
      details,
    });
  if (code === "INVALID_RESULT" || code === "UNSUPPORTED_RESULT_TYPE")
    return new PegboardError("invalid_output", message, { cause: thrown, details });
  return new PegboardError("unavailable", message, { cause: thrown, details, retryable: isRetryable(code) });
}

/** Whether the other side ended, or does not know the way that was tried. */
export function isClosed(error: unknown): boolean {
  const { mcp, status } = detailsOf(error);
  return (
    (typeof mcp === "string" && CLOSED.includes(mcp)) ||
    (typeof status === "number" && [400, 404, 405, 406, 415].includes(status))
  );
}

/** Whether an address has forgotten the session of a connection: nothing was done. */
export function isForgotten(error: unknown): boolean {
  return detailsOf(error).status === 404;
}

/** What a server says that its client would have to be able to do. */
function missingIn(thrown: unknown): Json | undefined {
  const { data } = Object(thrown) as { data?: unknown };
  return (Object(data) as { requiredCapabilities?: Json }).requiredCapabilities;
}

const INVALID_PARAMS = -32602;
const MISSING_CAPABILITY = -32021;
const CLOSED = ["CONNECTION_CLOSED", "NOT_CONNECTED", "SEND_FAILED", "ERA_NEGOTIATION_FAILED"];

// What was under way when a server ended may have been done.
function isRetryable(code: unknown): boolean {
  return typeof code !== "string" || !CLOSED.includes(code);
}

function detailsOf(error: unknown): { readonly mcp?: unknown; readonly status?: unknown } {
  return error instanceof PegboardError ? (Object(error.details) as { mcp?: unknown; status?: unknown }) : {};
}

function statusOf(thrown: unknown): { readonly status?: number } {
  for (const error of causesOf(thrown)) {
    const { data } = Object(error) as { data?: unknown };
    const { status } = Object(data) as { status?: unknown };
    if (typeof status === "number") return { status };
  }
  return {};
}

/** `fetch failed` alone helps nobody: what is behind it does. */
function reasonOf(thrown: unknown): string {
  return causesOf(thrown)
    .map(messageOf)
    .reduce((said, message) => (said.includes(message) ? said : `${said} (${message})`));
}

function causesOf(thrown: unknown): unknown[] {
  const causes = [thrown];
  while (causes.length < 5) {
    const { cause, data } = Object(causes.at(-1)) as { cause?: unknown; data?: { cause?: unknown } };
    const next = cause ?? (Object(data) as { cause?: unknown }).cause;
    if (next === undefined) break;
    causes.push(next);
  }
  return causes;
}
