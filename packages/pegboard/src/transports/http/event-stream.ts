import { toLine, type WireEvent } from "../native/wire.ts";

/** How the events of a command are written. */
export type StreamFormat = "sse" | "ndjson";

/** The format that a client asks for; undefined is the answer alone, as JSON. */
export function formatOf(accept: string | undefined): StreamFormat | undefined {
  const types = (accept ?? "").split(",").map((type) => type.split(";", 1)[0]!.trim().toLowerCase());
  if (types.includes("text/event-stream")) return "sse";
  return types.includes("application/x-ndjson") || types.includes("application/ndjson") ? "ndjson" : undefined;
}

/** The headers of a stream. */
export const STREAM_HEADERS: Readonly<Record<StreamFormat, Readonly<Record<string, string>>>> = {
  sse: toHeaders("text/event-stream"),
  ndjson: toHeaders("application/x-ndjson"),
};

/** Sends the events of one command until the stream is left. */
export type WriteEvents = (send: (event: WireEvent) => Promise<void> | void) => Promise<void>;

/**
 * A body of events. Waits for a client that is slow; `left` is called when it is gone. Between events it says now and then
 * that it is there, in the format that allows it.
 */
export function toEventStream(format: StreamFormat, write: WriteEvents, left: () => void): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  let pulled: (() => void) | undefined;
  let beat: ReturnType<typeof setInterval> | undefined;
  let over = false;
  const end = () => {
    over = true;
    clearInterval(beat);
    pulled?.();
  };
  return new ReadableStream<Uint8Array>(
    {
      start(controller) {
        const put = (text: string) => controller.enqueue(encoder.encode(text));
        if (format === "sse") {
          // The headers go out with the first bytes.
          put(":\n\n");
          beat = setInterval(() => (controller.desiredSize ?? 0) > 0 && put(":\n\n"), BEAT_MS);
        }
        const send = (event: WireEvent) => {
          if (over) return undefined;
          put(toText(format, event));
          if ((controller.desiredSize ?? 0) > 0) return undefined;
          return new Promise<void>((resolve) => (pulled = resolve));
        };
        void write(send).then(() => {
          if (!over) controller.close();
          end();
        });
      },
      pull: () => pulled?.(),
      cancel() {
        end();
        left();
      },
    },
    new ByteLengthQueuingStrategy({ highWaterMark: HIGH }),
  );
}

const HIGH = 64 * 1024;
const BEAT_MS = 15_000;

/** One event as it is written. The id of the web's format is the number in the log, where a client goes on that reconnects. */
export function toText(format: StreamFormat, event: WireEvent): string {
  if (format === "ndjson") return `${toLine(event)}\n`;
  const id = !event.final && event.data.seq > 0 ? `id: ${event.data.seq}\n` : "";
  return `${id}event: ${event.type}\ndata: ${toLine(event)}\n\n`;
}

function toHeaders(type: string): Readonly<Record<string, string>> {
  return {
    "content-type": `${type}; charset=utf-8`,
    "cache-control": "no-store",
    // A proxy that gathers would hold back what is news.
    "x-accel-buffering": "no",
  };
}
