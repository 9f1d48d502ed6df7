import { PegboardError } from "../../core/error.ts";
import type { SendSearch } from "../../tools/search/send.ts";
import { type CheckedUrl, checkUrl } from "./check-url.ts";
import { exchange, orNetworkError, type WebWay } from "./exchange.ts";
import { readBody } from "./read-body.ts";
import { type Lookup, systemLookup } from "./resolve-host.ts";

/** What the operator says about the way to a search service. */
export interface SearchWay extends WebWay {
  /** Whether the operator said where the service is: then it may be in a private network. */
  readonly isOwn: boolean;
}

const MOST_BYTES = 2 * 1024 * 1024;

/**
 * Sends requests to a search service the way pages are fetched: to an address that was checked, through the proxy of the
 * settings if there is one, with the answer bounded. Throws `tool_error` for an answer that is too long.
 */
export function createSendSearch(web: SearchWay, lookup: Lookup = systemLookup): SendSearch {
  return async ({ url, signal, ...outgoing }) => {
    const response = await exchange(toTarget(url, web), outgoing, { web, lookup, signal });
    const { bytes, partial } = await orNetworkError(url, signal, () => readBody(response, MOST_BYTES));
    response.destroy();
    if (partial !== undefined)
      throw new PegboardError("tool_error", `The answer of ${url.origin} is longer than ${MOST_BYTES} bytes`);
    const retryAfter = response.headers["retry-after"];
    return {
      status: response.statusCode ?? 0,
      text: new TextDecoder().decode(bytes),
      ...(retryAfter !== undefined && { retryAfter }),
    };
  };
}

function toTarget(url: URL, web: SearchWay): CheckedUrl {
  if (!web.isOwn) return checkUrl(url.href, web);
  const port = url.port || (url.protocol === "https:" ? "443" : "80");
  return checkUrl(url.href, { allow: [`${url.hostname.replace(/\.$/, "")}:${port}`] });
}
