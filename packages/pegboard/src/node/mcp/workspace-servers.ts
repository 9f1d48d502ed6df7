import { join } from "node:path";
import type { McpServer } from "@pegboard/contract";
import { PegboardError } from "../../core/error.ts";
import { canonicalJson } from "../../core/json.ts";
import { resolveSecrets, type SecretDeps } from "../../core/secret.ts";
import { expandServer } from "../../sources/mcp/expand.ts";
import { type LoadedServer, loadServer, type RememberedTools } from "../../sources/mcp/load-server.ts";
import type { PinStore } from "../../sources/mcp/pins.ts";
import type { McpPool } from "../../sources/mcp/pool.ts";
import type { Offers } from "../../sources/mcp/read-offers.ts";
import type { McpTool } from "../../sources/mcp/read-tools.ts";
import { createDefinitionCache } from "../sandbox/definition-cache.ts";
import { changedError, sealFiles } from "../sandbox/seal.ts";
import { stamp } from "../stamp.ts";
import { createLocalMcpPool, type ProgramPlace } from "./local-pool.ts";
import { pinFile, unsavedPins } from "./pin-file.ts";

/** What the servers of a workspace are made with. */
export interface WorkspaceServersDeps extends SecretDeps {
  readonly folder: string;
  /** The folder of the person's own settings. */
  readonly home: string;
  /** Where it is remembered what servers list; absent is nowhere, and then nothing else is written either. */
  readonly cache?: string;
  /** The command that runs a program as confined as the settings want. */
  confine(argv: readonly string[], place: ProgramPlace): Promise<readonly string[]>;
  readonly env?: NodeJS.ProcessEnv;
}

/** One server to load. */
export interface ServerRequest {
  /** What stands before the names of its tools. */
  readonly source: string;
  /** As it is written. */
  readonly server: McpServer;
  /** The local files that it runs: when one of them changes, it is not started again. */
  readonly files: readonly string[];
  changed(): void;
}

/** The MCP servers of a workspace: one pool for all sessions, agents and plugins. */
export interface WorkspaceServers extends AsyncDisposable {
  readonly pool: McpPool;
  readonly pins: PinStore;
  /** The server as it is reached: variables of the environment and secrets are filled in. */
  resolve(source: string, server: McpServer): Promise<McpServer>;
  /** Loads the tools of a server. Rejects with `unavailable` when they cannot be had. */
  load(request: ServerRequest): Promise<LoadedServer>;
}

interface Remembered {
  readonly tools: readonly McpTool[];
  readonly offers?: Offers;
  readonly problems: readonly never[];
  readonly at: number;
}

/** For so long a list is shown that the server itself has not repeated. */
const LIST_MS = 24 * 60 * 60_000;

/** Makes the servers of a workspace. Nothing is started before it is needed. */
export function createWorkspaceServers(deps: WorkspaceServersDeps): WorkspaceServers {
  const { folder, home, cache: place, env = process.env } = deps;
  const saved = pinFile(join(home, "mcp-pins.json"), folder);
  const pins = place === undefined ? unsavedPins(saved) : saved;
  const cache = place === undefined ? undefined : createDefinitionCache<Remembered>(place);
  const sealed = new Map<string, () => void>();
  const pool = createLocalMcpPool({
    cwd: folder,
    async confine(argv, at) {
      // The code is read only now, perhaps long after the person agreed to it.
      sealed.get(canonicalJson(at.server))?.();
      return deps.confine(argv, at);
    },
  });

  async function resolve(source: string, server: McpServer): Promise<McpServer> {
    return resolveSecrets(
      expandServer(source, server, (name) => env[name]),
      deps,
    );
  }

  let over = false;
  const retries = new Map<string, Retry>();

  function retryLater({ source, changed }: ServerRequest): void {
    const { times = 0, timer } = retries.get(source) ?? {};
    clearTimeout(timer);
    if (over) return;
    const pause = Math.min(LONGEST_RETRY_MS, FIRST_RETRY_MS * 2 ** times);
    retries.set(source, { times: times + 1, timer: setTimeout(changed, pause).unref() });
  }

  async function loadNow({ source, server, files, changed }: ServerRequest): Promise<LoadedServer> {
    const isSame = sealFiles(files);
    const key = JSON.stringify(["mcp", source, server, folder, files.map(stamp)]);
    return loadServer(source, server, {
      pool,
      pins,
      changed,
      async resolve(written) {
        const resolved = await resolve(source, written);
        sealed.set(canonicalJson(resolved), () => {
          if (isSame()) return;
          changed();
          throw changedError(`MCP server "${source}"`);
        });
        return resolved;
      },
      ...(cache && { remembered: toRemembered(cache, key) }),
    });
  }

  return {
    pool,
    pins,
    resolve,
    async load(given) {
      const request = { ...given, changed: () => void (over || given.changed()) };
      const loading = loadNow(request);
      if (!(await isTimely(loading))) {
        // What comes late is let go of and loaded again, which is quick then.
        const letGo = (loaded: LoadedServer) => {
          loaded[Symbol.dispose]();
          request.changed();
        };
        void loading.then(letGo, () => retryLater(request));
        throw new PegboardError(
          "unavailable",
          `MCP server "${given.source}" has not answered within ${WAIT_MS / 1000} seconds, and is waited for`,
        );
      }
      try {
        const loaded = await loading;
        retries.delete(given.source);
        return loaded;
      } catch (error) {
        retryLater(request);
        throw error;
      }
    },
    async [Symbol.asyncDispose]() {
      over = true;
      for (const { timer } of retries.values()) clearTimeout(timer);
      await pool[Symbol.asyncDispose]();
    },
  };
}

interface Retry {
  readonly times: number;
  readonly timer: NodeJS.Timeout;
}

/** A server that takes its time must not keep a workspace from being opened. */
const WAIT_MS = 10_000;
const FIRST_RETRY_MS = 15_000;
const LONGEST_RETRY_MS = 10 * 60_000;

/** Whether something has come to an end, whichever, within the time that is waited for it. */
function isTimely(work: Promise<unknown>): Promise<boolean> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => resolve(false), WAIT_MS);
    const settled = () => {
      clearTimeout(timer);
      resolve(true);
    };
    work.then(settled, settled);
  });
}

function toRemembered(cache: ReturnType<typeof createDefinitionCache<Remembered>>, key: string): RememberedTools {
  return {
    read() {
      const { tools, offers, at = 0 } = cache.read(key) ?? {};
      return tools && offers && Date.now() - at < LIST_MS ? { tools, offers } : undefined;
    },
    write: ({ tools, offers }) => cache.write(key, { tools, offers, problems: [], at: Date.now() }),
  };
}
