import type { Event } from "../../core/event.ts";
import { type Asker, prepare, type Prepared, type Request } from "./carry-out.ts";
import type { NativeDeps } from "./command.ts";
import { withoutBytes } from "./placeholder.ts";
import { type CommandId, toWireError, type WireEvent } from "./wire.ts";

/** Takes an event on its way to a client; a promise is to be waited for before the next. */
export type Send = (event: WireEvent) => Promise<void> | void;

/** Answers one command with its events: numbered from 1, exactly one final one, which is the last. Never rejects. */
export async function exchange(
  id: CommandId | null,
  request: Request,
  asker: Asker,
  deps: NativeDeps,
  send: Send,
): Promise<void> {
  try {
    await tell(id, await prepare(request, asker, deps), send);
  } catch (error) {
    await send({ id, seq: 1, type: "error", data: toWireError(error), final: true });
  }
}

/** Carries a command out and tells its events. Rejects only when `send` does. */
export async function tell(id: CommandId | null, prepared: Prepared, send: Send): Promise<void> {
  let seq = 0;
  const emit = (event: Event) => send({ id, seq: ++seq, type: event.type, data: withoutBytes(event), final: false });
  let last: WireEvent;
  try {
    const data = await prepared.run(emit);
    last = { id, seq: ++seq, type: prepared.type === "ping" ? "pong" : "result", data, final: true };
  } catch (error) {
    last = { id, seq: ++seq, type: "error", data: toWireError(error), final: true };
  }
  await send(last);
}
