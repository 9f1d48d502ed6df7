import { request as httpRequest } from "node:http";
import { request as httpsRequest } from "node:https";
import { connect as connectTcp, isIP, type LookupFunction, type Socket } from "node:net";
import { connect as connectTls } from "node:tls";
import { PegboardError } from "../../core/error.ts";
import type { CheckedUrl } from "./check-url.ts";
import type { Address } from "./resolve-host.ts";

/**
 * A connection to one of these addresses and to nothing else, with TLS for an https URL, where the certificate must be
 * that of the URL's host. Through a proxy, the proxy is told the address, never the name.
 */
export async function connect(
  target: CheckedUrl,
  addresses: readonly Address[],
  proxy: URL | undefined,
  signal: AbortSignal,
): Promise<Socket> {
  const { url, host, port } = target;
  const socket = proxy && (await openSomeTunnel(proxy, addresses, port, signal));
  // The name is never resolved again: whoever asks gets the addresses that were checked.
  const lookup: LookupFunction = (_, { all }, answer) =>
    all ? answer(null, [...addresses]) : answer(null, addresses[0]!.address, addresses[0]!.family);
  const where = socket ? { socket } : { host, port, lookup, autoSelectFamily: true };
  if (url.protocol === "http:") return socket ?? connectTcp(where as { host: string; port: number });
  return connectTls({ ...where, host, ...(isIP(host) ? {} : { servername: host }), ALPNProtocols: ["http/1.1"] });
}

/** A tunnel to the first of these addresses that the proxy reaches. Rejects with what was wrong with the last one. */
async function openSomeTunnel(
  proxy: URL,
  [first, ...others]: readonly Address[],
  port: number,
  signal: AbortSignal,
): Promise<Socket> {
  try {
    return await openTunnel(proxy, first!.address, port, signal);
  } catch (error) {
    if (others.length === 0 || signal.aborted) throw error;
    return openSomeTunnel(proxy, others, port, signal);
  }
}

/** A tunnel through a proxy. Rejects with `unavailable` when the proxy does not make it. */
function openTunnel(proxy: URL, address: string, port: number, signal: AbortSignal): Promise<Socket> {
  const authority = `${isIP(address) === 6 ? `[${address}]` : address}:${port}`;
  const login = decodeURIComponent(`${proxy.username}:${proxy.password}`);
  const headers = {
    host: authority,
    ...(login !== ":" && { "proxy-authorization": `Basic ${Buffer.from(login).toString("base64")}` }),
  };
  const send = proxy.protocol === "https:" ? httpsRequest : httpRequest;
  return new Promise((resolve, reject) => {
    const request = send({
      protocol: proxy.protocol,
      host: proxy.hostname.replace(/^\[|\]$/g, ""),
      port: proxy.port || (proxy.protocol === "https:" ? 443 : 80),
      method: "CONNECT",
      path: authority,
      headers,
      agent: false,
      signal,
    });
    const fail = (why: string, retryable: boolean, cause?: unknown) =>
      reject(
        new PegboardError(
          "unavailable",
          `The proxy ${proxy.host} (web.proxy) did not connect to ${authority}: ${why}`,
          { retryable, cause },
        ),
      );
    request.on("connect", ({ statusCode }, socket: Socket, head) => {
      if (statusCode === 200 && head.length === 0) return resolve(socket);
      socket.destroy();
      fail(`it answered ${statusCode}`, statusCode === 502 || statusCode === 503);
    });
    request.on("response", ({ statusCode }) => {
      request.destroy();
      fail(`it answered ${statusCode}`, false);
    });
    request.on("error", (error: NodeJS.ErrnoException) => fail(error.code ?? error.message, true, error));
    request.end();
  });
}

/** The variables that name proxies, by scheme. Small letters win, as everywhere. */
const VARIABLES = {
  "http:": ["http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY"],
  "https:": ["https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"],
};

/**
 * The proxy for a URL: the one that `web.proxy` names, or, when it says `env`, the one of the environment unless NO_PROXY
 * names the host. Undefined is a direct connection. Throws `invalid_config` for what is no proxy.
 */
export function proxyFor(
  { url, host, port }: CheckedUrl,
  setting: string | undefined,
  env: Readonly<Record<string, string | undefined>>,
): URL | undefined {
  if (setting === undefined) return undefined;
  const fromEnv = setting === "env";
  if (fromEnv && isExcepted(host, port, env["no_proxy"] ?? env["NO_PROXY"] ?? "")) return undefined;
  const text = fromEnv ? VARIABLES[url.protocol as "http:"].map((name) => env[name]).find((value) => value) : setting;
  if (!text) return undefined;
  const proxy = URL.parse(text.includes("://") ? text : `http://${text}`);
  if (proxy?.protocol === "http:" || proxy?.protocol === "https:") return proxy;
  throw new PegboardError(
    "invalid_config",
    `${fromEnv ? "The proxy of the environment" : "web.proxy"} must be an http or https URL`,
  );
}

function isExcepted(host: string, port: number, list: string): boolean {
  return list.split(/[\s,]+/).some((entry) => {
    const [, name = "", onlyPort] = /^\*?\.?(.*?)(?::(\d+))?$/.exec(entry.toLowerCase())!;
    if (entry === "" || (onlyPort !== undefined && Number(onlyPort) !== port)) return false;
    return name === "" || host === name || host.endsWith(`.${name}`);
  });
}
