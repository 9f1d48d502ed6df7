import type { Json, McpServer, Tool } from "@pegboard/contract";
import { messageOf, PegboardError } from "../../core/error.ts";
import { canonicalJson, sha256 } from "../../core/json.ts";
import type { Judge } from "../../core/judge.ts";
import { isListed } from "../../core/scope.ts";
import type { Pinned, PinStore } from "./pins.ts";
import type { McpPool, McpShare } from "./pool.ts";
import type { Listing, McpTool } from "./read-tools.ts";
import { serverDigest } from "./server.ts";
import { type ServerOffers, toServerOffers } from "./server-offers.ts";
import { toReturn } from "./to-result.ts";
import { definitionOf, toTool } from "./to-tool.ts";

/** What the tools of a server are loaded with. */
export interface LoadServerDeps {
  readonly pool: McpPool;
  readonly pins: PinStore;
  /** The server as it is reached, of the one that is written: with variables and secrets filled in. */
  resolve?(server: McpServer): Promise<McpServer>;
  /** Remembers what a server lists, so that it need not run to be listed. It is never believed for a call. */
  readonly remembered?: RememberedTools;
  /** The tools are no longer these, or no longer ask: they must be loaded anew. */
  changed(): void;
}

/** What a server listed last. */
export interface RememberedTools {
  read(): Omit<Listing, "warnings"> | undefined;
  write(listing: Omit<Listing, "warnings">): void;
}

/** The tools of a server, for a board. Disposing lets go of the server. */
export interface LoadedServer extends Disposable {
  readonly tools: readonly Tool[];
  /** Who must agree to a call of the tool whatever the rules say: its definition is not the one that was agreed to. */
  judgeOf(tool: Tool): Judge | undefined;
  /** What it has besides tools. */
  readonly offers: Pick<ServerOffers, "prompts" | "resources">;
  /** What was left out, in words. */
  readonly warnings: readonly string[];
}

/** Loads the tools of a server under the name of its source. Rejects with `unavailable` when they cannot be had. */
export async function loadServer(source: string, entry: McpServer, deps: LoadServerDeps): Promise<LoadedServer> {
  // What is used of a server says nothing about the server: those who use different parts of it share it.
  const { tools: used, ...written } = entry;
  const server = deps.resolve ? await deps.resolve(written) : written;
  const share = deps.pool.share(source, server);
  try {
    const known = deps.remembered?.read();
    const listing: Listing = known ? { ...known, warnings: [] } : await share.list();
    if (!known) deps.remembered?.write(listing);
    const offers = toServerOffers(listing, { source, share });
    const pins = await readPins(source, written, definitionsIn(listing, offers), deps);
    return hangUp({ source, server, share, listing, offers, used, deps, isFresh: !known, ...pins });
  } catch (error) {
    share[Symbol.dispose]();
    throw error;
  }
}

interface Parts {
  readonly source: string;
  readonly server: McpServer;
  readonly share: McpShare;
  readonly listing: Listing;
  readonly offers: ServerOffers;
  /** Which of them are used; absent is all. */
  readonly used: readonly string[] | undefined;
  /** Whether the server itself has just said so. */
  readonly isFresh: boolean;
  readonly deps: LoadServerDeps;
  /** All that is pinned, with these very tools. */
  readonly wanted: Pinned;
  /** The names of the tools that nobody has agreed to as they are. */
  readonly unpinned: ReadonlySet<string>;
}

/** The tools that a server lists, and the one that reads what else it has. */
function definitionsIn({ tools }: Listing, { reader }: ServerOffers): readonly McpTool[] {
  return reader ? [...tools, reader.definition] : tools;
}

function hangUp(parts: Parts): LoadedServer {
  const { source, server, share, listing, offers, used, isFresh, deps, wanted, unpinned } = parts;
  const warnings = [...listing.warnings];
  const tools: Tool[] = [];
  const judged = new Set<Tool>();
  const listed = new Map(listing.tools.map((tool) => [tool.name, canonicalJson(definitionOf(tool))]));
  let verified = isFresh ? listing : undefined;

  async function verify(name: string): Promise<void> {
    const now = await share.list();
    if (now === verified) return;
    const same = (tool: McpTool) => listed.get(tool.name) === canonicalJson(definitionOf(tool));
    if (now.tools.length === listed.size && now.tools.every(same)) return void (verified = now);
    deps.remembered?.write(now);
    deps.changed();
    if (now.tools.some((tool) => tool.name === name && same(tool))) return;
    throw new PegboardError(
      "unavailable",
      `MCP server "${source}" no longer has the tool "${name}" as it was listed: list the tools again`,
      { retryable: true },
    );
  }

  for (const definition of definitionsIn(listing, offers)) {
    const { name } = definition;
    const reader = offers.reader?.definition === definition ? offers.reader : undefined;
    if (used && !isListed(used, name)) continue;
    try {
      const made = toTool(definition, {
        server,
        source,
        prepare: async () => void (reader || (await verify(name))),
        async execute(input, context) {
          // Whoever let the call pass has agreed to the tool as it is.
          if (unpinned.has(name)) await agree(source, name, wanted, deps);
          if (reader) return reader.execute(input, context);
          return toReturn(await share.call(definition, input as Json, context));
        },
      });
      warnings.push(...made.warnings);
      tools.push(made.tool);
      if (unpinned.has(name)) judged.add(made.tool);
    } catch (error) {
      warnings.push(`tool ${JSON.stringify(name.slice(0, 80))} is left out: ${messageOf(error)}`);
    }
  }
  const watching = share.onChange(() => {
    void share.list().then((now) => {
      deps.remembered?.write(now);
      deps.changed();
    }, deps.changed);
  });
  return {
    tools,
    offers,
    warnings,
    judgeOf: (tool) => (judged.has(tool) ? ASK_AGAIN : undefined),
    [Symbol.dispose]() {
      watching[Symbol.dispose]();
      share[Symbol.dispose]();
    },
  };
}

const ASK_AGAIN: Judge = {
  outlook: "ask",
  unsafe: [],
  judge: () => ({
    approval: "ask",
    reason: "its definition, or how its server is reached, is not what was agreed to before",
    ruled: true,
    suggestions: [],
  }),
};

/** The first time, what a server lists is what is agreed to. From then on whatever is new or different asks again. */
async function readPins(
  source: string,
  written: McpServer,
  tools: readonly McpTool[],
  { pins }: LoadServerDeps,
): Promise<Pick<Parts, "wanted" | "unpinned">> {
  const digests = await Promise.all(
    tools.map(async (tool) => [tool.name, await sha256(canonicalJson(definitionOf(tool)))] as const),
  );
  const wanted: Pinned = { server: await serverDigest(written), tools: Object.fromEntries(digests) };
  const pinned = await pins.get(source);
  if (!pinned) {
    await pins.set(source, wanted);
    return { wanted, unpinned: new Set() };
  }
  const isPinned = (name: string, digest: string) =>
    pinned.server === wanted.server && Object.hasOwn(pinned.tools, name) && pinned.tools[name] === digest;
  return {
    wanted,
    unpinned: new Set(digests.filter(([name, digest]) => !isPinned(name, digest)).map(([name]) => name)),
  };
}

async function agree(source: string, name: string, wanted: Pinned, { pins, changed }: LoadServerDeps): Promise<void> {
  const pinned = await pins.get(source);
  // Pins of another server say nothing about this one.
  const others = pinned?.server === wanted.server ? pinned.tools : {};
  await pins.set(source, { server: wanted.server, tools: { ...others, [name]: wanted.tools[name]! } });
  changed();
}
