import { parseDuration } from "../../core/duration.ts";
import { messageOf, PegboardError } from "../../core/error.ts";
import { statusError } from "../status-error.ts";

/** What an error of a provider is told with. */
export interface ErrorContext {
  /** `provider:model`. */
  readonly id: string;
  /** The variables that can hold the key. */
  readonly keys?: readonly string[];
  /** Texts that no message may hold. */
  readonly secrets?: readonly string[];
}

// What the provider packages throw before anything is sent, by name: their classes may be of another copy of the package.
const REFUSED_HERE = ["AI_UnsupportedFunctionalityError", "AI_InvalidPromptError", "AI_InvalidArgumentError"];
const WRONG_SETTINGS = ["AI_LoadAPIKeyError", "AI_LoadSettingError", "AI_NoSuchModelError"];

// The only sign that Anthropic, Google and local servers give: their code is that of any bad request.
const TOO_LONG = /prompt is too long|input token count|context (?:length|window|size)|maximum context|exceed_context/i;

const MOST_SAID = 300;

/** The fields of an error of a provider package, read without trust in any of them. */
interface ProviderError {
  readonly name?: unknown;
  readonly statusCode?: unknown;
  readonly isRetryable?: unknown;
  readonly responseHeaders?: Readonly<Record<string, string>>;
  readonly data?: unknown;
  readonly cause?: unknown;
}

/**
 * Whatever a provider package threw or streamed, as one of our errors, retryable when trying again can help. `started` says
 * that the answer had begun.
 */
export function toModelError(thrown: unknown, context: ErrorContext, started: boolean): PegboardError {
  if (thrown instanceof PegboardError) return thrown;
  const error = Object(thrown) as ProviderError;
  const said = toSaid(thrown, context);
  if (typeof error.statusCode === "number" && error.statusCode >= 400)
    return fromStatus(error.statusCode, error, said, context);
  if (REFUSED_HERE.includes(String(error.name)))
    return new PegboardError("invalid_input", `${context.id} cannot be asked this: ${said}`, { cause: thrown });
  if (WRONG_SETTINGS.includes(String(error.name)))
    return new PegboardError("invalid_config", `${context.id} cannot be used: ${said}`, { cause: thrown });
  // A status at all, when it is no failure, is that of an answer.
  const what =
    started || error.statusCode !== undefined ? `The answer of ${context.id} broke off` : `${context.id} failed`;
  return new PegboardError("unavailable", `${what}: ${said}`, {
    cause: thrown,
    retryable: error.isRetryable !== false,
  });
}

/** The error for an answer that ended before it was complete. */
export function cutOff({ id }: ErrorContext): PegboardError {
  return new PegboardError("unavailable", `The answer of ${id} was cut off`, { retryable: true });
}

/** The error for an answer that the provider itself calls failed. */
export function gaveUp({ id }: ErrorContext, reason: string): PegboardError {
  return new PegboardError("unavailable", `${id} gave up its answer (${reason})`, { retryable: true });
}

function fromStatus(status: number, error: ProviderError, said: string, { id, keys }: ErrorContext): PegboardError {
  const { code, type, details } = bodyOf(error.data);
  const contextLength =
    status === 413 ||
    code === "context_length_exceeded" ||
    ((status === 400 || status === 422) && TOO_LONG.test(`${String(type)} ${said}`));
  return statusError({
    model: id,
    // Google calls a wrong key a bad request.
    status: details.some(({ reason }) => reason === "API_KEY_INVALID") ? 401 : status,
    said,
    retryAfterMs: retryAfterMs(error.responseHeaders, details),
    contextLength,
    exhausted: code === "insufficient_quota" || type === "insufficient_quota",
    ...(keys && { keys }),
  });
}

interface ErrorBody {
  readonly code: unknown;
  readonly type: unknown;
  readonly details: readonly Readonly<Record<string, unknown>>[];
}

/** The error inside a body: all providers have it under `error`, those in a stream may not wrap it. */
function bodyOf(data: unknown): ErrorBody {
  const outer = Object(data) as { error?: unknown; response?: { error?: unknown } };
  const { code, type, details } = Object(outer.error ?? outer.response?.error ?? data) as Record<string, unknown>;
  return { code, type, details: Array.isArray(details) ? details.map((detail) => Object(detail)) : [] };
}

function retryAfterMs(
  headers: Readonly<Record<string, string>> = {},
  details: ErrorBody["details"],
): number | undefined {
  const exact = Number.parseFloat(headers["retry-after-ms"] ?? "");
  if (Number.isFinite(exact)) return Math.max(0, exact);
  const after = headers["retry-after"];
  if (after !== undefined) {
    const ms = /^[\d.]+$/.test(after.trim()) ? Number(after) * 1_000 : Date.parse(after) - Date.now();
    if (Number.isFinite(ms)) return Math.max(0, Math.round(ms));
  }
  // Google says it in the body.
  const delay = details.find(({ retryDelay }) => typeof retryDelay === "string")?.["retryDelay"];
  return delay === undefined ? undefined : parseDuration(String(delay));
}

function toSaid(thrown: unknown, { secrets = [] }: ErrorContext): string {
  // What a package says of an answer that breaks off is that it could not be processed; why is in the cause.
  const { statusCode, cause } = Object(thrown) as ProviderError;
  const reason = cause !== undefined && typeof statusCode === "number" && statusCode < 400 ? cause : thrown;
  const code = codeOf(thrown);
  const message = messageOf(reason).replace(/\s+/g, " ");
  const said = code === undefined || message.includes(code) ? message : `${message} (${code})`;
  const clean = secrets.reduce((text, secret) => (secret === "" ? text : text.replaceAll(secret, "[secret]")), said);
  return clean.length <= MOST_SAID ? clean : `${clean.slice(0, MOST_SAID - 1)}…`;
}

/** The code of a network error, such as ECONNREFUSED, however often it was wrapped. */
function codeOf(thrown: unknown): string | undefined {
  let error = thrown;
  for (let depth = 0; depth < 5 && error instanceof Error; depth++, error = error.cause) {
    const { code } = error as { code?: unknown };
    if (typeof code === "string") return code;
  }
  return undefined;
}
