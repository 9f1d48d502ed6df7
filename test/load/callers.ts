import { once } from "node:events";
import { Agent, request } from "node:http";
import { json } from "node:stream/consumers";
import { WebSocket } from "ws";
import { shakeHands } from "./floods.ts";
import { type HttpRequest, INITIALIZE, INITIALIZED, modernCall, post, TOKEN, toolCall } from "./requests.ts";
import { openSession } from "./slow-server-process.ts";

/** What a call came to: the text of its result, or why there is none. */
export interface Answer {
  readonly id: number;
  readonly text: string;
}

/** Makes calls at once as one client, whose ids count from 1. Resolves to all answers; `heard` is told of each. */
export type Caller = (
  port: number,
  tool: string,
  inputs: readonly object[],
  heard?: () => void,
) => Promise<readonly Answer[]>;

/** A way to every door of a port. */
export const CALLERS: Readonly<Record<string, Caller>> = {
  "a WebSocket of MCP": (port, tool, inputs, heard) =>
    onSocket(port, "mcp", inputs.length, {
      hello: [INITIALIZE],
      calls: [INITIALIZED, ...inputs.map((input, at) => toolCall(at + 1, tool, input))],
      read: toMcpAnswer,
      heard,
    }),
  "a WebSocket of our own protocol": (port, tool, inputs, heard) =>
    onSocket(port, "pegboard", inputs.length, {
      hello: [],
      calls: inputs.map((input, at) => ({ id: at + 1, type: "tools.call", params: { tool, input } })),
      read: ({ id, final, data }) => (final ? { id, text: toText(data) } : undefined),
      heard,
    }),
  "Streamable HTTP, new era": async (port, tool, inputs, heard) =>
    overHttp(
      port,
      inputs.map((input, at) => modernCall(at + 1, tool, input)),
      (_, answer) => toMcpAnswer(answer)!,
      heard,
    ),
  async "Streamable HTTP, old era"(port, tool, inputs, heard) {
    const session = await shakeHands(port);
    const requests = inputs.map((input, at) => post("/mcp", toolCall(at + 1, tool, input), session));
    return overHttp(port, requests, (_, answer) => toMcpAnswer(answer)!, heard);
  },
  async "our own protocol over HTTP"(port, tool, inputs, heard) {
    const path = `/v1/sessions/${await openSession(port)}/tools/${tool}`;
    const requests = inputs.map((input) => post(path, { input }));
    return overHttp(port, requests, (at, answer) => ({ id: at + 1, text: toText(answer) }), heard);
  },
};

/** The text of a result of ours, or its error. */
export function toText(result: any): string {
  const error = result.error ?? (result.code && result);
  return error ? `${error.code}: ${error.message}` : result.content[0].text;
}

/** The text of an answer of MCP, or its error. */
export function toMcpAnswer({ id, result, error }: any): Answer | undefined {
  if (!result && !error) return undefined;
  return { id, text: error ? error.message : result.content[0].text };
}

interface Talk {
  readonly hello: readonly object[];
  readonly calls: readonly object[];
  read(message: any): Answer | undefined;
  readonly heard?: (() => void) | undefined;
}

async function onSocket(port: number, protocol: string, count: number, { hello, calls, read, heard }: Talk) {
  const socket = new WebSocket(`ws://127.0.0.1:${port}/ws`, [protocol, `bearer.${TOKEN}`]);
  const answers: Answer[] = [];
  const done = Promise.withResolvers<void>();
  socket.on("close", () => done.reject(new Error("The server hung up")));
  // Our own protocol says hello by itself.
  const greeted = once(socket, "message");
  await once(socket, "open");
  for (const message of hello) socket.send(JSON.stringify(message));
  await greeted;
  socket.on("message", (data: Buffer) => {
    const answer = read(JSON.parse(data.toString()));
    if (!answer) return;
    heard?.();
    if (answers.push(answer) === count) done.resolve();
  });
  for (const call of calls) socket.send(JSON.stringify(call));
  await done.promise;
  socket.close();
  return answers;
}

/** Few connections for many requests, as browsers do. */
const CONNECTIONS = 5;

async function overHttp(
  port: number,
  requests: readonly HttpRequest[],
  read: (at: number, answer: any) => Answer,
  heard?: () => void,
): Promise<readonly Answer[]> {
  const agent = new Agent({ keepAlive: true, maxSockets: CONNECTIONS });
  const answers = await Promise.all(
    requests.map(async (one, at) => {
      const answer = read(at, await ask(port, one, agent));
      heard?.();
      return answer;
    }),
  );
  agent.destroy();
  return answers;
}

function ask(port: number, asked: HttpRequest, agent: Agent): Promise<any> {
  const { path, method, headers, body } = asked;
  return new Promise((resolve, reject) => {
    const sent = request({ host: "127.0.0.1", port, path, method, headers, agent }, (response) => {
      const isStream = response.headers["content-type"]?.startsWith("text/event-stream");
      (isStream ? lastEvent(response) : json(response)).then(resolve, reject);
    });
    sent.on("error", (error: NodeJS.ErrnoException) => {
      // A connection that was idle for long may be closed while it is taken up: clients try again.
      if (sent.reusedSocket && error.code === "ECONNRESET") resolve(ask(port, asked, agent));
      else reject(error);
    });
    sent.end(body);
  });
}

async function lastEvent(response: AsyncIterable<Buffer>): Promise<unknown> {
  let text = "";
  for await (const chunk of response) text += chunk.toString();
  return JSON.parse(text.slice(text.lastIndexOf("data: ") + "data: ".length));
}
