import { type IncomingMessage, request } from "node:http";
import { isIP } from "node:net";
import { messageOf, PegboardError } from "../../core/error.ts";
import type { CheckedUrl, WebReach } from "./check-url.ts";
import { connect, proxyFor } from "./connect.ts";
import { type Lookup, resolveHost } from "./resolve-host.ts";

/** What the operator says about reaching the web. */
export interface WebWay extends WebReach {
  /** A proxy, or `env` for that of the environment; without it, none is used. */
  readonly proxy?: string;
}

/** What is sent. */
export interface Outgoing {
  readonly method: "GET" | "POST";
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** What an exchange takes besides where it goes and what is sent. */
export interface ExchangeDeps {
  readonly web: WebWay;
  readonly lookup: Lookup;
  readonly signal: AbortSignal;
}

/**
 * One request and its answer, over a connection of its own: the host is resolved, refused when any of its addresses is not
 * public, and connected to at an address that was checked. Nothing is sent to any other, and no redirect is followed.
 */
export async function exchange(
  target: CheckedUrl,
  outgoing: Outgoing,
  { web, lookup, signal }: ExchangeDeps,
): Promise<IncomingMessage> {
  const addresses = await resolveHost(target, lookup, signal);
  return orNetworkError(target.url, signal, async () => {
    const socket = await connect(target, addresses, proxyFor(target, web.proxy, process.env), signal);
    return new Promise<IncomingMessage>((resolve, reject) => {
      const { url, host } = target;
      const name = isIP(host) === 6 ? `[${host}]` : host;
      // Given a connection, no agent takes part: neither pools nor the proxies of the environment.
      const sent = request({
        method: outgoing.method,
        path: `${url.pathname}${url.search}`,
        headers: {
          host: url.port === "" ? name : `${name}:${url.port}`,
          "user-agent": "pegboard",
          "accept-encoding": "gzip, deflate, br",
          connection: "close",
          ...outgoing.headers,
        },
        createConnection: () => socket,
        signal,
      });
      sent.on("response", resolve);
      sent.on("error", reject);
      sent.end(outgoing.body);
    });
  });
}

/** What the work gives; a failure of the network in our words, and the signal's reason when that was the cause. */
export async function orNetworkError<T>(url: URL, signal: AbortSignal, work: () => Promise<T>): Promise<T> {
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
