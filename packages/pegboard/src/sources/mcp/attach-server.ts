import type { McpServer } from "@pegboard/contract";
import { messageOf } from "../../core/error.ts";
import type { Layer, Registry, ToolSource } from "../../core/registry.ts";
import { type LoadedServer, loadServer, type LoadServerDeps } from "./load-server.ts";
import { toSourceName } from "./names.ts";
import { memoryPins, type PinStore } from "./pins.ts";
import type { McpPool } from "./pool.ts";
import { type OfferShelves, shelveOffers } from "../../core/offer-shelves.ts";

/** How a server is hung on a board. */
export interface AttachOptions extends Pick<LoadServerDeps, "resolve" | "remembered">, OfferShelves {
  /** Where the process or connection lives. */
  readonly pool: McpPool;
  /** Where it is kept what was agreed to; by default in memory, for this server alone. */
  readonly pins?: PinStore;
  /** The plugin that brings it; its name stands before that of the server. */
  readonly plugin?: string;
  /** The file that names it. */
  readonly file?: string;
  /** By default `user`, or `plugin` for that of a plugin. */
  readonly layer?: Layer;
  /** Called after every change: other tools, or other warnings. */
  changed?(attached: AttachedServer): void;
}

/** A server whose tools hang on a board, and follow what the server lists. Disposing takes them away. */
export interface AttachedServer extends Disposable {
  /** What stands before the names of its tools. */
  readonly source: string;
  /** Its tools hang, or there is a problem. Never rejects. */
  readonly ready: Promise<void>;
  /** Why it could not be had at the last try; its tools of before stay. */
  readonly problem: string | undefined;
  /** What of it was left out. */
  readonly warnings: readonly string[];
  /** Tries again, and takes up what has changed. Never rejects. */
  refresh(): Promise<void>;
}

/**
 * Hangs the tools of an MCP server on a board, as `server__tool`, as soon as it has told them. Never throws for a server
 * that cannot be had: that is a `problem`, and `refresh` tries again.
 */
export function attachMcpServer(
  board: Registry,
  name: string,
  server: McpServer,
  options: AttachOptions,
): AttachedServer {
  const { plugin, file, pool, pins = memoryPins(), layer = plugin === undefined ? "user" : "plugin" } = options;
  const source = toSourceName(name, plugin);
  const owner = { ...(plugin !== undefined && { plugin }), ...(file !== undefined && { file }) };
  const origin: ToolSource = { kind: "mcp", id: source, ...owner };
  let hung: Disposable | undefined;
  let offered: Disposable | undefined;
  let problem: string | undefined;
  let warnings: readonly string[] = [];
  let over = false;
  let refreshing = Promise.resolve();

  async function load(): Promise<void> {
    if (over) return;
    try {
      const deps = { ...options, pool, pins, changed: () => void refresh() };
      const loaded = await loadServer(source, server, deps);
      if (over) return loaded[Symbol.dispose]();
      problem = undefined;
      const { refused, handle } = hang(board, loaded, { prefix: source, source: origin, layer }, hung);
      hung = handle;
      // Names must be free before they are taken again.
      offered?.[Symbol.dispose]();
      const shelved = shelveOffers(loaded.offers, options, { prefix: source, ...owner });
      offered = shelved;
      warnings = [...loaded.warnings, ...refused, ...shelved.problems];
    } catch (error) {
      problem = messageOf(error);
    }
    options.changed?.(attached);
  }

  function refresh(): Promise<void> {
    return (refreshing = refreshing.then(load));
  }

  const attached: AttachedServer = {
    source,
    ready: refresh(),
    get problem() {
      return problem;
    },
    get warnings() {
      return warnings;
    },
    refresh,
    [Symbol.dispose]() {
      over = true;
      hung?.[Symbol.dispose]();
      hung = undefined;
      offered?.[Symbol.dispose]();
      offered = undefined;
    },
  };
  return attached;
}

type Options = Pick<NonNullable<Parameters<Registry["register"]>[1]>, "prefix" | "source" | "layer">;

/** Hangs what can be hung, then lets go of what hung before: whoever looks in between sees no gap. */
function hang(board: Registry, loaded: LoadedServer, options: Options, before: Disposable | undefined) {
  const handles: Disposable[] = [];
  const refused: string[] = [];
  for (const tool of loaded.tools) {
    const judge = loaded.judgeOf(tool);
    const given = { ...options, ...(judge && { judge }) };
    try {
      handles.push(before ? board.registerOrReplace(tool, given) : board.register(tool, given));
    } catch (error) {
      refused.push(messageOf(error));
    }
  }
  before?.[Symbol.dispose]();
  const handle: Disposable = {
    [Symbol.dispose]() {
      for (const one of handles) one[Symbol.dispose]();
      loaded[Symbol.dispose]();
    },
  };
  return { refused, handle };
}
