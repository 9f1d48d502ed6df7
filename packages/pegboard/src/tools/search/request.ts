import { PegboardError } from "../../core/error.ts";
import { statusError } from "../http-status.ts";
import { sendByFetch, type SendSearch } from "./send.ts";

/** What a provider is handed: its key, and the way to its service. */
export interface SearchDeps {
  /** The value of a key by its name, such as `BRAVE_API_KEY`; undefined when there is none. */
  key(name: string): string | undefined | Promise<string | undefined>;
  /** How a request is sent: by the platform's `fetch`, unless said otherwise. */
  readonly send?: SendSearch;
}

/** What every provider is made of. */
export interface SearchSettings extends SearchDeps {
  /** Another address of the service than its own. */
  readonly url?: string;
}

/** One question to a provider. */
export interface SearchQuestion {
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
 * network error, what `statusError` says for a failed answer, and `tool_error` for a redirect and for what is not JSON.
 */
export async function requestJson(
  { provider, url, headers, body, signal }: SearchQuestion,
  { send = sendByFetch }: Pick<SearchDeps, "send">,
): Promise<unknown> {
  const { status, text, retryAfter } = await send({
    url,
    method: body === undefined ? "GET" : "POST",
    headers: {
      accept: "application/json",
      ...(body !== undefined && { "content-type": "application/json" }),
      ...headers,
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
    signal,
  });
  // Browsers tell of a redirect that is not followed without its status.
  if (status === 0 || (status >= 300 && status < 400))
    throw new PegboardError(
      "tool_error",
      `${provider} redirects from ${url.origin}, which is not followed: the key would go elsewhere. Set web_search.url to where the service is`,
    );
  if (status >= 400)
    throw statusError(`${provider} answered ${status}`, status, text.slice(0, MOST_EXCERPT).trim(), retryAfter);
  return parseJson(provider, text);
}

/** The first of these keys that has a value. Throws `unavailable`, naming them all, when none has. */
export async function needKey(provider: string, { key }: SearchDeps, ...names: readonly string[]): Promise<string> {
  for (const name of names) {
    const value = await key(name);
    if (value) return value;
  }
  throw new PegboardError(
    "unavailable",
    `web_search with the provider ${provider} needs a key: set ${names.join(" or ")} in the environment, or web_search.key in pegboard.yaml to the secret://name that holds it`,
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
