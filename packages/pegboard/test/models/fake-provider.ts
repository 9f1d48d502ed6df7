import { createServer, type IncomingHttpHeaders, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach } from "vitest";
import type { Models } from "../../src/core/model.ts";
import { createModels, type ModelsOptions } from "../../src/models/registry.ts";
import { type Answer, data, type Events } from "./wire/answer.ts";
import { anthropic } from "./wire/anthropic.ts";
import { google } from "./wire/google.ts";
import { openaiChat } from "./wire/openai-chat.ts";
import { openai } from "./wire/openai.ts";

export type { Answer } from "./wire/answer.ts";

/** The wire formats, with a model of each. */
export const FORMATS = {
  google: { model: "google:gemini-2.5-flash", write: google },
  anthropic: { model: "anthropic:claude-sonnet-4-5", write: anthropic },
  openai: { model: "openai:gpt-5", write: openai },
  "openai-chat": { model: "openai-chat:gpt-4.1", write: openaiChat },
  ollama: { model: "ollama:llama3.2", write: openaiChat },
} as const satisfies Record<string, { model: string; write: (answer: Answer) => Events }>;

export type Format = keyof typeof FORMATS;

/** A server on this machine that speaks the wire format of a provider. It ends with the test. */
export interface FakeProvider {
  /** Its base URL. */
  readonly url: string;
  /** `provider:model`, for `models`. */
  readonly model: string;
  readonly models: Models;
  /** What it was asked, in order. */
  readonly requests: { readonly path: string; readonly headers: IncomingHttpHeaders; readonly body: any }[];
}

/** The key that fake providers are reached with. */
export const KEY = "key-of-the-fake-provider";

const closing: (() => void)[] = [];

afterEach(() => {
  for (const close of closing.splice(0)) close();
});

/** Starts a provider that gives these answers, one to each request, the last one for ever. */
export async function fakeProvider(
  format: Format,
  answers: readonly Answer[],
  options: ModelsOptions = {},
): Promise<FakeProvider> {
  const requests: FakeProvider["requests"] = [];
  const server = createServer((request, response) => {
    let text = "";
    request.setEncoding("utf8");
    request.on("data", (piece: string) => (text += piece));
    request.on("end", () => {
      const answer = answers[Math.min(requests.length, answers.length - 1)]!;
      requests.push({ path: request.url!, headers: request.headers, body: JSON.parse(text) as unknown });
      send(response, answer, FORMATS[format].write);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  closing.push(() => {
    server.close();
    server.closeAllConnections();
  });
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
  const models = createModels({ env: {}, ...options, providers: { [format]: { baseURL: url, apiKey: KEY } } });
  return { url, model: FORMATS[format].model, models, requests };
}

function send(response: ServerResponse, answer: Answer, write: (answer: Answer) => Events): void {
  if (answer.hang) return;
  if (answer.status !== undefined) {
    response.writeHead(answer.status, { "content-type": "application/json", ...answer.headers });
    response.end(typeof answer.body === "string" ? answer.body : JSON.stringify(answer.body ?? {}));
    return;
  }
  response.writeHead(200, { "content-type": "text/event-stream" }).flushHeaders();
  const { events, last } = write(answer);
  for (const event of events) response.write(event);
  if (answer.garbled) response.write('data: {"choices": [{"del\n\n');
  if (answer.cut === "socket") setTimeout(() => response.destroy(), 20);
  else if (answer.instead !== undefined) response.end(data(answer.instead));
  else if (answer.cut !== "never") response.end(answer.cut === "clean" ? "" : last.join(""));
}
