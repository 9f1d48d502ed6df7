/** What came back for a URL, whatever its status. */
export interface Page {
  /** Where it came from in the end, after redirects. */
  readonly url: string;
  readonly status: number;
  /** As the server wrote it; "" when it said nothing. */
  readonly contentType: string;
  /** The body, unpacked; empty when it was not to be read. */
  readonly bytes: Uint8Array;
  /** The size of the body in bytes, as far as the server told. */
  readonly size?: number;
  /** As the server wrote it: seconds or a date. */
  readonly retryAfter?: string;
  /** Why `bytes` is not the whole body. */
  readonly partial?: string;
}

/** How a page is fetched. */
export interface FetchPageOptions {
  /** Ends everything at once. */
  readonly signal: AbortSignal;
  /** Whether the body of an answer of this type is wanted. */
  reads(contentType: string): boolean;
}

/**
 * Fetches one page, following redirects. Throws `blocked` or `invalid_input` for a URL that must not be fetched, and
 * `unavailable` (retryable) when no answer came; any answer is a page, also a 404.
 */
export type FetchPage = (url: string, options: FetchPageOptions) => Promise<Page>;
