import type { AgentContext, TerminalHandle } from "@agentclientprotocol/sdk";
import { defineTool, type Tool } from "@pegboard/contract";
import { clientFailed } from "./ask-client.ts";

/** What the terminal tool is made with. */
export interface ClientTerminalDeps {
  readonly client: AgentContext;
  /** A call has opened a terminal, which the client can show. */
  opened(call: string, terminal: string): void;
}

/** What is kept of an output. */
const MOST_BYTES = 256 * 1024;

/**
 * The tool that runs a program in a terminal of the client. It asks by default: the rules for commands of this workspace
 * and its sandbox do not reach there. However a call ends, its terminal is released.
 */
export function clientTerminalTool({ client, opened }: ClientTerminalDeps): Tool {
  return defineTool({
    name: "client_terminal",
    description: "Run a program in a terminal of the person's editor, where they can watch it, and get its output",
    input: {
      type: "object",
      properties: {
        command: { type: "string", minLength: 1, description: "The program" },
        args: { type: "array", items: { type: "string" } },
        cwd: { type: "string", description: "Absolute path of the folder; absent is that of the session" },
      },
      required: ["command"],
      additionalProperties: false,
    },
    capabilities: ["process"],
    approval: "ask",
    summary: ({ command, args = [] }) => `Run in the editor's terminal: ${[command, ...args].join(" ")}`,
    async execute({ command, args = [], cwd }, { session, callId, signal }) {
      const request = { sessionId: session.id, command, args, cwd: cwd ?? session.cwd, outputByteLimit: MOST_BYTES };
      // Not cancelled: a terminal that nobody waited for would never be released.
      const terminal = await client.createTerminal(request).catch((error: unknown) => {
        throw clientFailed("terminal/create", error);
      });
      try {
        opened(callId, terminal.id);
        return await runIn(terminal, signal);
      } finally {
        // A client that is gone has released it.
        await terminal.release().catch(() => {});
      }
    },
  }) as Tool;
}

async function runIn(terminal: TerminalHandle, signal: AbortSignal) {
  try {
    const { exitCode, signal: killed } = await orAborted(terminal.waitForExit(), signal);
    const { output, truncated } = await orAborted(terminal.currentOutput(), signal);
    const ended = killed ? `It was ended by ${killed}` : `Exit code ${exitCode ?? "unknown"}`;
    return {
      content: [
        { type: "text", text: `${output}\n${ended}${truncated ? "; the beginning of the output is cut" : ""}` },
      ],
      structured: { exitCode: exitCode ?? null, signal: killed ?? null, output, truncated },
    };
  } catch (error) {
    throw clientFailed("for its terminal", error);
  }
}

function orAborted<Value>(work: Promise<Value>, signal: AbortSignal): Promise<Value> {
  return new Promise((resolve, reject) => {
    const stop = () => reject(signal.reason as Error);
    if (signal.aborted) stop();
    signal.addEventListener("abort", stop, { once: true });
    void work.then(resolve, reject).finally(() => signal.removeEventListener("abort", stop));
  });
}
