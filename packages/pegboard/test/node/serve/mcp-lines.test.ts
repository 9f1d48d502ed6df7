import { PassThrough } from "node:stream";
import { describe, expect, it, vi } from "vitest";
import { createRuntime, defineTool, type RuntimeOptions } from "../../../src/index.ts";
import { serveMcpLines } from "../../../src/node/serve/mcp-lines.ts";

const HELLO = {
  jsonrpc: "2.0",
  id: "hello",
  method: "initialize",
  params: { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "x", version: "1" } },
};

const toCall = (id: unknown, name: string) =>
  `${JSON.stringify({ jsonrpc: "2.0", id, method: "tools/call", params: { name, arguments: {} } })}\n`;

function start(options: RuntimeOptions, send?: (line: string) => Promise<void>) {
  const input = new PassThrough();
  const lines: any[] = [];
  const ended = new AbortController();
  const served = serveMcpLines(createRuntime({ builtins: false, ...options }), {
    input,
    send: send ?? (async (line) => void lines.push(JSON.parse(line))),
    signal: ended.signal,
  });
  input.write(`${JSON.stringify(HELLO)}\n`);
  return { input, lines, served, stop: () => ended.abort() };
}

describe("a client on lines", () => {
  it("that does not read is not worked for without end", async () => {
    let made = 0;
    const big = defineTool({
      name: "big",
      description: "Says much",
      input: { type: "object" },
      approval: "preApproved",
      execute: () => (made++, "x".repeat(500_000)),
    });
    let greeted = false;
    let read: () => void = () => {};
    const reading = new Promise<void>((resolve) => (read = resolve));
    const { input, served } = start({ tools: [big] }, (line) => {
      if (line.includes("hello")) greeted = true;
      return line.includes("xxx") ? reading : Promise.resolve();
    });
    await vi.waitUntil(() => greeted);
    for (let id = 0; id < 120; id++) input.write(toCall(id, "big"));
    await vi.waitUntil(() => made > 0);
    await new Promise((resolve) => setTimeout(resolve, 300));
    expect(made).toBeLessThan(60);
    read();
    await vi.waitUntil(() => made === 120, { timeout: 15_000 });
    input.end();
    await served;
  });

  it("gets an answer to everything when the server is told to end", async () => {
    const slow = defineTool({
      name: "slow",
      description: "Takes a while",
      input: { type: "object" },
      approval: "preApproved",
      execute: () => new Promise((resolve) => setTimeout(() => resolve("done"), 100)),
    });
    const { input, lines, served, stop } = start({ tools: [slow] });
    for (let id = 0; id < 20; id++) input.write(toCall(id, "slow"));
    await vi.waitUntil(() => lines.length > 0);
    stop();
    await served;
    const answered = lines.filter(({ id }) => typeof id === "number").map(({ result }) => result.content[0].text);
    expect(answered).toEqual(Array(20).fill("done"));
  });

  it("that is gone takes its calls along", async () => {
    const aborted = Promise.withResolvers<void>();
    const started = Promise.withResolvers<void>();
    const wait = defineTool({
      name: "wait",
      description: "Waits",
      input: { type: "object" },
      approval: "preApproved",
      execute(_, { signal }) {
        started.resolve();
        return new Promise((resolve) => signal.addEventListener("abort", () => (aborted.resolve(), resolve("late"))));
      },
    });
    const { input, served } = start({ tools: [wait] });
    input.write(toCall(1, "wait"));
    await started.promise;
    input.end();
    await expect(aborted.promise).resolves.toBeUndefined();
    await served;
  });
});
