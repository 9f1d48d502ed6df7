import { readRequestBody } from "@modelcontextprotocol/server";
import type { Principal } from "../principal.ts";
import type { Wire } from "./connection.ts";
import type { McpDoor } from "./door.ts";
import { MOST_BYTES, refuse, refuseWork } from "./http-answer.ts";
import { Intake } from "./intake.ts";
import { INVALID_REQUEST, PARSE_ERROR, toRpcError } from "./message.ts";

/** The transport of HTTP and SSE that clients spoke before Streamable HTTP: a stream to read, an address to write to. */
export interface SseDoor {
  /** GET opens a stream, whose first event names the address; POST there sends a message. */
  fetch(request: Request, principal: Principal): Promise<Response>;
}

interface Line {
  readonly principal: string;
  readonly intake: Intake;
}

const KEEP_ALIVE_MS = 15_000;
const NO_LINE = -32001;
const HEADERS = {
  "content-type": "text/event-stream",
  "cache-control": "no-cache, no-transform",
  "x-accel-buffering": "no",
};

/** Serves the old transport before a door of MCP. */
export function createSseDoor(door: McpDoor): SseDoor {
  const lines = new Map<string, Line>();

  function open(request: Request, principal: Principal): Response {
    const id = crypto.randomUUID();
    const encoder = new TextEncoder();
    let room = Promise.withResolvers<void>();
    let stream!: ReadableStreamDefaultController<Uint8Array>;
    let ended = false;
    const write = (text: string) => void (ended || stream.enqueue(encoder.encode(text)));
    const body = new ReadableStream<Uint8Array>({
      start: (controller) => void (stream = controller),
      pull() {
        room.resolve();
        room = Promise.withResolvers();
      },
      cancel: () => end(),
    });
    const wire: Wire = {
      async send(text) {
        write(`event: message\ndata: ${text}\n\n`);
        // A client that does not read lets whoever writes to it wait.
        if (!ended && (stream.desiredSize ?? 0) <= 0) await room.promise;
      },
      close: () => end(),
    };
    const intake = new Intake(wire, (paced) => door.connect(principal, paced));
    const beating = setInterval(() => write(": keepalive\n\n"), KEEP_ALIVE_MS);
    lines.set(id, { principal: principal.id, intake });
    const { pathname } = new URL(request.url);
    write(`event: endpoint\ndata: ${pathname}?session=${id}\n\n`);
    request.signal.addEventListener("abort", end, { once: true });
    return new Response(body, { headers: HEADERS });

    function end(): void {
      if (ended) return;
      ended = true;
      clearInterval(beating);
      lines.delete(id);
      room.resolve();
      void intake.connection.close();
      try {
        stream.close();
      } catch {
        // The client has closed it.
      }
    }
  }

  async function post(request: Request, principal: Principal): Promise<Response> {
    const line = lines.get(new URL(request.url).searchParams.get("session") ?? "");
    // What belongs to somebody else is told exactly as what does not exist.
    if (line?.principal !== principal.id) return refuse(404, toRpcError(NO_LINE, "There is no such stream: open one"));
    const read = await readRequestBody(request, MOST_BYTES).catch(() => undefined);
    if (!read) return refuse(400, toRpcError(PARSE_ERROR, "Parse error: the body could not be read"));
    if (read.tooLarge) return refuse(413, toRpcError(INVALID_REQUEST, `The body is longer than ${MOST_BYTES} bytes`));
    await line.intake.take(read.text);
    return new Response("Accepted", { status: 202 });
  }

  return {
    async fetch(request, principal) {
      try {
        if (request.method === "GET") return open(request, principal);
        if (request.method === "POST") return await post(request, principal);
      } catch (error) {
        return refuseWork(error);
      }
      return new Response(null, { status: 405, headers: { allow: "GET, POST" } });
    },
  };
}
