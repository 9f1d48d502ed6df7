import { once } from "node:events";
import { createInterface } from "node:readline";
import { Readable, Writable } from "node:stream";
import { ndJsonStream } from "@agentclientprotocol/sdk";
import { SSEClientTransport, StreamableHTTPClientTransport, type Transport } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { WebSocket } from "ws";
import { createClient } from "../../src/client/index.ts";
import type { Approve, TransportClient } from "../../src/testing/index.ts";
import { toKitClient as toRemoteKitClient } from "../client/kit-client.ts";
import { toKitClient as toAcpKitClient } from "../transports/acp/kit-client.ts";
import { choose, speak } from "../transports/acp/stage.ts";
import { connectKitClient } from "../transports/mcp/kit-client.ts";
import { toKitClient } from "../transports/native/kit-client.ts";
import { makeTalk } from "../transports/native/talk.ts";
import type { DoorsPlace } from "./doors-place.ts";
import { BIN } from "./run.ts";

/** Connects a client to a process of the command. */
export type Connect = (approve: Approve) => Promise<TransportClient>;

/** A way to every door of the command, by its name; the place may be opened later. */
export function toConnects(place: () => DoorsPlace): Readonly<Record<string, Connect>> {
  const bearer = async () => ({ authorization: `Bearer ${(await place().serve()).token}` });

  const overHttp =
    (fetch?: (request: Request) => Promise<Response>): Connect =>
    async (approve) => {
      const client = createClient({ ...(await place().serve()), ...(fetch && { fetch }) });
      return { ...toRemoteKitClient(client, await client.open(), approve), close: async () => {} };
    };

  const onSocket: Connect = async (approve) => {
    const { url } = await place().serve();
    const line = new WebSocket(`${url.replace("http", "ws")}/ws`, "pegboard", { headers: await bearer() });
    const talk = makeTalk({ send: (text) => line.send(text) });
    line.on("message", (data: Buffer) => talk.hear(data.toString()));
    await talk.until(({ type }) => type === "connected");
    return { ...toKitClient(talk, approve), close: async () => line.terminate() };
  };

  const onLines: Connect = async (approve) => {
    const child = place().start("stdio");
    const talk = makeTalk({ send: (text) => void child.stdin!.write(`${text}\n`) });
    createInterface(child.stdout!).on("line", (line) => talk.hear(line));
    return { ...toKitClient(talk, approve), close: async () => void child.stdin!.end() };
  };

  const acp: Connect = async (approve) => {
    const child = place().start("acp");
    const stream = ndJsonStream(
      Writable.toWeb(child.stdin!),
      Readable.toWeb(child.stdout!) as ReadableStream<Uint8Array>,
    );
    const permit: NonNullable<Parameters<typeof speak>[1]["permit"]> = async ({ toolCall }) =>
      choose((await approve(toolCall.name ?? "")) === "allow" ? "once" : "deny");
    const client = await speak(stream, { permit }, place().folder);
    return { ...toAcpKitClient(client, await client.open()), close: async () => void child.stdin!.end() };
  };

  const mcp =
    (era: "legacy" | "modern", connect: () => Promise<Transport>, shares = false): Connect =>
    async (approve) => {
      const client = await connectKitClient(await connect(), era, approve);
      // A stream for what happens between requests is opened after the handshake.
      await new Promise((resolve) => setTimeout(resolve, 100));
      return { ...client, sharesSession: shares };
    };

  const mcpLines = async () => {
    const { folder: cwd, env } = place();
    return new StdioClientTransport({ command: process.execPath, args: [BIN, "mcp"], cwd, env, stderr: "ignore" });
  };
  const mcpHttp = async () => {
    const { url } = await place().serve();
    return new StreamableHTTPClientTransport(new URL(`${url}/mcp`), { requestInit: { headers: await bearer() } });
  };
  const mcpSse = async () => {
    const { url } = await place().serve();
    const headers = await bearer();
    const authorized = (address: string | URL, init?: RequestInit) =>
      fetch(address, { ...init, headers: { ...Object.fromEntries(new Headers(init?.headers)), ...headers } });
    return new SSEClientTransport(new URL(`${url}/sse`), { fetch: authorized, eventSourceInit: { fetch: authorized } });
  };
  const mcpSocket = async (): Promise<Transport> => {
    const { url } = await place().serve();
    const socket = new WebSocket(`${url.replace("http", "ws")}/ws`, "mcp", { headers: await bearer() });
    await once(socket, "open");
    const transport: Transport = {
      start: async () => {},
      send: async (message) => socket.send(JSON.stringify(message)),
      close: async () => socket.close(),
    };
    socket.on("message", (data: Buffer) => transport.onmessage?.(JSON.parse(data.toString())));
    socket.on("close", () => transport.onclose?.());
    return transport;
  };

  return {
    "pegboard serve, our own protocol as NDJSON,": overHttp(),
    "pegboard serve, our own protocol as SSE,": overHttp(fetchSse),
    "pegboard serve, our own protocol on a WebSocket,": onSocket,
    "pegboard stdio": onLines,
    "pegboard acp": acp,
    "pegboard mcp, old era,": mcp("legacy", mcpLines),
    "pegboard mcp, new era,": mcp("modern", mcpLines),
    "pegboard serve, Streamable HTTP, old era,": mcp("legacy", mcpHttp),
    "pegboard serve, Streamable HTTP, new era,": mcp("modern", mcpHttp, true),
    "pegboard serve, HTTP and SSE,": mcp("legacy", mcpSse),
    "pegboard serve, MCP on a WebSocket, old era,": mcp("legacy", mcpSocket),
    "pegboard serve, MCP on a WebSocket, new era,": mcp("modern", mcpSocket),
  };
}

/** Asks for events in the web's own format, and reads them as lines. */
async function fetchSse(request: Request): Promise<Response> {
  const headers = new Headers(request.headers);
  const streams = headers.get("accept") === "application/x-ndjson";
  if (streams) headers.set("accept", "text/event-stream");
  const response = await fetch(new Request(request, { headers }));
  if (!response.headers.get("content-type")?.startsWith("text/event-stream")) return response;
  let rest = "";
  const lines = new TransformStream<string, string>({
    transform(chunk, controller) {
      const all = (rest + chunk).split("\n");
      rest = all.pop()!;
      for (const line of all) if (line.startsWith("data: ")) controller.enqueue(`${line.slice("data: ".length)}\n`);
    },
  });
  const body = response
    .body!.pipeThrough(new TextDecoderStream())
    .pipeThrough(lines)
    .pipeThrough(new TextEncoderStream());
  return new Response(body, { status: response.status, headers: { "content-type": "application/x-ndjson" } });
}
