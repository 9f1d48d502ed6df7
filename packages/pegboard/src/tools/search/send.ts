import { messageOf, PegboardError } from "../../core/error.ts";

/** One request to a search service. */
export interface SearchRequest {
  readonly url: URL;
  readonly method: "GET" | "POST";
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  /** Ends everything at once. */
  readonly signal: AbortSignal;
}

/** What the service answered. */
export interface SearchAnswer {
  /** 0 where the platform hides the status of a redirect. */
  readonly status: number;
  readonly text: string;
  /** As the service wrote it: seconds or a date. */
  readonly retryAfter?: string;
}

/**
 * Sends a request, which holds a key, to the service and nowhere else: a redirect is an answer, not followed. Throws
 * `unavailable` (retryable) when no answer came.
 */
export type SendSearch = (request: SearchRequest) => Promise<SearchAnswer>;

/** Sends by the platform's `fetch`. */
export const sendByFetch: SendSearch = async ({ url, signal, ...request }) => {
  try {
    const response = await fetch(url, {
      ...request,
      signal,
      redirect: "manual",
      credentials: "omit",
      referrerPolicy: "no-referrer",
    });
    const retryAfter = response.headers.get("retry-after");
    return { status: response.status, text: await response.text(), ...(retryAfter !== null && { retryAfter }) };
  } catch (error) {
    if (signal.aborted) throw signal.reason;
    const { cause } = error as { cause?: { code?: string } };
    throw new PegboardError("unavailable", `${url.origin} could not be reached: ${cause?.code ?? messageOf(error)}`, {
      cause: error,
      retryable: true,
    });
  }
};
