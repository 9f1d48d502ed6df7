import type { McpServer } from "@pegboard/contract";
import { type FetchLike, SSEClientTransport, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import type { Post, PostAnswer } from "./post.ts";
import { quickSend, toLoneCall } from "./quick-send.ts";
import { MAX_MESSAGE, type Wire } from "./wire.ts";

type Address = Extract<McpServer, { readonly url: string }>;

/**
 * Opens a line to an address. Redirects to elsewhere are refused, and a message that is too long ends the line. Calls of the
 * new era, which are most of what is sent, take a way of their own.
 */
export function httpWire({ url, headers = {} }: Address, kind: "http" | "sse", post: Post): Wire {
  let refusal: string | undefined;
  const send: FetchLike = async (input, init) => {
    const response = await globalThis.fetch(input, init);
    note(response.status, (name) => response.headers.get(name));
    return withBound(response);
  };
  const options = { requestInit: { headers: { ...headers } }, fetch: send };
  const transport =
    kind === "sse"
      ? new SSEClientTransport(new URL(url), options)
      : new StreamableHTTPClientTransport(new URL(url), options);
  const close = transport.close.bind(transport);
  const sendAny: Wire["send"] = transport.send.bind(transport);
  const wire = transport as Wire;
  const deps = {
    url: new URL(url),
    headers: Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value])),
    post,
    seen: ({ status, header }: PostAnswer) => note(status, header),
  };

  function note(status: number, header: PostAnswer["header"]): void {
    if (status >= 400) refusal = describeRefusal(status, header) ?? refusal;
    else if (status < 300) refusal = undefined;
  }

  return Object.assign(wire, {
    lastWords: () => refusal,
    async send(message: Parameters<Wire["send"]>[0], given?: Parameters<Wire["send"]>[1]) {
      const call = kind === "http" ? toLoneCall(message) : undefined;
      if (call && (await quickSend(call, given ?? {}, deps, (heard) => wire.onmessage?.(heard)))) return;
      await sendAny(message, given);
    },
    async close() {
      if (transport instanceof StreamableHTTPClientTransport && transport.sessionId !== undefined)
        await orSoon(transport.terminateSession());
      await close();
    },
  });
}

const GOODBYE_MS = 1_000;

/** Waits for a courtesy that may fail, and not for long. */
async function orSoon(work: Promise<unknown>): Promise<void> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise((resolve) => (timer = setTimeout(resolve, GOODBYE_MS)));
  await Promise.race([work.catch(() => {}), late]);
  clearTimeout(timer);
}

function describeRefusal(status: number, header: PostAnswer["header"]): string | undefined {
  if (status === 401) {
    const how = header("www-authenticate") === null ? "" : " (OAuth)";
    return `it wants to know who calls${how}, and signing in is not supported yet: give it a token, such as headers: { Authorization: "Bearer secret://name" }`;
  }
  return status === 403 ? "it refuses this caller (403): check its headers" : undefined;
}

/** The response, which fails when a line of it, or all of it where it is no stream of events, is too long. */
function withBound(response: Response): Response {
  if (!response.body) return response;
  const isStream = response.headers.get("content-type")?.startsWith("text/event-stream") ?? false;
  let held = 0;
  const bound = new TransformStream<Uint8Array, Uint8Array>({
    transform(chunk, controller) {
      const lineEnd = isStream ? chunk.lastIndexOf(10) : -1;
      held = lineEnd < 0 ? held + chunk.length : chunk.length - lineEnd - 1;
      if (held > MAX_MESSAGE) controller.error(new Error(`a message is longer than ${MAX_MESSAGE} bytes`));
      else controller.enqueue(chunk);
    },
  });
  const { status, statusText, headers, url } = response;
  const bounded = new Response(response.body.pipeThrough(bound), { status, statusText, headers });
  // A made response has no address of its own, which redirects are told by.
  return Object.defineProperty(bounded, "url", { value: url });
}
