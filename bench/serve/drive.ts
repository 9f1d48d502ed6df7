import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { Agent, request } from "node:http";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { RESULT, TOOL } from "./served-tool.ts";

/** As many clients call at once. */
export const CLIENTS = 16;
const REVISION = "2026-07-28";
const TOKEN = "a-token-of-a-benchmark-that-nobody-guesses";

/** A server that runs, and how it is called. */
export interface Driven {
  /** One call by each client. */
  round(): Promise<void>;
  readonly port?: number;
  close(): Promise<void>;
}

function start(file: string, args: readonly string[]): ChildProcess {
  const path = fileURLToPath(new URL(file, import.meta.url));
  const env = { ...process.env, BENCH_TOKEN: TOKEN };
  const command = ["--conditions=pegboard:source", "--expose-gc", path, ...args];
  return spawn(process.execPath, command, { env, stdio: ["pipe", "pipe", "inherit"] });
}

async function stop(child: ChildProcess): Promise<void> {
  const ended = once(child, "exit");
  child.kill("SIGKILL");
  await ended;
}

function check(answer: string): void {
  if (!answer.includes(RESULT)) throw new Error(`It was not answered: ${answer.slice(0, 500)}`);
}

/** Drives a server over Streamable HTTP, in the revision 2026-07-28. */
export async function driveHttp(file: string, ...args: readonly string[]): Promise<Driven> {
  const child = start(file, args);
  const [line] = (await once(createInterface(child.stdout!), "line")) as [string];
  const port = Number(line);
  const agent = new Agent({ keepAlive: true, maxSockets: CLIENTS });
  const _meta = {
    "io.modelcontextprotocol/protocolVersion": REVISION,
    "io.modelcontextprotocol/clientCapabilities": {},
    "io.modelcontextprotocol/clientInfo": { name: "bench", version: "1.0.0" },
  };
  const params = { name: TOOL.name, arguments: { page: 1 }, _meta };
  const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params });
  const headers = {
    authorization: `Bearer ${TOKEN}`,
    "content-type": "application/json",
    "content-length": Buffer.byteLength(body),
    accept: "application/json, text/event-stream",
    "mcp-protocol-version": REVISION,
    "mcp-method": "tools/call",
    "mcp-name": TOOL.name,
  };
  const call = () =>
    new Promise<void>((resolve, reject) => {
      const sent = request({ host: "127.0.0.1", port, path: "/mcp", method: "POST", agent, headers }, (answer) => {
        let text = "";
        answer.setEncoding("utf8");
        answer.on("data", (part: string) => (text += part));
        answer.on("end", () => {
          try {
            check(text);
            resolve();
          } catch (error) {
            reject(error as Error);
          }
        });
      });
      sent.on("error", reject);
      sent.end(body);
    });
  return {
    port,
    round: async () => void (await Promise.all(Array.from({ length: CLIENTS }, call))),
    async close() {
      agent.destroy();
      await stop(child);
    },
  };
}

/** Drives a server that runs already as most programs do: with the client of the SDK. */
export async function driveWithSdk({ port }: Pick<Driven, "port">): Promise<Driven> {
  const client = new Client({ name: "bench", version: "1.0.0" }, { versionNegotiation: { mode: { pin: REVISION } } });
  const requestInit = { headers: { authorization: `Bearer ${TOKEN}` } };
  const url = new URL(`http://127.0.0.1:${port}/mcp`);
  await client.connect(new StreamableHTTPClientTransport(url, { requestInit }));
  await client.listTools();
  const call = async () => {
    const { content } = await client.callTool({ name: TOOL.name, arguments: { page: 1 } });
    check(JSON.stringify(content));
  };
  return {
    round: async () => void (await Promise.all(Array.from({ length: CLIENTS }, call))),
    close: () => client.close(),
  };
}

/** Drives a server on standard streams, in the revision 2025-11-25, with as many calls at once as there are clients. */
export async function driveStdio(file: string, ...args: readonly string[]): Promise<Driven> {
  const child = start(file, args);
  const waiting = new Map<number, (line: string) => void>();
  createInterface(child.stdout!).on("line", (line) => waiting.get((JSON.parse(line) as { id: number }).id)?.(line));
  let last = 0;
  const ask = (method: string, params: object) =>
    new Promise<string>((resolve) => {
      const id = ++last;
      waiting.set(id, (line) => {
        waiting.delete(id);
        resolve(line);
      });
      child.stdin!.write(`${JSON.stringify({ jsonrpc: "2.0", id, method, params })}\n`);
    });
  const clientInfo = { name: "bench", version: "1.0.0" };
  await ask("initialize", { protocolVersion: "2025-11-25", capabilities: {}, clientInfo });
  child.stdin!.write(`${JSON.stringify({ jsonrpc: "2.0", method: "notifications/initialized" })}\n`);
  const call = async () => check(await ask("tools/call", { name: TOOL.name, arguments: { page: 1 } }));
  return {
    round: async () => void (await Promise.all(Array.from({ length: CLIENTS }, call))),
    close: () => stop(child),
  };
}

/** A server that speaks over WebSockets. */
export interface Socketed extends Driven {
  /** How many bytes a connection takes that has shaken hands and is idle. */
  weigh(connections: number): Promise<number>;
}

/** Drives a server over one WebSocket, in the revision 2025-11-25, with as many calls at once as there are clients. */
export async function driveSocket(file: string, ...args: readonly string[]): Promise<Socketed> {
  const child = start(file, args);
  const lines = createInterface(child.stdout!);
  const [line] = (await once(lines, "line")) as [string];
  const url = `ws://127.0.0.1:${Number(line)}/ws`;
  const open: WebSocket[] = [];
  const connect = async () => {
    const socket = new WebSocket(url, ["mcp", `bearer.${TOKEN}`]);
    await once(socket, "open");
    open.push(socket);
    return shakeHands(socket);
  };
  const heap = async () => {
    const told = once(lines, "line");
    child.kill("SIGUSR2");
    return (JSON.parse(((await told) as [string])[0]) as { heap: number }).heap;
  };
  const call = await connect();
  return {
    round: async () => void (await Promise.all(Array.from({ length: CLIENTS }, call))),
    async weigh(connections) {
      const before = await heap();
      await Promise.all(Array.from({ length: connections }, connect));
      return ((await heap()) - before) / connections;
    },
    async close() {
      for (const socket of open) socket.close();
      await stop(child);
    },
  };
}

/** Resolves to how the server at the other end is called. */
async function shakeHands(socket: WebSocket): Promise<() => Promise<void>> {
  const waiting = new Map<number, (text: string) => void>();
  socket.addEventListener("message", ({ data }: { data: string }) => {
    const { id } = JSON.parse(data) as { id: number };
    waiting.get(id)?.(data);
    waiting.delete(id);
  });
  let last = 0;
  const ask = (method: string, params: object) =>
    new Promise<string>((resolve) => {
      const id = ++last;
      waiting.set(id, resolve);
      socket.send(JSON.stringify({ jsonrpc: "2.0", id, method, params }));
    });
  const clientInfo = { name: "bench", version: "1.0.0" };
  await ask("initialize", { protocolVersion: "2025-11-25", capabilities: {}, clientInfo });
  socket.send(JSON.stringify({ jsonrpc: "2.0", method: "notifications/initialized" }));
  return async () => check(await ask("tools/call", { name: TOOL.name, arguments: { page: 1 } }));
}
