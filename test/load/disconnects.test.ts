import { setTimeout as sleep } from "node:timers/promises";
import { expect, it } from "vitest";
import { ask, type Flood, onSocket, onSse, range } from "./floods.ts";
import { INITIALIZE, INITIALIZED, modernCall, post, toolCall } from "./requests.ts";
import { serveForLoad } from "./serving.ts";
import { openSession } from "./slow-server-process.ts";

const AT_ONCE = 100;
/** No round waits longer before its clients leave. */
const LONGEST_MS = 60;

const calls = range(AT_ONCE).map((id) => toolCall(id, "wait"));
const overOwn =
  (accept: string): Flood =>
  async (port) => {
    const path = `/v1/sessions/${await openSession(port)}/tools/wait`;
    return ask(
      port,
      range(AT_ONCE).map(() => post(path, {}, { accept })),
      true,
    );
  };

/** Calls of the tool that waits, and how their client leaves. */
const WAYS: readonly (readonly [name: string, rounds: number, begin: Flood])[] = [
  [
    "Streamable HTTP, new era",
    10,
    async (port) =>
      ask(
        port,
        range(AT_ONCE).map((id) => modernCall(id, "wait")),
        true,
      ),
  ],
  ["HTTP and SSE", 2, (port) => onSse(port, calls)],
  ["a WebSocket of MCP", 2, (port) => onSocket(port, "mcp", INITIALIZE, [INITIALIZED, ...calls])],
  [
    "a WebSocket of our own protocol",
    2,
    (port) =>
      onSocket(
        port,
        "pegboard",
        undefined,
        range(AT_ONCE).map((id) => ({ id, type: "tools.call", params: { tool: "wait" } })),
      ),
  ],
  ["our own protocol as JSON", 2, overOwn("application/json")],
  ["our own protocol as NDJSON", 2, overOwn("application/x-ndjson")],
  ["our own protocol as SSE", 2, overOwn("text/event-stream")],
];

it.each(WAYS)("tells every tool that its client has hung up, at whichever moment: %s", async (_, rounds, begin) => {
  const { port, counts } = await serveForLoad();
  for (let round = 1; round <= rounds; round++) {
    const before = counts.begun;
    const leave = await begin(port);
    // The last round of each is left when all are at work.
    if (round < rounds) await sleep(Math.random() * LONGEST_MS);
    else await expect.poll(() => counts.begun - before > AT_ONCE / 2, { timeout: 20_000 }).toBe(true);
    leave();
    await expect.poll(() => counts.begun - counts.aborted, { timeout: 20_000 }).toBe(0);
  }
  // What comes too late is not begun, or told at once.
  await sleep(200);
  expect(counts.aborted).toBe(counts.begun);
  expect(counts.begun).toBeGreaterThan(AT_ONCE / 2);
});
