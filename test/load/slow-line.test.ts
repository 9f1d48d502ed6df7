import { once } from "node:events";
import { createInterface } from "node:readline";
import { setTimeout as sleep } from "node:timers/promises";
import { expect, it, onTestFinished } from "vitest";
import { range } from "./floods.ts";
import { INITIALIZE, INITIALIZED, toolCall } from "./requests.ts";
import { peakOf, startProcess } from "./slow-server-process.ts";

const CALLS = 1_024;
const MEGABYTE = 1024 * 1024;

/** A client on standard streams. */
function open(door: string) {
  const child = startProcess(door);
  onTestFinished(() => void child.kill("SIGKILL"));
  const lines = createInterface(child.stdout!);
  return {
    child,
    lines,
    send: (message: object) => void child.stdin!.write(`${JSON.stringify(message)}\n`),
    next: async () => JSON.parse((await once(lines, "line"))[0] as string) as any,
  };
}

type Client = ReturnType<typeof open>;

/** Asks for a gigabyte without reading, measures, and reads until so many answers have come. */
async function flood({ child, lines, send }: Client, call: (id: number) => object, answers: number) {
  const before = await peakOf(child);
  lines.pause();
  for (const id of range(CALLS)) send(call(id));
  await sleep(2_000);
  const cost = (await peakOf(child)) - before;
  const answered = new Set<number>();
  let bytes = 0;
  const all = Promise.withResolvers<void>();
  lines.on("line", (line) => {
    bytes += line.length;
    // What leads to an answer is no answer.
    const { id, final = true } = JSON.parse(line) as { id: number; final?: boolean };
    if (final) answered.add(id);
    if (answered.size === answers) all.resolve();
  });
  lines.resume();
  await all.promise;
  // The rest may end in the middle of a line.
  lines.removeAllListeners("line");
  return { cost, bytes };
}

it("costs little memory when a client of MCP asks for a gigabyte and does not read, who gets all of it later", async () => {
  const client = open("mcp");
  client.send(INITIALIZE);
  await client.next();
  client.send(INITIALIZED);
  // What one call needs at most is not what is meant here.
  for (const id of range(20)) {
    client.send(toolCall(-id, "megabyte"));
    await client.next();
  }
  const { cost, bytes } = await flood(client, (id) => toolCall(id, "megabyte"), CALLS);
  expect(bytes).toBeGreaterThan(CALLS * MEGABYTE);
  expect(cost).toBeLessThan(64 * MEGABYTE);
});

it("costs little memory when a client of our own protocol asks for a gigabyte and does not read, who gets it later", async () => {
  const client = open("native");
  const call = (id: number) => ({ id, type: "tools.call", params: { tool: "megabyte" } });
  for (const id of range(20)) {
    client.send(call(-id));
    while (!(await client.next()).final);
  }
  // Each is told twice: as an event of the log, and as the answer.
  const { cost, bytes } = await flood(client, call, CALLS / 4);
  expect(bytes).toBeGreaterThan((CALLS / 4) * MEGABYTE);
  expect(cost).toBeLessThan(64 * MEGABYTE);
});

it("costs little memory when an editor has its agent say a gigabyte and does not read", async () => {
  const { child, lines, send, next } = open("acp");
  const ask = async (id: number, method: string, params: object) => {
    send({ jsonrpc: "2.0", id, method, params });
    for (;;) {
      const answer = await next();
      if (answer.id === id) return answer.result;
    }
  };
  await ask(1, "initialize", { protocolVersion: 1, clientCapabilities: {} });
  const { sessionId } = await ask(2, "session/new", { cwd: "/", mcpServers: [] });
  const prompt = [{ type: "text", text: "go on" }];
  for (const id of range(20)) await ask(2 + id, "session/prompt", { sessionId, prompt });
  const before = await peakOf(child);
  lines.pause();
  for (const id of range(CALLS))
    send({ jsonrpc: "2.0", id: 100 + id, method: "session/prompt", params: { sessionId, prompt } });
  await sleep(2_000);
  expect((await peakOf(child)) - before).toBeLessThan(64 * MEGABYTE);
});
