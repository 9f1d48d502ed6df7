import type { Json, ToolContext } from "@pegboard/contract";
import { type CallToolResult, Client, type ClientOptions, type PriorDiscovery } from "@modelcontextprotocol/client";
import { VERSION } from "../../version.ts";
import { type McpTool, type ReadTools, readTools } from "./read-tools.ts";
import { isClosed, toServerError } from "./server-error.ts";
import type { Wire } from "./wire.ts";

/** How a server is connected to. */
export interface ConnectOptions {
  /** In messages. */
  readonly label: string;
  /** The lines to try, in order: the next one when the server does not know the one before. */
  readonly wires: readonly WireChoice[];
  /** How long the server has to answer, in all. */
  readonly startMs: number;
  /** Gives up while it is being connected to. */
  readonly signal: AbortSignal;
  /** The server says that its tools have changed. */
  toolsChanged(): void;
  /** The line has ended, whoever ended it. */
  closed(): void;
}

/** A way to reach a server. */
export interface WireChoice {
  /** `legacy` is known to speak no newer revision than 2025-11-25: nothing is probed. */
  readonly era: "any" | "legacy";
  open(): Wire | Promise<Wire>;
}

/** A connection to a server of either era. */
export interface Connection {
  /** Which of the choices it was, and how to take it up again without probing. */
  readonly found: Found;
  /** All tools of the server, as far as the limits allow. Rejects when the server does not answer. */
  tools(): Promise<ReadTools>;
  /** Calls a tool. A signal that fires is passed on to the server. Rejects with what a result can be made of. */
  call(tool: McpTool, input: Json, context: Pick<ToolContext, "signal" | "progress">): Promise<CallToolResult>;
  hold(yes: boolean): void;
  close(): Promise<void>;
}

/** What is remembered of a connection. */
export interface Found {
  readonly choice: number;
  readonly prior: PriorDiscovery;
}

/** Old servers that do not know the probe mostly say so at once; some say nothing. */
const PROBE_MS = 10_000;
const LIST_MS = 30_000;
/** The dispatcher tells when a call takes too long. */
const NEVER = 2 ** 31 - 1;

/** Connects, in whichever era the server speaks. Rejects with `unavailable` and the reason; then nothing is left of it. */
export async function connect(options: ConnectOptions, known?: Found): Promise<Connection> {
  const choices = known ? [{ at: known.choice, prior: known.prior }] : options.wires.map((_, at) => ({ at }));
  let failure: unknown;
  for (const { at, ...rest } of choices) {
    try {
      return await connectOnce(options, at, "prior" in rest ? rest.prior : undefined);
    } catch (error) {
      failure ??= error;
      // A server that ended in mid-probe, or knows no such address, may know the next way; one that refuses does not.
      if (options.signal.aborted || !isClosed(error)) break;
    }
  }
  throw failure;
}

async function connectOnce(options: ConnectOptions, at: number, prior?: PriorDiscovery): Promise<Connection> {
  const { label, startMs, signal } = options;
  const { era, open } = options.wires[at]!;
  const wire = await open();
  const client = new Client(
    { name: "pegboard", version: VERSION },
    {
      capabilities: {},
      versionNegotiation: { mode: "auto", probe: { timeoutMs: Math.min(PROBE_MS, startMs / 3) } },
      jsonSchemaValidator: UNCHECKED,
      inputRequired: { autoFulfill: false },
      listChanged: { tools: { autoRefresh: false, debounceMs: 300, onChanged: () => options.toolsChanged() } },
    },
  );
  const remembered = prior ?? (era === "legacy" ? ({ kind: "legacy" } as const) : undefined);
  try {
    const connecting = client.connect(wire, { timeout: startMs, ...(remembered && { prior: remembered }) });
    await within(startMs, connecting, signal);
  } catch (error) {
    // Before it is closed: how we end it is not why it failed.
    const failure = toServerError(label, "could not be connected to", error, wire);
    await Promise.allSettled([client.close(), wire.close()]);
    throw failure;
  }
  client.onclose = () => options.closed();
  const discover = client.getDiscoverResult();
  return {
    found: { choice: at, prior: discover ? { kind: "modern", discover } : { kind: "legacy" } },
    async tools() {
      if (!client.getServerCapabilities()?.tools) return { tools: [], warnings: [] };
      try {
        return await within(
          LIST_MS,
          readTools((cursor) =>
            client.request({ method: "tools/list", params: cursor === undefined ? {} : { cursor } }, ANYTHING, {
              timeout: LIST_MS,
            }),
          ),
        );
      } catch (error) {
        throw toServerError(label, "did not list its tools", error, wire);
      }
    },
    async call({ name, inputSchema }, input, { signal, progress }) {
      try {
        return await client.callTool(
          { name, arguments: input as Record<string, unknown> },
          {
            signal,
            timeout: NEVER,
            toolDefinition: { name, inputSchema: inputSchema as { type: "object" } },
            onprogress: ({ message, progress: current, total }) =>
              progress(message ?? "", { current, ...(total !== undefined && { total }) }),
          },
        );
      } catch (error) {
        signal.throwIfAborted();
        throw toServerError(label, `failed to call "${name}"`, error, wire);
      }
    },
    hold: (yes) => wire.hold?.(yes),
    async close() {
      await Promise.allSettled([client.close(), wire.close()]);
    },
  };
}

async function within<T>(ms: number, work: Promise<T>, signal?: AbortSignal): Promise<T> {
  const { promise: late, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(new Error(`there was no answer within ${ms / 1000} seconds`)), ms);
  const abort = () => reject(new Error("it is no longer wanted"));
  signal?.addEventListener("abort", abort);
  if (signal?.aborted) abort();
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener("abort", abort);
    // What comes later is nobody's any more.
    work.catch(() => {});
  }
}

/** What a server says is checked where all tools are checked: a schema of the server's own must not hold the thread. */
const UNCHECKED: NonNullable<ClientOptions["jsonSchemaValidator"]> = {
  getValidator: () => (input) => ({ valid: true, data: input as never, errorMessage: undefined }),
};

/** Takes any value as it is: one tool that is wrong must not hide the others. */
const ANYTHING = {
  "~standard": { version: 1, vendor: "pegboard", validate: (value: unknown) => ({ value }) },
} as const;
