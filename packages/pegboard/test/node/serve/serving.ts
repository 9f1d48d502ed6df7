import { request as send } from "node:http";
import { text } from "node:stream/consumers";
import { onTestFinished } from "vitest";
import { createRuntime, defineTool, type RuntimeOptions } from "../../../src/index.ts";
import { type RunningServer, type ServerOptions, startServer } from "../../../src/node/index.ts";

export const TOKEN = "a-token-of-a-test-that-nobody-guesses-0000";

/** A request as it goes out, also one that no browser would send. */
export interface Asked {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string | readonly string[]>>;
  readonly body?: string | Buffer;
  /** Nobody who is known, when it is undefined. */
  readonly token?: string | undefined;
}

/** What came back. */
export interface Answered {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  readonly body: string;
}

/** A server of its own, on a port of its own, and how it is asked. Gone when the test is over. */
export interface Serving extends RunningServer {
  ask(path: string, asked?: Asked): Promise<Answered>;
}

/** Says the text that it is given. */
export const echo = defineTool({
  name: "echo",
  description: "Says it again",
  input: { type: "object", properties: { text: { type: "string" } } },
  approval: "preApproved",
  execute: ({ text: said }) => said ?? "",
});

/** Starts a server of a runtime with these options. */
export async function serveForTest(
  options: Partial<ServerOptions> = {},
  runtime: RuntimeOptions = { tools: [echo] },
): Promise<Serving> {
  const made = createRuntime(runtime);
  const server = await startServer(made, {
    token: TOKEN,
    port: 0,
    failed: (error) => console.error(error),
    ...options,
  });
  onTestFinished(async () => {
    await server.close(AbortSignal.abort());
    await made.close();
  });
  return { ...server, ask: (path, asked) => ask(server.port, path, asked) };
}

/** Asks a server on this machine. */
export function ask(port: number, path: string, asked: Asked = {}): Promise<Answered> {
  const { method = "GET", headers = {}, body } = asked;
  const token = "token" in asked ? asked.token : TOKEN;
  const all = { ...(token !== undefined && { authorization: `Bearer ${token}` }), ...headers };
  return new Promise((resolve, reject) => {
    const to = { host: "127.0.0.1", port, path, method, headers: all as Record<string, string>, agent: false } as const;
    const sent = send(to, (answer) => {
      text(answer).then(
        (answered) => resolve({ status: answer.statusCode!, headers: answer.headers, body: answered }),
        reject,
      );
    });
    sent.on("error", reject);
    sent.end(body);
  });
}

export const JSON_BODY = { "content-type": "application/json" } as const;

/** A tool that waits for ever: when it has begun, and when it was told to end. */
export function waitingTool() {
  const { promise: aborted, resolve } = Promise.withResolvers<void>();
  const { promise: started, resolve: start } = Promise.withResolvers<void>();
  const wait = defineTool({
    name: "wait",
    description: "Waits",
    input: {},
    approval: "preApproved",
    execute: (_input, { signal }) => {
      signal.addEventListener("abort", () => resolve());
      start();
      return new Promise(() => {});
    },
  });
  return { wait, started, aborted };
}
