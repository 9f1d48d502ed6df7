import { type Context, Hono } from "hono";
import { bodyLimit } from "hono/body-limit";
import { cors } from "hono/cors";
import type { Principal } from "../principal.ts";
import type { Health } from "./health.ts";
import { type Lock, MOST_BYTES, TOO_LONG } from "./lock.ts";
import { refuse } from "./refusal.ts";

/** Answers a request of a principal whom the lock has let in. */
export type Door = (request: Request, principal: Principal) => Response | Promise<Response>;

/** What is mounted in one app. */
export interface HttpAppOptions {
  readonly lock: Lock;
  /** The doors by their paths: each gets what is asked at its path and below. */
  readonly doors: Readonly<Record<string, Door>>;
  /** Apps by their paths. */
  readonly routes?: Readonly<Record<string, Hono<HttpEnv>>>;
  health(): Health;
  /** Everything that is counted, as Prometheus reads it; without it there is no `/metrics`. */
  metrics?(): string;
  /** Whether links let browsers in, as the lock's guest; by default they do. */
  readonly links?: boolean;
  /** The path below which all of it hangs: `/tools`; by default the root. */
  readonly base?: string;
  /** Pages of other origins that may read answers. */
  readonly origins?: readonly string[];
  readonly version: string;
  /** Is told of what failed and should not have; the client is told only that it did. */
  failed?(error: unknown): void;
}

/** All doors behind one lock. */
export interface HttpApp {
  fetch(request: Request): Response | Promise<Response>;
}

/** What the lock tells everything behind it. */
interface HttpEnv {
  readonly Variables: { readonly principal: Principal };
}

/** What pages of ours may do, and that nobody frames or keeps them. */
const PAGE = {
  "cache-control": "no-store",
  "content-security-policy": "default-src 'self'; frame-ancestors 'none'",
  "referrer-policy": "no-referrer",
  "x-content-type-options": "nosniff",
};

/** A body is not longer than this; what names its length is refused by the lock. */
const limitBody = bodyLimit({ maxSize: MOST_BYTES, onError: () => refuse(TOO_LONG) });

/** Where a one-time link leads. */
export const ENTRY = "/enter/";

/** Hangs doors on one app, behind one lock. */
export function createHttpApp(options: HttpAppOptions): HttpApp {
  const { lock, doors, routes = {}, health, metrics, origins = [], version, links = true, base = "" } = options;
  const app = new Hono<HttpEnv>().basePath(base);
  const pages = new Set(origins);
  // Without origins of others no answer says that anybody may read it.
  if (pages.size > 0)
    app.use(cors({ origin: (origin) => (pages.has(origin) ? origin : null), exposeHeaders: ["Mcp-Session-Id"] }));
  if (links) app.get(`${ENTRY}:code`, (context) => enter(lock, context));
  app.use(async (context, next) => {
    const { principal, refusal } = lock.admit(context.req.raw);
    if (refusal) return refuse(refusal);
    context.set("principal", principal);
    return context.req.raw.headers.has("transfer-encoding") ? limitBody(context, next) : next();
  });
  app.get("/", (context) =>
    context.json({ name: "pegboard", version, doors: Object.keys({ ...doors, ...routes }) }, 200, PAGE),
  );
  app.get("/health", (context) => {
    const report = health();
    return context.json(report, report.status === "ok" ? 200 : 503, PAGE);
  });
  if (metrics)
    app.get("/metrics", (context) =>
      context.body(metrics(), 200, { ...PAGE, "content-type": "text/plain; version=0.0.4; charset=utf-8" }),
    );
  if (links) app.post("/links", (context) => context.json({ path: ENTRY + lock.links.create() }, 201, PAGE));
  for (const [path, door] of Object.entries(doors)) {
    const knock = (context: Context<HttpEnv>) => door(context.req.raw, context.get("principal"));
    app.all(path, knock).all(`${path}/*`, knock);
  }
  for (const [path, route] of Object.entries(routes)) app.route(path, route);
  app.notFound(({ req }) => refuse({ status: 404, code: "not_found", message: `There is nothing at ${req.path}` }));
  app.onError((error) => {
    options.failed?.(error);
    return refuse({ status: 500, code: "internal", message: "The request failed: a defect of the server" });
  });
  return { fetch: (request) => app.fetch(request) };
}

/** Lets the browser in that opened a link, once, and leads it away from the code. */
function enter({ links, address }: Lock, { req }: Context): Response {
  const problem = address(req.raw.headers);
  if (problem) return refuse(problem);
  const secret = links.redeem(req.param("code") ?? "");
  if (secret === undefined)
    return refuse({ status: 401, code: "denied", message: "This link was used already: ask for another one" });
  const cookie = `${links.cookie}=${secret}; Path=/; HttpOnly; SameSite=Strict`;
  return new Response(null, { status: 303, headers: { ...PAGE, location: "/", "set-cookie": cookie } });
}
