import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as pause } from "node:timers/promises";
import { getRequestListener } from "@hono/node-server";
import { PegboardError } from "../../core/error.ts";
import type { Event } from "../../core/event.ts";
import { createMetrics } from "../../observe/metrics.ts";
import { toPrometheus } from "../../observe/prometheus.ts";
import { createTracing } from "../../observe/trace.ts";
import type { Runtime } from "../../runtime.ts";
import { createDesk, type Desk, type DeskOptions } from "../../transports/desk.ts";
import { createHttpApp, ENTRY } from "../../transports/http/app.ts";
import { sameSecret } from "../../transports/http/credential.ts";
import { healthOf } from "../../transports/http/health.ts";
import { createLock } from "../../transports/http/lock.ts";
import type { Principal } from "../../transports/principal.ts";
import { VERSION } from "../../version.ts";
import { bracketed, checkBind, namesOf } from "./bind.ts";
import { createDoors, type DoorsOptions } from "./doors.ts";
import { inTurn } from "./in-turn.ts";
import { INSTRUCTIONS } from "./instructions.ts";
import { acceptSockets } from "./sockets.ts";
import { watchUnread } from "./unread.ts";

/** Where a server listens, and whom it lets in. */
export interface ServerOptions
  extends Pick<DeskOptions, "approve">, Pick<DoorsOptions, "plugins" | "agents" | "bareNames" | "sealKey"> {
  /** The most sessions that are open at once; 1,000 when absent. */
  readonly sessions?: number;
  /** The most calls and runs that are at work at once; 10,000 when absent. */
  readonly work?: number;
  /** Opens every door; at least 32 characters that nobody can guess. */
  readonly token: string;
  /** 127.0.0.1 when absent. */
  readonly host?: string;
  /** 4747 when absent; 0 is any that is free. */
  readonly port?: number;
  /** Whether other machines may reach it. */
  readonly allowRemote?: boolean;
  /** Names under which it is asked, besides those of this machine. */
  readonly hosts?: readonly string[];
  /** Origins of pages that may ask it, besides its own. */
  readonly origins?: readonly string[];
  /** How many requests a second are taken; any number when absent. */
  readonly rate?: number;
  /** Is told of what failed in the server itself, which its client is not told. */
  failed?(error: unknown): void;
}

/** A server that listens. */
export interface RunningServer {
  readonly url: string;
  readonly port: number;
  /** Makes a link that lets a browser in, once. */
  link(): string;
  /**
   * Takes no more work, waits for what goes on until the signal fires, then cancels it; everything is answered. Resolves
   * when the last connection is closed.
   */
  close(signal?: AbortSignal): Promise<void>;
}

/** Whoever has the token is the person whose server it is. */
const OWNER: Principal = { id: "local", client: "http" };
/** How long the last answers may be on their way. */
const LAST_WORDS_MS = 1_000;

/** Does what `startServer` says. */
export async function serveRuntime(runtime: Runtime, options: ServerOptions): Promise<RunningServer> {
  const { token, host = "127.0.0.1", port = 4747, allowRemote = false, hosts = [], origins = [], rate } = options;
  checkBind(host, allowRemote);
  const metrics = createMetrics();
  const tracing = createTracing();
  const observe = (event: Event) => {
    metrics.add([event]);
    tracing.add(event);
  };
  const desk = createDesk(runtime, {
    // All clients are one principal here.
    sessions: 1_000,
    work: 10_000,
    ...options,
    opened: (session) => void session.listen(observe),
  });
  const doors = createDoors(desk, { ...options, name: "pegboard", version: VERSION, instructions: INSTRUCTIONS });
  const lock = createLock({
    recognise: (secret) => (sameSecret(secret, token) ? OWNER : undefined),
    guest: OWNER,
    hosts: [...namesOf(host), ...hosts],
    origins,
    ...(rate !== undefined && { rate }),
  });
  const app = createHttpApp({
    ...doors,
    lock,
    origins,
    ...(options.failed && { failed: options.failed }),
    version: VERSION,
    health: () => healthOf(desk, VERSION, doors.plugins()),
    metrics: () => toPrometheus(metrics.snapshot(), { version: VERSION, work: desk.atWork }),
  });
  const listener = getRequestListener((request) => app.fetch(request));
  const server = createServer(inTurn((request, response) => void listener(request, response)));
  const watching = watchUnread(server, options.failed);
  const sockets = acceptSockets(server, { lock, path: "/ws", doors: doors.sockets });
  const bound = await listen(server, host, port);
  const url = `http://${bracketed(host)}:${bound}`;
  let closing: Promise<void> | undefined;

  async function close(signal: AbortSignal | undefined): Promise<void> {
    // Whoever asks meanwhile is told so: the port stays open as long as anything is at work.
    await desk.close(signal);
    await answered(desk);
    const closed = once(server, "close");
    server.close();
    sockets.close();
    await doors.close();
    server.closeIdleConnections();
    const late = setTimeout(() => server.closeAllConnections(), LAST_WORDS_MS);
    await closed;
    clearTimeout(late);
    watching[Symbol.dispose]();
  }

  return {
    url,
    port: bound,
    link: () => `${url}${ENTRY}${lock.links.create()}`,
    close: (signal) => (closing ??= close(signal)),
  };
}

/** What was cancelled has its result now; its answer is a moment later on its way. */
async function answered(desk: Desk): Promise<void> {
  const until = performance.now() + LAST_WORDS_MS;
  do await pause(5);
  while (desk.atWork > 0 && performance.now() < until);
}

async function listen(server: Server, host: string, port: number): Promise<number> {
  server.listen(port, host);
  try {
    await once(server, "listening");
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    const why = code === "EADDRINUSE" ? "something listens there already: choose another port" : code;
    throw new PegboardError("unavailable", `${host}, port ${port}, cannot be had: ${why}`, { cause: error });
  }
  return (server.address() as AddressInfo).port;
}
