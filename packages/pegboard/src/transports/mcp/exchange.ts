/** One request over HTTP and its answer: JSON at once, or a stream from the first notification on. */
export interface Exchange {
  /** Fires when the client has hung up. */
  readonly signal: AbortSignal;
  readonly response: Promise<Response>;
  /** Resolves when the client has room for more. */
  notify(notification: object): Promise<void>;
  /** Gives the answer. The status counts where no stream has begun. */
  end(message: object, status?: number): void;
}

const JSON_HEADERS = { "content-type": "application/json" };
const STREAM_HEADERS = {
  "content-type": "text/event-stream",
  "cache-control": "no-cache, no-transform",
  "x-accel-buffering": "no",
};
/** Of a client that is gone. */
const GONE = 499;
const KEEP_ALIVE_MS = 15_000;

/** Begins an exchange; the signal is that of its request. */
export function createExchange(hungUp: AbortSignal): Exchange {
  const control = new AbortController();
  const { promise: response, resolve } = Promise.withResolvers<Response>();
  let stream: ReadableStreamDefaultController<Uint8Array> | undefined;
  let beating: ReturnType<typeof setInterval> | undefined;
  let room = Promise.withResolvers<void>();
  let over = false;

  const write = (text: string) => stream?.enqueue(encoder.encode(text));
  function leave(): void {
    if (over) return;
    finish();
    control.abort();
    resolve(new Response(null, { status: GONE }));
  }
  function finish(): void {
    over = true;
    room.resolve();
    clearInterval(beating);
    hungUp.removeEventListener("abort", leave);
  }
  function open(): void {
    const body = new ReadableStream<Uint8Array>({
      start: (controller) => void (stream = controller),
      pull() {
        room.resolve();
        room = Promise.withResolvers();
      },
      cancel: leave,
    });
    beating = setInterval(() => write(": keepalive\n\n"), KEEP_ALIVE_MS);
    resolve(new Response(body, { headers: STREAM_HEADERS }));
  }

  if (hungUp.aborted) leave();
  else hungUp.addEventListener("abort", leave);
  return {
    signal: control.signal,
    response,
    async notify(notification) {
      if (over) return;
      if (!stream) open();
      write(toFrame({ jsonrpc: "2.0", ...notification }));
      if ((stream?.desiredSize ?? 0) <= 0) await room.promise;
    },
    end(message, status = 200) {
      if (over) return;
      finish();
      if (!stream) return resolve(new Response(JSON.stringify(message), { status, headers: JSON_HEADERS }));
      write(toFrame(message));
      stream.close();
    },
  };
}

const encoder = new TextEncoder();

function toFrame(message: object): string {
  return `event: message\ndata: ${JSON.stringify(message)}\n\n`;
}
