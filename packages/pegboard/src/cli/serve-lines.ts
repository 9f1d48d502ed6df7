import type { CommandInput } from "./command.ts";
import { EXIT } from "./exit-code.ts";
import { openServed } from "./open-served.ts";
import { watchStopSignals } from "./stop-signals.ts";
import type { Terminal } from "./terminal.ts";
import { closeWorkspace, type Opened } from "./workspace.ts";

/** A client on standard input and output. */
export interface LineClient {
  readonly input: NodeJS.ReadStream;
  send(line: string): Promise<void>;
  /** Fires when the process is told to end. */
  readonly signal: AbortSignal;
  /** Fires when nobody reads what is written. */
  readonly gone: AbortSignal;
}

/**
 * Opens the workspace and serves one client on standard streams until it is gone, or the process is told to end. Standard
 * output is the protocol's alone.
 */
export async function serveLines(
  input: CommandInput,
  serve: (opened: Opened, client: LineClient) => Promise<void>,
): Promise<number> {
  const opened = await openServed(input);
  try {
    await withLineClient(input.terminal, (client) => serve(opened, client));
    return EXIT.done;
  } finally {
    await closeWorkspace(opened.workspace, input.terminal);
  }
}

/** Serves the client on standard streams, with the signals that end it. */
export async function withLineClient(terminal: Terminal, serve: (client: LineClient) => Promise<void>): Promise<void> {
  using signals = watchStopSignals();
  const ended = new AbortController();
  const left = new AbortController();
  const leave = () => left.abort();
  try {
    void signals.stopped.then(() => ended.abort());
    process.stdout.on("error", leave);
    const { stdin } = process;
    await serve({ input: stdin, send: (line) => terminal.send(line), signal: ended.signal, gone: left.signal });
  } finally {
    process.stdout.off("error", leave);
  }
}
