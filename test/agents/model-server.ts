import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import type { Turn, Wire } from "./wire.ts";
import { anthropic } from "./wire/anthropic.ts";
import { gemini } from "./wire/gemini.ts";
import { openaiChat } from "./wire/openai-chat.ts";
import { openaiResponses } from "./wire/openai-responses.ts";

const WIRES: readonly Wire[] = [anthropic, gemini, openaiChat, openaiResponses];

/** Decides the next turn of the model: from the names of the tools it was given, and everything it was told. */
export type Script = (tools: readonly string[], told: string) => Turn;

/** A model that is none, at a port of this machine. It speaks as each provider does. */
export interface ModelServer extends AsyncDisposable {
  readonly url: string;
  /** Every request, as it came: its path, and its body. */
  readonly requests: readonly { readonly path: string; readonly body: string }[];
}

/** Starts a model that follows a script. */
export async function startModel(script: Script): Promise<ModelServer> {
  const requests: { path: string; body: string }[] = [];
  const server = createServer((request, response) => {
    void answer(request, response, (path, body) => void requests.push({ path, body }), script);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    requests,
    async [Symbol.asyncDispose]() {
      const closed = once(server, "close");
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}

async function answer(
  request: IncomingMessage,
  response: ServerResponse,
  record: (path: string, body: string) => void,
  script: Script,
): Promise<void> {
  const path = request.url!.split("?")[0]!;
  const told = await text(request);
  record(path, told);
  const wire = WIRES.find((one) => one.serves(path));
  if (!wire || request.method !== "POST") return json(response, path.endsWith("/models") ? 200 : 404, { data: [] });
  const body = JSON.parse(told) as Readonly<Record<string, unknown>>;
  const turn = script(wire.tools(body), told);
  if (body["stream"] !== true && !path.includes(":stream")) return json(response, 200, wire.whole(turn));
  response.writeHead(200, { "content-type": "text/event-stream" }).end(wire.answer(turn));
}

function json(response: ServerResponse, status: number, value: object): void {
  response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(value));
}
