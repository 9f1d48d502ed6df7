import type { JsonSchema } from "@pegboard/contract";
import { type Context, Hono } from "hono";
import { prepare, type Prepared } from "../native/carry-out.ts";
import type { Command, NativeDeps } from "../native/command.ts";
import type { CommandType } from "../native/command-types.ts";
import { COMMANDS } from "../native/commands.ts";
import { tell } from "../native/exchange.ts";
import { toOpenApi } from "../native/openapi.ts";
import { ROUTES } from "../native/routes.ts";
import { namedError, toWireError, type WireEvent } from "../native/wire.ts";
import type { Principal } from "../principal.ts";
import { formatOf, STREAM_HEADERS, type StreamFormat, toEventStream, toText } from "./event-stream.ts";
import { statusOf } from "./status.ts";

/** What the lock in front of the routes must have set. */
export interface NativeEnv {
  readonly Variables: { readonly principal: Principal };
}

/**
 * Our own protocol over HTTP: a route for each command and `GET /openapi.json`. The answer is JSON, or a stream of events
 * where `Accept` asks for one. Whoever leaves a stream cancels what it was about. `base` is where it is mounted.
 */
export function createNativeRoutes(
  native: NativeDeps,
  { base = "/v1" }: { readonly base?: string } = {},
): Hono<NativeEnv> {
  const app = new Hono<NativeEnv>();
  app.get("/openapi.json", () => toJson(toOpenApi(base)));
  for (const type of Object.keys(ROUTES) as CommandType[]) {
    const [method = "", path = ""] = ROUTES[type].split(" ");
    app.on(method, path.replaceAll(/\{(\w+)\}/g, ":$1"), (context) => answer(type, context, native));
  }
  // Not `notFound`, which whoever mounts these routes would not ask.
  app.all("*", (context) => {
    const message = `There is no ${context.req.method} ${context.req.path}; ${base}/openapi.json tells what there is`;
    return fail(context, namedError("ROUTE_NOT_FOUND", "not_found", message));
  });
  app.onError((error, context) => fail(context, error));
  return app;
}

async function answer(type: CommandType, context: Context<NativeEnv>, native: NativeDeps): Promise<Response> {
  const { req } = context;
  const left = new AbortController();
  const leave = () => left.abort();
  req.raw.signal.addEventListener("abort", leave);
  const { session, ...inPath } = req.param() as Record<string, string>;
  const params = { ...(await readParams(type, context)), ...inPath };
  const asker = { principal: context.get("principal"), signal: left.signal };
  const prepared = await prepare({ type, session, params }, asker, native);
  const format = formatOf(req.header("accept"));
  if (!format) return toJson(await prepared.run());
  const id = req.header("x-request-id")?.slice(0, 128) ?? crypto.randomUUID();
  if (!prepared.streams) return answerAtOnce(id, prepared, format);
  const body = toEventStream(format, (send) => tell(id, prepared, send), leave);
  return new Response(body, { headers: STREAM_HEADERS[format] });
}

/** The one event of a command that tells no others; the status says how it went. */
async function answerAtOnce(id: string, prepared: Prepared, format: StreamFormat): Promise<Response> {
  let last: WireEvent | undefined;
  await tell(id, prepared, (event) => void (last = event));
  const status = last?.type === "error" ? statusOf(last.data.code) : 200;
  return new Response(toText(format, last!), { status, headers: STREAM_HEADERS[format] });
}

async function readParams(type: CommandType, { req }: Context<NativeEnv>): Promise<Record<string, unknown>> {
  const { properties = {} } = (COMMANDS[type] as Command<CommandType>).params as {
    properties?: Readonly<Record<string, JsonSchema>>;
  };
  if (req.method !== "POST") {
    const query = Object.entries(req.query()).map(([name, text]) => [name, fromQuery(text, properties[name])]);
    return { ...Object.fromEntries(query), ...resumeFrom(type, req.header("last-event-id")) };
  }
  const text = await req.text();
  if (text.trim() === "") return {};
  let body: unknown;
  try {
    body = JSON.parse(text);
  } catch {
    throw namedError("INVALID_JSON", "invalid_input", "The body is not JSON: send one JSON object");
  }
  if (typeof body !== "object" || body === null || Array.isArray(body))
    throw namedError(
      "INVALID_PARAMS",
      "invalid_input",
      "The body must be a JSON object: the parameters of the command",
    );
  return body as Record<string, unknown>;
}

/** Where a browser goes on by itself that lost a stream: its address still says where it began. */
function resumeFrom(type: CommandType, last: string | undefined): { from?: number } {
  return type === "events" && last !== undefined && /^\d+$/.test(last) ? { from: Number(last) + 1 } : {};
}

/** What a text in an address stands for, by the schema of the parameter. */
function fromQuery(text: string, schema: JsonSchema | undefined): unknown {
  const { type } = Object(schema) as { readonly type?: unknown };
  if (type === "integer" && /^-?\d+$/.test(text)) return Number(text);
  if (type === "boolean" && (text === "true" || text === "false")) return text === "true";
  return text;
}

function fail(context: Context, thrown: unknown): Response {
  const error = toWireError(thrown);
  const status = statusOf(error.code);
  const format = formatOf(context.req.header("accept"));
  if (!format) return toJson({ error }, status);
  const last: WireEvent = { id: null, seq: 1, type: "error", data: error, final: true };
  return new Response(toText(format, last), { status, headers: STREAM_HEADERS[format] });
}

function toJson(value: unknown, status = 200): Response {
  return new Response(JSON.stringify(value), {
    status,
    headers: { "content-type": "application/json; charset=utf-8", "cache-control": "no-store" },
  });
}
