import { type ClientRequest, request } from "node:http";
import { expect, it, vi } from "vitest";
import { modernCall } from "./requests.ts";
import { serveForLoad } from "./serving.ts";

const CALLS = 1_000;
const AT_ONCE = 100;

/** A call of the tool that waits, over Streamable HTTP. */
function call(port: number): ClientRequest {
  const { path, method, headers, body } = modernCall(1, "wait");
  const sent = request({ host: "127.0.0.1", port, path, method, headers, agent: false });
  sent.on("error", () => {});
  sent.end(body);
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
