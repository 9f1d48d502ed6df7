import type { Runtime } from "../../runtime.ts";
import { createDesk, type DeskOptions } from "../../transports/desk.ts";
import type { NativeOptions } from "../../transports/native/native.ts";
import type { Principal } from "../../transports/principal.ts";
import type { Lines } from "./line-socket.ts";

/** A client of our own protocol on standard streams, and how it is served. */
export interface NativeLinesOptions extends Lines, DeskOptions, NativeOptions {
  readonly principal?: Principal;
}

/** How long work is waited for when the process is told to end. */
const DRAIN_MS = 5_000;

/**
 * Serves one client of our own protocol on lines of JSON. Resolves when its input has ended and everything is answered, or
 * when the signal has fired: what goes on is then waited for a while, cancelled, and answered.
 */
export async function serveNativeLines(runtime: Runtime, options: NativeLinesOptions): Promise<void> {
  const { signal, principal = { id: "local", client: "stdio" } } = options;
  // Whoever serves nothing does not load the protocol.
  const [{ serveSocket }, { createNative }, { toLineSocket }] = await Promise.all([
    import("../../transports/native/connection.ts"),
    import("../../transports/native/native.ts"),
    import("./line-socket.ts"),
  ]);
  const desk = createDesk(runtime, options);
  const stop = () => void desk.close(AbortSignal.timeout(DRAIN_MS));
  signal?.addEventListener("abort", stop, { once: true });
  await serveSocket(toLineSocket(options), { native: createNative(desk, options), principal });
  signal?.removeEventListener("abort", stop);
  await desk.close(AbortSignal.abort());
}
