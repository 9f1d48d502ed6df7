import { PegboardError } from "../../core/error.ts";
import type { Runtime } from "../../runtime.ts";
import { VERSION } from "../../version.ts";
import { createDesk, type DeskOptions } from "../desk.ts";
import type { McpDoorOptions } from "../mcp/door.ts";
import type { NativeOptions } from "../native/native.ts";
import type { Principal } from "../principal.ts";
import { createHttpApp, type HttpAppOptions } from "./app.ts";
import { sameSecret } from "./credential.ts";
import { createHttpDoors } from "./doors.ts";
import { healthOf } from "./health.ts";
import { createLock, type LockOptions } from "./lock.ts";

/** Where a handler hangs in its host, and whom it lets in. */
export interface FetchHandlerOptions
  extends
    DeskOptions,
    Partial<McpDoorOptions>,
    NativeOptions,
    Pick<LockOptions, "hosts" | "rate">,
    Pick<HttpAppOptions, "origins" | "metrics" | "base"> {
  /**
   * What opens it, sent as `Authorization: Bearer`: one secret of at least 32 characters that nobody can guess, or a
   * function that tells whose a secret is. It must take as long for a wrong secret as for a right one.
   */
  readonly token: string | ((secret: string) => Principal | undefined);
}

/** The doors of a runtime as a function from requests to responses. */
export interface FetchHandler {
  /** Answers a request. Never rejects. */
  fetch(request: Request): Promise<Response>;
  /** Takes no more work, waits for what goes on until the signal fires, and ends every stream. */
  close(signal?: AbortSignal): Promise<void>;
}

const OWNER: Principal = { id: "local", client: "http" };
const SHORTEST_TOKEN = 32;

/**
 * `/mcp`, `/sse`, `/v1` and `/health` of a runtime for any framework that knows `Request` and `Response`, behind the locks
 * of a server: a token, names of this machine unless `hosts` names others, no pages of others, nothing but JSON. Throws
 * `invalid_config` for a token that is too short. The runtime is the caller's to close.
 */
export function createFetchHandler(runtime: Runtime, options: FetchHandlerOptions): FetchHandler {
  const { token, hosts = [], origins = [], rate, base = "", metrics } = options;
  if (typeof token === "string" && token.length < SHORTEST_TOKEN)
    throw new PegboardError("invalid_config", `The token must have at least ${SHORTEST_TOKEN} characters, at random`);
  const desk = createDesk(runtime, options);
  const presented = { name: "pegboard", version: VERSION, ...options };
  const { mcp, native, doors, routes } = createHttpDoors(desk, presented, base);
  const lock = createLock({
    recognise: typeof token === "function" ? token : (secret) => (sameSecret(secret, token) ? OWNER : undefined),
    hosts,
    origins,
    ...(rate !== undefined && { rate }),
  });
  const app = createHttpApp({
    lock,
    base,
    origins,
    version: VERSION,
    links: false,
    doors,
    routes,
    health: () => healthOf(desk, VERSION, native.plugins()),
    ...(metrics && { metrics }),
  });
  return {
    fetch: async (request) => app.fetch(withFacts(request)),
    async close(signal) {
      await desk.close(signal);
      await mcp.close();
    },
  };
}

/**
 * A request with the headers that the lock looks at. One that was made in this process has no `Host`, and no header tells
 * of a body whose length nobody knows.
 */
function withFacts(request: Request): Request {
  const { headers, body, url } = request;
  const lengthless = body !== null && !headers.has("content-length") && !headers.has("transfer-encoding");
  if (headers.has("host") && !lengthless) return request;
  const more = new Headers(headers);
  if (!headers.has("host")) more.set("host", new URL(url).host);
  if (lengthless) more.set("transfer-encoding", "chunked");
  return new Request(request, { headers: more });
}
