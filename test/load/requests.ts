/** What opens the servers of these tests. */
export const TOKEN = "a-token-of-a-test-that-nobody-guesses-0000";

/** A request over HTTP, before it is sent. */
export interface HttpRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
}

const REVISION = "2026-07-28";
const clientInfo = { name: "load", version: "1.0.0" };

/** The handshake of MCP in the old era. */
export const INITIALIZE = {
  jsonrpc: "2.0",
  id: 0,
  method: "initialize",
  params: { protocolVersion: "2025-11-25", capabilities: {}, clientInfo },
};

/** The end of that handshake. */
export const INITIALIZED = { jsonrpc: "2.0", method: "notifications/initialized" };

/** A call of MCP, as it goes over any line of the old era. */
export function toolCall(id: number, name: string, input: object = {}, meta: object = {}): object {
  return { jsonrpc: "2.0", id, method: "tools/call", params: { name, arguments: input, _meta: meta } };
}

/** A POST of JSON. */
export function post(path: string, body: object, headers: Readonly<Record<string, string>> = {}): HttpRequest {
  return {
    method: "POST",
    path,
    headers: {
      authorization: `Bearer ${TOKEN}`,
      "content-type": "application/json",
      // Our own protocol would take the second one for a wish to be told everything.
      accept: path.startsWith("/v1/") ? "application/json" : "application/json, text/event-stream",
      ...headers,
    },
    body: JSON.stringify(body),
  };
}

/** A GET. */
export function get(path: string, accept = "text/event-stream"): HttpRequest {
  return { method: "GET", path, headers: { authorization: `Bearer ${TOKEN}`, accept } };
}

/** A call of MCP over Streamable HTTP in the new era. */
export function modernCall(id: number, name: string, input: object = {}, meta: object = {}): HttpRequest {
  const envelope = {
    "io.modelcontextprotocol/protocolVersion": REVISION,
    "io.modelcontextprotocol/clientCapabilities": {},
  };
  const headers = { "mcp-protocol-version": REVISION, "mcp-method": "tools/call", "mcp-name": name };
  return post("/mcp", toolCall(id, name, input, { ...envelope, ...meta }), headers);
}

/** A request as the bytes that go out. */
export function toBytes({ method, path, headers, body = "" }: HttpRequest): string {
  const all = { host: "127.0.0.1", ...headers, "content-length": String(Buffer.byteLength(body)) };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
  return `${method} ${path} HTTP/1.1\r\n${lines.join("")}\r\n${body}`;
}

/** Sends a request, and resolves to the answer. */
export function send(port: number, { path, ...init }: HttpRequest, signal?: AbortSignal): Promise<Response> {
  return fetch(`http://127.0.0.1:${port}${path}`, { ...init, ...(signal && { signal }) });
}
