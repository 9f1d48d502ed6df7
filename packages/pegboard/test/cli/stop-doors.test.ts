import { once } from "node:events";
import { readFileSync } from "node:fs";
import { createInterface } from "node:readline";
import { describe, expect, it, onTestFinished } from "vitest";
import { WebSocket } from "ws";
import { processesIn } from "../node/processes-in.ts";
import { finish } from "./run.ts";
import { startServing } from "./serving.ts";
import { stopPlace } from "./stop-place.ts";

const TOOLS = ["held", "held", "never", "deaf", "child"] as const;
const clientInfo = { name: "test", version: "1" };
const INITIALIZE = {
  jsonrpc: "2.0",
  id: 0,
  method: "initialize",
  params: { protocolVersion: "2025-11-25", capabilities: {}, clientInfo },
};
const INITIALIZED = { jsonrpc: "2.0", method: "notifications/initialized" };

/** How lines of a protocol call tools, and which of them are answers; `ok` says how it went. */
const PROTOCOLS = {
  mcp: {
    hello: [INITIALIZE, INITIALIZED],
    call: (name: string, id: number) => ({ jsonrpc: "2.0", id, method: "tools/call", params: { name, arguments: {} } }),
    read: ({ id, result, error }: any) =>
      id > 0 && (result || error) ? { id, ok: result?.isError !== true } : undefined,
  },
  pegboard: {
    hello: [],
    call: (tool: string, id: number) => ({ id, type: "tools.call", params: { tool } }),
    read: ({ id, final, data }: any) => (id > 0 && final ? { id, ok: data.ok === true } : undefined),
  },
} as const;

type Protocol = keyof typeof PROTOCOLS;

/** Counts the answers to calls, one for each tool. */
function talk(protocol: Protocol, send: (text: string) => void) {
  const { hello, call, read } = PROTOCOLS[protocol];
  const answers: { readonly id: number; readonly ok: boolean }[] = [];
  return {
    answers,
    begin: () => [...hello, ...TOOLS.map((tool, at) => call(tool, at + 1))].forEach((one) => send(JSON.stringify(one))),
    late: () => send(JSON.stringify(call("held", 99))),
    hear(text: string) {
      const answer = read(JSON.parse(text));
      if (answer) answers.push(answer);
    },
  };
}

/** Each call has one answer; those that were let end are well. */
const EXPECTED = TOOLS.map((tool, at) => ({ id: at + 1, ok: tool === "held" }));

const sorted = (answers: readonly { readonly id: number }[]) => answers.toSorted((a, b) => a.id - b.id);

describe("a process that is told to end", () => {
  it("answers each call on WebSockets once, refuses new ones with the reason, and leaves no process behind", async () => {
    const place = stopPlace();
    const server = await startServing(place);
    const headers = { authorization: `Bearer ${readFileSync(server.token, "utf8").trim()}` };
    const clients = await Promise.all(
      (["mcp", "pegboard"] as const).map(async (protocol) => {
        const socket = new WebSocket(`${server.url.replace("http", "ws")}/ws`, protocol, { headers });
        onTestFinished(() => socket.terminate());
        const client = talk(protocol, (text) => socket.send(text));
        socket.on("message", (data: Buffer) => client.hear(data.toString()));
        const closed = once(socket, "close") as Promise<[number, Buffer]>;
        await once(socket, "open");
        client.begin();
        return { ...client, closed };
      }),
    );
    const work = async () => ((await (await server.ask("/health")).json()) as { work: number }).work;
    await expect.poll(work, { timeout: 15_000 }).toBe(2 * TOOLS.length);
    server.child.kill("SIGTERM");
    await expect.poll(async () => (await server.ask("/health")).status).toBe(503);
    for (const { late } of clients) late();
    place.write("go", "");
    for (const { answers, closed } of clients) {
      expect((await closed)[0]).toBe(1001);
      expect(sorted(answers)).toEqual([...EXPECTED, { id: 99, ok: false }]);
    }
    expect((await server.ended).code).toBe(0);
    await expect.poll(() => processesIn(place.folder)).toEqual([]);
    expect((await place.run("audit", "verify")).code).toBe(0);
  }, 60_000);

  it.each([
    ["mcp", "mcp"],
    ["stdio", "pegboard"],
  ] as const)(
    "answers each call on standard streams once: %s",
    async (command, protocol) => {
      const place = stopPlace();
      const child = place.start({}, command);
      onTestFinished(() => void child.kill("SIGKILL"));
      const client = talk(protocol, (text) => void child.stdin!.write(`${text}\n`));
      const lines = createInterface(child.stdout!).on("line", (line) => client.hear(line));
      const ended = finish(child);
      client.begin();
      const begun = async () =>
        (await place.run("log", "--type", "execute-start", "--json")).stdout.split('"call"').length;
      await expect.poll(begun, { timeout: 20_000 }).toBeGreaterThan(TOOLS.length);
      const began = performance.now();
      child.kill("SIGTERM");
      place.write("go", "");
      const { code } = await ended;
      lines.close();
      expect(code).toBe(0);
      expect(performance.now() - began).toBeLessThan(10_000);
      expect(sorted(client.answers)).toEqual(EXPECTED);
      await expect.poll(() => processesIn(place.folder)).toEqual([]);
    },
    60_000,
  );
});
