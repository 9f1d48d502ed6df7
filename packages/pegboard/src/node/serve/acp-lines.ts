import { ReadableStream } from "node:stream/web";
import type { Runtime } from "../../runtime.ts";
import type { AcpDoorOptions } from "../../transports/acp/door-options.ts";
import { createDesk, type Desk, type DeskOptions } from "../../transports/desk.ts";
import type { Principal } from "../../transports/principal.ts";
import { VERSION } from "../../version.ts";
import { realPathOf } from "./real-path.ts";

/** A client of the Agent Client Protocol on standard streams, and how it is served. */
export interface AcpLinesOptions
  extends Partial<Omit<AcpDoorOptions, "desk" | "asks" | "realPath" | "hangServer">>, DeskOptions {
  readonly input: AsyncIterable<Uint8Array>;
  /** Writes one line. Resolves when the next one may be written. */
  send(line: string): Promise<void>;
  /** Ends the work: what goes on is waited for a while, then cancelled. */
  readonly signal?: AbortSignal;
  /** Fires when nobody reads what is written: the client is gone. */
  readonly gone?: AbortSignal;
  readonly principal?: Principal;
}

/** How long is waited for what goes on, and then for its answers to be read. */
const DRAIN_MS = 5_000;
const ANSWER_MS = 1_000;

/**
 * Serves one client on lines of JSON. `runtimeOf` gives the runtime for sessions in a folder, or without a folder the one to
 * list sessions of. Resolves when the client is gone, or the signal has fired and what went on has ended.
 */
export async function serveAcpLines(
  runtimeOf: (cwd?: string) => Promise<Runtime>,
  options: AcpLinesOptions,
): Promise<void> {
  const { input, send, signal, gone, principal = { id: "local", client: "acp" } } = options;
  const { name = "pegboard", version = VERSION, approve = "wait" } = options;
  // Whoever serves nothing does not load the protocols.
  const { serveAcp } = await import("../../transports/acp/door.ts");
  const { attachMcpServer } = await import("../../sources/mcp/attach-server.ts");
  const { createLocalMcpPool } = await import("../mcp/local-pool.ts");
  const desks = new Map<Runtime, Desk>();
  await using pool = createLocalMcpPool();
  const readable = ReadableStream.from(input) as globalThis.ReadableStream<Uint8Array>;
  const connection = serveAcp({ readable, writable: toLines(send) }, principal, {
    ...options,
    name,
    version,
    asks: approve === "wait",
    realPath: realPathOf,
    // The person's own editor would have started them itself.
    hangServer: (board, server, reached) => attachMcpServer(board, server, reached, { pool, layer: "session" }),
    async desk(cwd) {
      const runtime = await runtimeOf(cwd);
      const desk = desks.get(runtime) ?? createDesk(runtime, options);
      desks.set(runtime, desk);
      return desk;
    },
  });
  const close = (end: AbortSignal) => Promise.all(Array.from(desks.values(), (desk) => desk.close(end)));
  const stop = () =>
    void close(AbortSignal.timeout(DRAIN_MS)).then(() => connection.end(AbortSignal.timeout(ANSWER_MS)));
  if (signal?.aborted) stop();
  signal?.addEventListener("abort", stop, { once: true });
  gone?.addEventListener("abort", () => connection.close(), { once: true });
  await connection.closed;
  await close(AbortSignal.abort());
}

function toLines(send: (line: string) => Promise<void>): WritableStream<Uint8Array> {
  const decoder = new TextDecoder();
  // Each chunk is a message with its line end.
  return new WritableStream({ write: (chunk) => send(decoder.decode(chunk).trimEnd()) });
}
