import { PassThrough } from "node:stream";
import { afterAll, describe, expect, it, vi } from "vitest";
import corpus from "../../corpora/jsonrpc.json" with { type: "json" };
import { createRuntime, defineTool } from "../../../src/index.ts";
import { serveMcpLines } from "../../../src/node/serve/mcp-lines.ts";

interface Case {
  readonly id: string;
  readonly name: string;
  readonly raw?: string;
  readonly b64?: string;
  readonly gen?: { pre: string; rep: string; n: number; post: string; close?: string; tail?: string };
  readonly expect: string | readonly number[];
  readonly alsoOk?: readonly (string | number)[];
  readonly fresh?: boolean;
  readonly maxReplies?: number;
}

const echo = defineTool({
  name: "echo",
  description: "Says it again",
  input: { type: "object", properties: { message: { type: "string" } }, required: ["message"] },
  approval: "preApproved",
  execute: ({ message }) => message,
});

const CHUNK = 1024 * 1024;

/** A server on streams in memory, and what it has written. */
function start() {
  const input = new PassThrough();
  const written: any[] = [];
  const served = serveMcpLines(createRuntime({ builtins: false, tools: [echo] }), {
    input,
    send: async (line) => void written.push(JSON.parse(line)),
  });
  const write = async (bytes: string | Buffer) => {
    if (!input.write(bytes)) await new Promise((resolve) => input.once("drain", resolve));
  };
  return { written, write, end: async () => (input.end(), await served) };
}

type Server = ReturnType<typeof start>;

const HELLO = {
  jsonrpc: "2.0",
  id: "hello",
  method: "initialize",
  params: { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "corpus", version: "1" } },
};

async function greet(server: Server): Promise<Server> {
  await server.write(`${JSON.stringify(HELLO)}\n`);
  await server.write(`{"jsonrpc":"2.0","method":"notifications/initialized"}\n`);
  await vi.waitUntil(() => server.written.some(({ id }) => id === "hello"));
  return server;
}

async function writeCase({ write }: Server, { raw, b64, gen }: Case): Promise<void> {
  if (raw !== undefined) return write(raw);
  if (b64 !== undefined) return write(Buffer.from(b64, "base64"));
  const { pre, rep, n, post, close = "", tail = "" } = gen!;
  await write(pre);
  for (const part of [rep, close].filter(Boolean))
    for (let left = n; left > 0; left -= CHUNK) await write(part.repeat(Math.min(left, CHUNK)));
  await write(post + tail);
}

function kindOf(reply: any): string | number {
  if (reply.error) return reply.error.code;
  return reply.result.isError ? "toolerror" : "result";
}

let marks = 0;
let shared: Promise<Server> | undefined;

afterAll(async () => (await shared)?.end());

describe("a line that is wrong", () => {
  it.each(corpus.stdio as readonly Case[])("$id: $name", async (one) => {
    const server = one.fresh ? start() : await (shared ??= greet(start()));
    const from = server.written.length;
    await writeCase(server, one);
    if (one.fresh) await new Promise((resolve) => setTimeout(resolve, 20));
    const mark = `mark-${++marks}`;
    const isReply = ({ id }: any) => id !== mark && id !== "hello";
    const replies = () => server.written.slice(from).filter(isReply);
    const due = Array.isArray(one.expect) || one.expect === "result";
    if (due) await vi.waitUntil(() => replies().length > 0, { timeout: 5_000 });
    if (one.fresh) await greet(server);
    await server.write(`${JSON.stringify({ jsonrpc: "2.0", id: mark, method: "ping" })}\n`);
    await vi.waitUntil(() => server.written.some(({ id }) => id === mark), { timeout: 5_000 });
    if (one.fresh) await server.end();
    const { maxReplies = one.name === "pretty-printed JSON" ? 5 : 1 } = one;
    expect(replies().length).toBeLessThanOrEqual(maxReplies);
    if (one.expect === "silent") expect(replies()).toEqual([]);
    const accepted = [one.expect, one.alsoOk ?? []].flat();
    if (due) for (const reply of replies()) expect(accepted).toContain(kindOf(reply));
    expect(({} as any).polluted).toBeUndefined();
  });
});
