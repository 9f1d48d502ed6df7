import { type IncomingMessage, request } from "node:http";
import { isIP } from "node:net";
import { messageOf, PegboardError } from "../../core/error.ts";
import type { FetchPage, Page } from "../../tools/web/page.ts";
import { type CheckedUrl, checkUrl, type WebReach } from "./check-url.ts";
import { connect, proxyFor } from "./connect.ts";
import { readBody } from "./read-body.ts";
import { type Address, type Lookup, resolveHost, systemLookup } from "./resolve-host.ts";

/** What the operator says about fetching pages. */
export interface WebSettings extends WebReach {
  /** A proxy, or `env` for that of the environment; without it, none is used. */
  readonly proxy?: string;
  /** How much of a page is read, as it comes over the wire; four times that when it unpacks. 5 MiB by default. */
  readonly maxBytes?: number;
}

const MOST_HOPS = 5;
const MAX_BYTES = 5 * 1024 * 1024;
const REDIRECTS = [301, 302, 303, 307, 308];

const HEADERS = {
  "user-agent": "pegboard",
  accept:
    "text/html, application/xhtml+xml, text/markdown, text/*;q=0.9, application/json;q=0.9, application/xml;q=0.9, */*;q=0.1",
  "accept-language": "en, *;q=0.5",
  "accept-encoding": "gzip, deflate, br",
  connection: "close",
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
      const addresses = await resolveHost(target, lookup, signal);
      const response = await orNetworkError(target.url, signal, () => send(target, addresses, web, signal));
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

async function send(
  target: CheckedUrl,
  addresses: readonly Address[],
  web: WebSettings,
  signal: AbortSignal,
): Promise<IncomingMessage> {
  const { url, host } = target;
  const socket = await connect(target, addresses, proxyFor(target, web.proxy, process.env), signal);
  return new Promise((resolve, reject) => {
    const name = isIP(host) === 6 ? `[${host}]` : host;
    const headers = { host: url.port === "" ? name : `${name}:${url.port}`, ...HEADERS };
    // Given a connection, no agent takes part: neither pools nor the proxies of the environment.
    const sent = request({
      method: "GET",
      path: `${url.pathname}${url.search}`,
      headers,
      createConnection: () => socket,
      signal,
    });
    sent.on("response", resolve);
    sent.on("error", reject);
    sent.end();
  });
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

async function orNetworkError<T>(url: URL, signal: AbortSignal, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (signal.aborted) throw signal.reason as Error;
    if (error instanceof PegboardError) throw error;
    const { code = "" } = error as NodeJS.ErrnoException;
    // A certificate, a malformed answer or a broken packing will be the same the next time.
    const lasting = /CERT|SIGNATURE|^ERR_(TLS|SSL)|^HPE_|^Z_|^ERR_BROTLI|^ERR__/.test(code);
    throw new PegboardError(
      lasting ? "tool_error" : "unavailable",
      `${url.origin} could not be fetched: ${messageOf(error) || code}${code && ` (${code})`}`,
      { cause: error, retryable: !lasting },
    );
  }
}
