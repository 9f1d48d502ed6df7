import { setTimeout as sleep } from "node:timers/promises";
import { onTestFinished } from "vitest";
import { createRuntime, defineTool } from "pegboard";
import { startServer } from "pegboard/node";
import { TOKEN } from "./requests.ts";

/** How the calls of a server stand. */
export interface Counts {
  begun: number;
  aborted: number;
}

/** A server, gone when the test is over. */
export interface LoadServer {
  readonly port: number;
  readonly counts: Counts;
  /** Ends it at once: what is at work is cancelled and answered. */
  close(): Promise<void>;
}

/** A server with a tool that says its text again after a moment, and one that waits until nobody wants it any more. */
export async function serveForLoad({ work = 20_000 }: { readonly work?: number } = {}): Promise<LoadServer> {
  const counts: Counts = { begun: 0, aborted: 0 };
  const input = { type: "object", properties: { text: { type: "string" } } } as const;
  const echo = defineTool({
    name: "echo",
    description: "Says it again",
    input,
    approval: "preApproved",
    async execute({ text = "" }) {
      await sleep(text.length % 7);
      return text;
    },
  });
  const wait = defineTool({
    name: "wait",
    description: "Waits until nobody wants it any more",
    input,
    approval: "preApproved",
    execute(_, { signal }) {
      counts.begun++;
      return new Promise((_resolve, reject) => {
        signal.addEventListener("abort", () => {
          counts.aborted++;
          reject(signal.reason as Error);
        });
      });
    },
  });
  const runtime = createRuntime({ builtins: false, tools: [echo, wait], limits: { calls: 20_000 } });
  const server = await startServer(runtime, { token: TOKEN, port: 0, sessions: 1_000, work });
  const close = () => server.close(AbortSignal.abort());
  onTestFinished(async () => {
    await close();
    await runtime.close();
  });
  return { port: server.port, counts, close };
}
