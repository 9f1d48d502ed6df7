import { messageOf, PegboardError } from "../../core/error.ts";
import { statusError } from "../http-status.ts";

/** What every provider is made of. */
export interface SearchSettings {
  /** Another address of the service than its own. */
  readonly url?: string;
  /** The value of a key by its name, such as `BRAVE_API_KEY`; undefined when there is none. */
  key(name: string): string | undefined | Promise<string | undefined>;
}

/** One request to a provider. */
export interface SearchRequest {
  readonly provider: string;
  readonly url: URL;
  readonly headers?: Readonly<Record<string, string>>;
  /** Sent as JSON by POST; without it, the request is a GET. */
  readonly body?: unknown;
  readonly signal: AbortSignal;
}

const MOST_EXCERPT = 500;

/**
 * Sends a request and reads its JSON. Redirects are refused: they would carry the key elsewhere. Throws `unavailable` for a
 * network error, what `statusError` says for a failed answer, and `tool_error` for one that is not JSON.
 */
export async function requestJson({ provider, url, headers = {}, body, signal }: SearchRequest): Promise<unknown> {
  const init = body === undefined ? {} : { method: "POST", body: JSON.stringify(body) };
  const type: Record<string, string> = body === undefined ? {} : { "content-type": "application/json" };
  try {
    const response = await fetch(url, {
      ...init,
      headers: { accept: "application/json", ...type, ...headers },
      redirect: "error",
      signal,
    });
    const text = await response.text();
    if (!response.ok)
      throw statusError(
        `${provider} answered ${response.status}`,
        response.status,
        text.slice(0, MOST_EXCERPT).trim(),
        response.headers.get("retry-after") ?? undefined,
      );
    return parseJson(provider, text);
  } catch (error) {
    if (signal.aborted) throw signal.reason;
    if (error instanceof PegboardError) throw error;
    const { cause } = error as { cause?: { code?: string } };
    throw new PegboardError(
      "unavailable",
      `${provider} could not be reached at ${url.origin}: ${cause?.code ?? messageOf(error)}`,
      { cause: error, retryable: true },
    );
  }
}

/** The first of these keys that has a value. Throws `unavailable`, naming them all, when none has. */
export async function needKey(provider: string, { key }: SearchSettings, ...names: readonly string[]): Promise<string> {
  for (const name of names) {
    const value = await key(name);
    if (value) return value;
  }
  throw new PegboardError(
    "unavailable",
    `web_search with the provider ${provider} needs a key: set ${names.join(" or ")} in the environment`,
  );
}

function parseJson(provider: string, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new PegboardError(
      "tool_error",
      `${provider} answered with something that is not JSON: ${text.slice(0, 100)}`,
      { cause: error },
    );
  }
}

/** The items of a list that may not be there, as objects. */
export function listOf(value: unknown): readonly Readonly<Record<string, unknown>>[] {
  return Array.isArray(value) ? value.filter((item) => typeof item === "object" && item !== null) : [];
}

/** A field that should be text. */
export function textOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}
