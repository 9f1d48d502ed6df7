import type { WireEvent } from "../transports/native/wire.ts";
import { unreachable } from "./remote-error.ts";

/** Reads a stream of events, one a line, until the final one. Throws `unavailable` when it ends before. */
export async function* readEvents(body: ReadableStream<Uint8Array>): AsyncGenerator<WireEvent, void, undefined> {
  const decoder = new TextDecoder();
  const reader = body.getReader();
  let rest = "";
  try {
    for (;;) {
      const { value, done } = await reader.read();
      if (done) throw unreachable("The connection ended before the answer");
      const lines = (rest + decoder.decode(value, { stream: true })).split("\n");
      rest = lines.pop()!;
      for (const line of lines) {
        if (line === "") continue;
        const event = JSON.parse(line) as WireEvent;
        yield event;
        if (event.final) return;
      }
    }
  } finally {
    // Whoever wants no more says so: the server then ends what it was about.
    await reader.cancel().catch(() => {});
  }
}
