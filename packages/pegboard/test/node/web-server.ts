import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from "node:http";
import { type AddressInfo, connect } from "node:net";
import { afterEach } from "vitest";
import type { Result } from "../../src/index.ts";
import type { WorkspaceOptions } from "../../src/node/index.ts";
import { makeFolder } from "./workspace-folder.ts";

/** A server on this machine that counts what it is asked. */
export interface WebServer {
  readonly url: string;
  /** `127.0.0.1:port`, as `web.allow` takes it. */
  readonly host: string;
  readonly requests: IncomingMessage[];
}

const closing: (() => void)[] = [];

afterEach(() => {
  for (const close of closing.splice(0)) close();
});

/** Starts a server that ends with the test. */
export async function serve(answer: RequestListener): Promise<WebServer> {
  const requests: IncomingMessage[] = [];
  const server = createServer((request, response) => {
    requests.push(request);
    answer(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  closing.push(() => {
    server.close();
    server.closeAllConnections();
  });
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  return { url: `http://${host}`, host, requests };
}

/** A proxy that notes what it is asked for. */
export interface Proxy {
  readonly url: string;
  /** Method and target of every request. */
  readonly asked: string[];
  readonly logins: (string | undefined)[];
}

/** Starts a proxy that makes tunnels, or answers with this status instead. */
export async function startProxy(status = 200): Promise<Proxy> {
  const asked: string[] = [];
  const logins: (string | undefined)[] = [];
  const server = createServer((request, response) => {
    asked.push(`${request.method} ${request.url}`);
    response.end("the proxy's own");
  });
  server.on("connect", (request, socket) => {
    asked.push(`CONNECT ${request.url}`);
    logins.push(request.headers["proxy-authorization"]);
    if (status !== 200) return socket.end(`HTTP/1.1 ${status} No\r\n\r\n`);
    const { hostname, port } = new URL(`http://${request.url}`);
    const upstream = connect(Number(port), hostname.replace(/^\[|\]$/g, ""), () => {
      socket.write("HTTP/1.1 200 OK\r\n\r\n");
      upstream.pipe(socket).pipe(upstream);
    });
    upstream.on("error", () => socket.destroy());
    socket.on("error", () => upstream.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  closing.push(() => void server.close());
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, asked, logins };
}

/** Answers with a body and its type. */
export function send(
  response: ServerResponse,
  body: string | Uint8Array,
  type = "text/html; charset=utf-8",
  status = 200,
): void {
  response.writeHead(status, { "content-type": type });
  response.end(body);
}

/** A session of a workspace that may reach these servers. */
export async function openWeb(
  servers: readonly WebServer[],
  web: Record<string, unknown> = {},
  options: WorkspaceOptions = {},
) {
  const config = { version: 1, web: { allow: servers.map(({ host }) => host), ...web } };
  const workspace = await makeFolder({ "pegboard.yaml": JSON.stringify(config) }).open({ approve: "all", ...options });
  return workspace.open();
}

/** Serves one page and fetches it. */
export async function fetchFrom(
  answer: RequestListener,
  input: Record<string, unknown> = {},
  web: Record<string, unknown> = {},
): Promise<Result & { readonly server: WebServer }> {
  const server = await serve(answer);
  const session = await openWeb([server], web);
  return { ...(await session.call("web_fetch", { url: `${server.url}/`, ...input })), server };
}

/** The page's own text in a result. */
export function textOf({ content }: Result): string {
  return (content[0] as { text: string }).text;
}

/** What the tool says besides the page's own text. */
export function noteOf({ content }: Result): string | undefined {
  return (content[1] as { text: string } | undefined)?.text;
}
