import type { Runtime } from "../../runtime.ts";
import { createDesk, type DeskOptions } from "../../transports/desk.ts";
import type { McpDoorOptions } from "../../transports/mcp/door.ts";
import { INVALID_REQUEST, PARSE_ERROR } from "../../transports/mcp/message.ts";
import type { Principal } from "../../transports/principal.ts";
import { VERSION } from "../../version.ts";
import { INSTRUCTIONS } from "./instructions.ts";
import { readLines } from "./read-lines.ts";

/** A client on standard streams, and how it is served. */
export interface McpLinesOptions extends Partial<McpDoorOptions>, DeskOptions {
  readonly input: AsyncIterable<Uint8Array>;
  /** Writes one line. Resolves when the next one may be written. */
  send(line: string): Promise<void>;
  /** Ends the work: what goes on is waited for a while, then cancelled; everything is answered. */
  readonly signal?: AbortSignal;
  readonly principal?: Principal;
}

/** A message is not longer than this. */
const LONGEST = 16 * 1024 * 1024;
/** How long answers are waited for when the client has said all that it will say. */
const AFTER_END_MS = 500;
const DRAIN_MS = 5_000;

/** Serves one client of MCP on lines of JSON. Resolves when the client is gone, or the signal has fired and all is answered. */
export async function serveMcpLines(runtime: Runtime, options: McpLinesOptions): Promise<void> {
  const { input, send, signal, principal = { id: "local", client: "mcp" } } = options;
  const { name = "pegboard", version = VERSION, instructions = INSTRUCTIONS, ...rest } = options;
  // Whoever serves nothing does not load the protocol.
  const [{ createMcpDoor }, { Intake }] = await Promise.all([
    import("../../transports/mcp/door.ts"),
    import("../../transports/mcp/intake.ts"),
  ]);
  const desk = createDesk(runtime, options);
  const door = createMcpDoor(desk, { ...rest, name, version, instructions });
  const intake = new Intake({ send, close: () => {} }, (wire) => door.connect(principal, wire));
  const { connection } = intake;
  const reading = readLines(input, LONGEST, {
    line: (text) => intake.take(text),
    broken: () => connection.refuse(PARSE_ERROR, "Parse error: the line is not UTF-8"),
    tooLong: () => connection.refuse(INVALID_REQUEST, `Invalid request: the line is longer than ${LONGEST} bytes`),
  }).catch(() => {});
  const stopped = new Promise<void>((resolve) => {
    if (signal?.aborted) resolve();
    signal?.addEventListener("abort", () => resolve(), { once: true });
  });
  await Promise.race([reading, stopped]);
  if (signal?.aborted) await desk.close(AbortSignal.timeout(DRAIN_MS));
  const until = performance.now() + AFTER_END_MS;
  while (connection.open > 0 && performance.now() < until) await new Promise((resolve) => setTimeout(resolve, 5));
  await door.close();
  await desk.close(AbortSignal.abort());
}
