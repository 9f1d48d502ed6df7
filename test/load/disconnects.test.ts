import { type ClientRequest, request } from "node:http";
import { expect, it, vi } from "vitest";
import { serveForLoad, TOKEN } from "./serving.ts";

const CALLS = 1_000;
const AT_ONCE = 100;
const REVISION = "2026-07-28";

/** A call of the tool that waits, over Streamable HTTP. */
function call(port: number): ClientRequest {
  const _meta = {
    "io.modelcontextprotocol/protocolVersion": REVISION,
    "io.modelcontextprotocol/clientCapabilities": {},
  };
  const params = { name: "wait", arguments: {}, _meta };
  const headers = {
    authorization: `Bearer ${TOKEN}`,
    "content-type": "application/json",
    accept: "application/json, text/event-stream",
    "mcp-protocol-version": REVISION,
    "mcp-method": "tools/call",
    "mcp-name": "wait",
  };
  const sent = request({ host: "127.0.0.1", port, path: "/mcp", method: "POST", headers, agent: false });
  sent.on("error", () => {});
  sent.end(JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params }));
  return sent;
}

it(`tells the tool of ${CALLS} calls that its client has hung up`, async () => {
  const { port, counts } = await serveForLoad();
  for (let made = AT_ONCE; made <= CALLS; made += AT_ONCE) {
    const calls = Array.from({ length: AT_ONCE }, () => call(port));
    await vi.waitUntil(() => counts.begun === made, { timeout: 20_000 });
    for (const one of calls) one.destroy();
    await vi.waitUntil(() => counts.aborted === made, { timeout: 20_000 });
  }
  expect(counts).toEqual({ begun: CALLS, aborted: CALLS });
});
