import type { McpServer } from "@pegboard/contract";
import { PegboardError } from "../../core/error.ts";
import { canonicalJson } from "../../core/json.ts";
import type { WireChoice } from "./connection.ts";
import { fetchPost, type Post } from "./post.ts";
import { isProgram } from "./server.ts";
import { SharedServer } from "./shared-server.ts";
import { unheld } from "./unheld.ts";
import type { Wire } from "./wire.ts";

/** What a pool is made of. Times are milliseconds. */
export interface McpPoolOptions {
  /** Starts the program of a server. Without it, only addresses can be reached. */
  readonly openProgram?: (server: Extract<McpServer, { readonly command: string }>) => Wire;
  /** How calls are sent to addresses; by default with `fetch`. */
  readonly post?: Post;
  /** How long a server has to start; 30 seconds by default. */
  readonly startMs?: number;
  /** How long a server is kept after its last call; 5 minutes by default. */
  readonly idleMs?: number;
}

/** Servers that are shared: equal ones are one process or connection, whoever uses them. */
export interface McpPool extends AsyncDisposable {
  /** A share of a server. Nothing is started yet; when nobody has had a share for a while, the server is stopped. */
  share(label: string, server: McpServer): McpShare;
  /** How many servers are shared now. */
  readonly size: number;
}

/** A share of a server. */
export interface McpShare extends Pick<SharedServer, "list" | "call" | "ask" | "onChange">, Disposable {}

const addresses = () => import("./http-wire.ts");

const START_MS = 30_000;
const IDLE_MS = 5 * 60_000;
/** Runs of agents come one after another, and bring the same servers. */
const LINGER_MS = 30_000;

/** Makes a pool. Disposing it stops all servers. */
export function createMcpPool(options: McpPoolOptions = {}): McpPool {
  const { startMs = START_MS, idleMs = IDLE_MS } = options;
  const shared = new Map<string, Entry>();
  const closing = new Set<Promise<void>>();

  function leave(key: string, entry: Entry): void {
    if (--entry.users > 0) return;
    const leaveLater = () => (entry.leaving = unheld(setTimeout(close, Math.min(idleMs, LINGER_MS))));
    const close = () => {
      // A call that is under way ends as it began, also when its tool is gone.
      if (entry.server.isBusy) return leaveLater();
      if (shared.get(key) === entry) shared.delete(key);
      const closed = entry.server.close().finally(() => closing.delete(closed));
      closing.add(closed);
    };
    leaveLater();
  }

  return {
    get size() {
      return shared.size;
    },
    share(label, server) {
      const key = canonicalJson(server);
      let entry = shared.get(key);
      if (!entry) {
        const deps = { label, wires: toWires(server, options), startMs, idleMs };
        shared.set(key, (entry = { server: new SharedServer(deps), users: 0 }));
      }
      const { server: one } = enter(entry);
      const mine = entry;
      let left = false;
      return {
        list: () => one.list(),
        call: (tool, input, context) => one.call(tool, input, context),
        ask: (method, params, context) => one.ask(method, params, context),
        onChange: (listener) => one.onChange(listener),
        [Symbol.dispose]() {
          if (!left) leave(key, mine);
          left = true;
        },
      };
    },
    async [Symbol.asyncDispose]() {
      const servers = [...shared.values()];
      shared.clear();
      for (const { leaving } of servers) clearTimeout(leaving);
      await Promise.all([...servers.map(({ server }) => server.close()), ...closing]);
    },
  };
}

interface Entry {
  readonly server: SharedServer;
  users: number;
  leaving?: ReturnType<typeof setTimeout>;
}

function enter(entry: Entry): Entry {
  entry.users++;
  clearTimeout(entry.leaving);
  return entry;
}

function toWires(server: McpServer, { openProgram, post = fetchPost }: McpPoolOptions): readonly WireChoice[] {
  if (isProgram(server)) {
    if (!openProgram)
      throw new PegboardError(
        "unavailable",
        `The program "${server.command}" cannot be started here: give the pool openProgram`,
      );
    const open = () => openProgram(server);
    // Some old servers end when they are asked something before they are greeted.
    return [
      { era: "any", open },
      { era: "legacy", open },
    ];
  }
  const http: WireChoice = { era: "any", open: async () => (await addresses()).httpWire(server, "http", post) };
  const sse: WireChoice = { era: "legacy", open: async () => (await addresses()).httpWire(server, "sse", post) };
  if (server.type === undefined) return [http, sse];
  return [server.type === "sse" ? sse : http];
}
