import { createMcpHandler, isLegacyRequest, type McpHttpHandler, readRequestBody } from "@modelcontextprotocol/server";
import type { Principal } from "../principal.ts";
import { callDirectly } from "./direct-call.ts";
import { createExchange } from "./exchange.ts";
import { MOST_BYTES, refuse, refuseWork } from "./http-answer.ts";
import { createLegacyHttp, type HttpDeps } from "./legacy-http.ts";
import type { Listed, ListReader } from "./list-change.ts";
import { parseMessage, PARSE_ERROR, type RpcMessage, toRpcError } from "./message.ts";
import { saysTheSame, toOrdinaryCall } from "./ordinary-call.ts";
import { paramHeaderProblem } from "./param-headers.ts";
import type { Place } from "./place.ts";
import { createMcpServer } from "./server.ts";
import { createTap, type Tap } from "./tap.ts";
import { type Offer, offerTools } from "./tools.ts";

/** The endpoint of Streamable HTTP. */
export interface HttpLegs {
  fetch(request: Request, principal: Principal): Promise<Response>;
  close(): Promise<void>;
}

const HEADER_MISMATCH = -32020;
const MISSING_CAPABILITY = -32021;

const NOTIFY: Readonly<Record<Listed, (handler: McpHttpHandler) => void>> = {
  tools: ({ notify }) => notify.toolsChanged(),
  prompts: ({ notify }) => notify.promptsChanged(),
  resources: ({ notify }) => notify.resourcesChanged(),
};

/** The new era knows no sessions: all requests of a principal are served from one. */
interface Guest {
  place: Place;
  readonly handler: McpHttpHandler;
}

/** Serves both eras at one address: whoever begins with a handshake gets a session, all others bring what is needed. */
export function createHttpLegs(deps: HttpDeps): HttpLegs {
  const { server, lists, open } = deps;
  const legacy = createLegacyHttp(deps);
  const guests = new Map<string, Guest>();
  const taps = new WeakMap<Request, Tap>();
  const reader: ListReader = {
    listChanged(what) {
      for (const { handler } of guests.values()) NOTIFY[what](handler);
    },
  };
  lists.add(reader);

  function welcome(principal: Principal): Guest {
    const guest: Guest = {
      place: open(principal),
      handler: createMcpHandler(
        ({ requestInfo }) => {
          const tap = taps.get(requestInfo!);
          return createMcpServer(
            guest.place.seat("modern", () => tap?.room()),
            server,
          );
        },
        { legacy: "reject", maxRequestBodySize: MOST_BYTES },
      ),
    };
    guests.set(principal.id, guest);
    return guest;
  }

  /** The guest that a principal is, in a session that is open. */
  function guestOf(principal: Principal): Guest {
    const guest = guests.get(principal.id);
    if (!guest) return welcome(principal);
    if (guest.place.session.closing) {
      guest.place[Symbol.dispose]();
      guest.place = open(principal);
    }
    return guest;
  }

  async function post(request: Request, principal: Principal): Promise<Response> {
    const read = await readBody(request).catch(() => undefined);
    if (!read) return refuse(400, toRpcError(PARSE_ERROR, "Parse error: the body could not be read"));
    if (read.tooLarge) return refuse(413, toRpcError(PARSE_ERROR, `The body is longer than ${MOST_BYTES} bytes`));
    const { message, reply } = parseMessage(read.text);
    if (!message) return reply ? refuse(400, reply) : new Response(null, { status: 202 });
    try {
      return await serve(request, message, principal);
    } catch (error) {
      return refuseWork(error, message.id);
    }
  }

  async function serve(request: Request, message: RpcMessage, principal: Principal): Promise<Response> {
    const direct = serveDirectly(request, message, principal);
    if (direct) return direct;
    if (await isLegacyRequest(request, message)) return legacy.post(request, message, principal);
    const guest = guestOf(principal);
    const { tools } = offerTools(guest.place.session.list(), server.bareNames);
    const mismatch = headerProblem(tools, message, request);
    if (mismatch !== undefined)
      return refuse(400, toRpcError(HEADER_MISMATCH, `Header mismatch: ${mismatch}`, message.id));
    const tap = createTap();
    taps.set(request, tap);
    return tap.pass(await guest.handler.fetch(request, { parsedBody: message }));
  }

  /** What most requests are, the short way. */
  function serveDirectly(request: Request, message: RpcMessage, principal: Principal): Promise<Response> | undefined {
    const call = toOrdinaryCall(message, "modern");
    if (!call || !saysTheSame(call, request.headers)) return undefined;
    const { place } = guestOf(principal);
    const offer = offerTools(place.session.list(), server.bareNames);
    const target = offer.find(call.name);
    if (!target || headerProblem(offer.tools, message, request) !== undefined) return undefined;
    const { signal, notify, end, response } = createExchange(request.signal);
    void callDirectly(call, { target, seat: place.seat("modern"), options: server, signal, notify }).then((answer) =>
      end(answer, answer.error?.code === MISSING_CAPABILITY ? 400 : 200),
    );
    return response;
  }

  return {
    async fetch(request, principal) {
      if (request.method !== "POST") return legacy.other(request, principal);
      if (!isJson(request.headers.get("content-type")))
        return refuse(415, toRpcError(PARSE_ERROR, "The content type must be application/json"));
      return post(request, principal);
    },
    async close() {
      lists.delete(reader);
      await Promise.all([legacy.close(), ...Array.from(guests.values(), ({ handler }) => handler.close())]);
      for (const { place } of guests.values()) place[Symbol.dispose]();
      guests.clear();
    },
  };
}

/** What is wrong with the headers that repeat arguments; the other headers are the SDK's to check. */
function headerProblem(
  tools: Offer["tools"],
  { method, params = {} }: RpcMessage,
  { headers }: Request,
): string | undefined {
  if (method !== "tools/call") return undefined;
  const { name, arguments: input } = params;
  const tool = tools.find((one) => one.name === name);
  return tool && paramHeaderProblem(tool.inputSchema, input, headers);
}

/** The body, unless it is too long. One whose length is known is read at once, which takes a fraction of the time. */
async function readBody(request: Request): ReturnType<typeof readRequestBody> {
  const length = Number(request.headers.get("content-length") ?? Infinity);
  if (!(length <= MOST_BYTES)) return readRequestBody(request, MOST_BYTES);
  return { tooLarge: false, text: await request.text() } as Awaited<ReturnType<typeof readRequestBody>>;
}

function isJson(type: string | null): boolean {
  return type?.split(";", 1)[0]!.trim().toLowerCase() === "application/json";
}
