import type { IncomingMessage } from "node:http";
import { PegboardError } from "../../core/error.ts";
import type { FetchPage, Page } from "../../tools/web/page.ts";
import { checkUrl } from "./check-url.ts";
import { exchange, orNetworkError, type WebWay } from "./exchange.ts";
import { readBody } from "./read-body.ts";
import { type Lookup, systemLookup } from "./resolve-host.ts";

/** What the operator says about fetching pages. */
export interface WebSettings extends WebWay {
  /** How much of a page is read, as it comes over the wire; four times that when it unpacks. 5 MiB by default. */
  readonly maxBytes?: number;
}

const MOST_HOPS = 5;
const MAX_BYTES = 5 * 1024 * 1024;
const REDIRECTS = [301, 302, 303, 307, 308];

const HEADERS = {
  accept:
    "text/html, application/xhtml+xml, text/markdown, text/*;q=0.9, application/json;q=0.9, application/xml;q=0.9, */*;q=0.1",
  "accept-language": "en, *;q=0.5",
};

/**
 * Fetches pages of the public internet. At every hop the host is resolved, refused when any of its addresses is not public,
 * and connected to at an address that was checked: nothing is sent to any other. Cookies and credentials are never sent.
 */
export function createFetchPage(settings: () => WebSettings, lookup: Lookup = systemLookup): FetchPage {
  return async (text, { signal, reads }) => {
    const web = settings();
    let target = checkUrl(text, web);
    for (let hop = 0; ; hop++) {
      const response = await exchange(target, { method: "GET", headers: HEADERS }, { web, lookup, signal });
      const { statusCode, headers } = response;
      if (!REDIRECTS.includes(statusCode!) || headers.location === undefined) {
        return await orNetworkError(target.url, signal, () =>
          toPage(target.url, response, reads, web.maxBytes ?? MAX_BYTES),
        );
      }
      response.destroy();
      if (hop === MOST_HOPS) throw new PegboardError("tool_error", `${text} redirects more than ${MOST_HOPS} times`);
      // Header bytes arrive as Latin-1; servers mean UTF-8.
      target = checkUrl(Buffer.from(headers.location, "latin1").toString(), web, target.url);
    }
  };
}

async function toPage(
  url: URL,
  response: IncomingMessage,
  reads: (contentType: string) => boolean,
  maxBytes: number,
): Promise<Page> {
  const { statusCode = 0, headers } = response;
  const contentType = headers["content-type"] ?? "";
  const wanted = reads(contentType);
  const body = wanted ? await readBody(response, maxBytes) : { bytes: new Uint8Array() };
  response.destroy();
  return {
    url: url.href,
    status: statusCode,
    contentType,
    ...body,
    ...(headers["content-length"] !== undefined && { size: Number(headers["content-length"]) }),
    ...(headers["retry-after"] !== undefined && { retryAfter: headers["retry-after"] }),
  };
}
