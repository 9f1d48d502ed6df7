import type { CallClient, Json } from "@pegboard/contract";
import {
  type CallToolResult,
  Client,
  CLIENT_INFO_META_KEY,
  type ClientOptions,
  type PriorDiscovery,
  PROTOCOL_VERSION_META_KEY,
} from "@modelcontextprotocol/client";
import { VERSION } from "../../version.ts";
import { announce, askBack, type AskContext } from "./ask-back.ts";
import { type CallContext, callRemotely } from "./call-remotely.ts";
import { readOffers } from "./read-offers.ts";
import { type Listing, type McpTool, readTools } from "./read-tools.ts";
import { Requests } from "./requests.ts";
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
  /** All that the server lists, as far as the limits allow. Rejects when it does not tell its tools. */
  list(): Promise<Listing>;
  /**
   * Calls a tool. A signal that fires is passed on to the server, and what the server asks back to the client of the call.
   * Rejects with what a result can be made of.
   */
  call(tool: McpTool, input: Json, context: CallContext): Promise<CallToolResult>;
  /** Asks for something else than a tool, in the words of the protocol; the answer is as it came. */
  ask(method: string, params: Json, context: AskContext): Promise<Json>;
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
const INFO = { name: "pegboard", version: VERSION };

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
  const watched = { autoRefresh: false, debounceMs: 300, onChanged: () => options.toolsChanged() };
  // Every call counts, also one that nobody can be asked about: what the server says may be about that one.
  const atWork = new Set<{ readonly client: CallClient | undefined }>();
  const client = new Client(INFO, {
    capabilities: { elicitation: { form: {} } },
    versionNegotiation: { mode: "auto", probe: { timeoutMs: Math.min(PROBE_MS, startMs / 3) } },
    jsonSchemaValidator: UNCHECKED,
    inputRequired: { autoFulfill: false },
    listChanged: { tools: watched, prompts: watched, resources: watched },
  });
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
  const discover = client.getDiscoverResult();
  const spoken = discover ? "modern" : "legacy";
  const requests = new Requests(wire, {
    streamEach: spoken === "modern" && wire.hasPerRequestStream === true,
    notify: (method, params) => client.notification({ method, params }),
  });
  const envelope =
    spoken === "legacy"
      ? {}
      : { [PROTOCOL_VERSION_META_KEY]: client.getNegotiatedProtocolVersion(), [CLIENT_INFO_META_KEY]: INFO };
  client.onclose = () => {
    requests.end();
    options.closed();
  };
  client.setRequestHandler("elicitation/create", async ({ params }) => {
    // In the old era nothing says who is meant. Nobody has decided where that is not clear.
    const [one, ...others] = atWork;
    if (!one?.client || others.length > 0) return { action: "cancel" };
    return one.client
      .ask("elicitation", "elicitation/create", params as Json)
      .catch(() => ({ action: "cancel" })) as never;
  });
  client.setNotificationHandler("notifications/message", ({ params: { level, data } }) => {
    // The protocol does not say whose it is: where several wait, it could be told to somebody whom it does not concern.
    if (atWork.size === 1) for (const { client: one } of atWork) one?.log(level, data as Json);
  });
  return {
    found: { choice: at, prior: discover ? { kind: "modern", discover } : { kind: "legacy" } },
    async list() {
      const capabilities = client.getServerCapabilities() ?? {};
      const ask = (method: string, params: Record<string, string>) =>
        client.request({ method, params }, ANYTHING, { timeout: LIST_MS });
      const page = (cursor: string | undefined) => ask("tools/list", cursor === undefined ? {} : { cursor });
      const tools = capabilities.tools ? readTools(page) : { tools: [], warnings: [] };
      try {
        const [read, offers] = await within(LIST_MS, Promise.all([tools, readOffers(capabilities, ask)]));
        return { ...read, offers };
      } catch (error) {
        throw toServerError(label, "did not list its tools", error, wire);
      }
    },
    async call(tool, input, context) {
      const { signal, client: asked } = context;
      const call = { client: asked };
      atWork.add(call);
      try {
        return await callRemotely(tool, input, context, { spoken, requests, envelope });
      } catch (error) {
        signal.throwIfAborted();
        throw toServerError(label, `failed to call "${tool.name}"`, error, wire);
      } finally {
        atWork.delete(call);
      }
    },
    async ask(method, params, { signal, client: asked }) {
      const meta = spoken === "modern" && { _meta: announce(asked) };
      try {
        const answer = await askBack(
          asked,
          (answers) =>
            client.request({ method, params: { ...(params as object), ...answers, ...meta } }, ANYTHING, {
              signal,
              timeout: LIST_MS,
              allowInputRequired: true,
            }) as Promise<object>,
        );
        return answer as Json;
      } catch (error) {
        signal.throwIfAborted();
        throw toServerError(label, `did not answer ${method}`, error, wire);
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
