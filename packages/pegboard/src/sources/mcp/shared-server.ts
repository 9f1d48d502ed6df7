import type { Json } from "@pegboard/contract";
import type { CallToolResult } from "@modelcontextprotocol/client";
import { PegboardError } from "../../core/error.ts";
import type { AskContext } from "./ask-back.ts";
import type { CallContext } from "./call-remotely.ts";
import type { Connection, Found, WireChoice } from "./connection.ts";
import type { McpTool, Listing } from "./read-tools.ts";
import { isForgotten } from "./server-error.ts";
import { unheld } from "./unheld.ts";

/** How a server is shared. Times are milliseconds. */
export interface SharedServerDeps {
  readonly label: string;
  readonly wires: readonly WireChoice[];
  /** How long it has to start. */
  readonly startMs: number;
  /** How long it is kept after the last call. */
  readonly idleMs: number;
}

interface Live {
  readonly connection: Connection;
  listing: Listing;
  /** Whether it was asked again already. */
  relisted?: boolean;
}

// The protocol is loaded when a server is needed: most programs have none.
const protocol = () => import("./connection.ts");

const FIRST_PAUSE_MS = 500;
const LONGEST_PAUSE_MS = 30_000;
const RELIST_MS = 2_000;

/**
 * One server, for all who use it. It is started when it is needed, once for all who need it at that moment, stopped when
 * nobody has called it for a while, and started again by the next call. One that does not start is left alone for longer
 * and longer.
 */
export class SharedServer {
  readonly #deps: SharedServerDeps;
  readonly #listeners = new Set<() => void>();
  #live: Promise<Live> | undefined;
  /** The same, once it is there. */
  #current: Live | undefined;
  #found: Found | undefined;
  #calls = 0;
  #idle: ReturnType<typeof setTimeout> | undefined;
  #lastUse = 0;
  #relisting = false;
  #failures = 0;
  #notBefore = 0;
  #failure: unknown;
  #closed = false;
  #starting = new AbortController();

  constructor(deps: SharedServerDeps) {
    this.#deps = deps;
  }

  /** Whether somebody waits for an answer of it. */
  get isBusy(): boolean {
    return this.#calls > 0;
  }

  /** What it lists now; starts it if need be. Rejects with `unavailable`. */
  async list(): Promise<Listing> {
    return this.#current?.listing ?? this.#use(async ({ listing }) => listing);
  }

  async call(tool: McpTool, input: Json, context: CallContext): Promise<CallToolResult> {
    return this.#use(async (live) => {
      try {
        return await live.connection.call(tool, input, context);
      } catch (error) {
        if (!isForgotten(error)) throw error;
        // The address has forgotten us and did nothing: from the beginning, once.
        await this.#drop(live.connection);
        return (await this.#start()).connection.call(tool, input, context);
      }
    });
  }

  /** Asks for something else than a tool; starts it if need be. */
  async ask(method: string, params: Json, context: AskContext): Promise<Json> {
    return this.#use(({ connection }) => connection.ask(method, params, context));
  }

  /** Calls the listener when the server lists other tools than before. */
  onChange(listener: () => void): Disposable {
    this.#listeners.add(listener);
    return { [Symbol.dispose]: () => void this.#listeners.delete(listener) };
  }

  /** Stops it; the next call starts it again. What is under way fails. */
  async stop(): Promise<void> {
    clearTimeout(this.#idle);
    this.#idle = undefined;
    const live = this.#live;
    this.#forget();
    this.#starting.abort();
    this.#starting = new AbortController();
    await live?.then(
      ({ connection }) => connection.close(),
      () => {},
    );
  }

  /** Stops it for good. */
  async close(): Promise<void> {
    this.#closed = true;
    this.#listeners.clear();
    await this.stop();
  }

  async #use<T>(work: (live: Live) => Promise<T>): Promise<T> {
    this.#calls++;
    let live: Live | undefined;
    try {
      live = await this.#start();
      live.connection.hold(true);
      return await work(live);
    } finally {
      if (--this.#calls === 0) {
        live?.connection.hold(false);
        this.#lastUse = Date.now();
        this.#idle ??= this.#wait(this.#deps.idleMs);
      }
    }
  }

  // One timer that looks again: to set one anew for every call would cost more than the rest of it.
  #wait(ms: number): ReturnType<typeof setTimeout> {
    const look = () => {
      const left = this.#calls > 0 ? this.#deps.idleMs : this.#lastUse + this.#deps.idleMs - Date.now();
      if (left <= 0) void this.stop();
      else this.#idle = this.#wait(left);
    };
    return unheld(setTimeout(look, ms));
  }

  #forget(): void {
    this.#live = undefined;
    this.#current = undefined;
  }

  #start(): Promise<Live> {
    if (this.#closed)
      return Promise.reject(new PegboardError("unavailable", `MCP server "${this.#deps.label}" has been closed`));
    if (this.#live) return this.#live;
    if (Date.now() < this.#notBefore) return Promise.reject(this.#failure);
    const live: Promise<Live> = this.#connect(() => this.#live === live);
    this.#live = live;
    live.then(
      (made) => {
        this.#failures = 0;
        if (this.#live === live) this.#current = made;
      },
      (error: unknown) => {
        if (this.#live === live) this.#forget();
        this.#failure = error;
        this.#notBefore = Date.now() + Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** this.#failures++);
      },
    );
    return live;
  }

  async #connect(isCurrent: () => boolean): Promise<Live> {
    let live: Live | undefined;
    const { signal } = this.#starting;
    const { connect } = await protocol();
    const connection = await connect(
      {
        ...this.#deps,
        signal,
        toolsChanged: () => {
          if (live) void this.#relist(live);
        },
        closed: () => {
          if (isCurrent()) this.#forget();
        },
      },
      this.#found,
    ).catch((error: unknown) => {
      // What was known of it may no longer hold.
      this.#found = undefined;
      throw error;
    });
    this.#found = connection.found;
    try {
      return (live = { connection, listing: await connection.list() });
    } catch (error) {
      await connection.close();
      throw error;
    }
  }

  async #relist(live: Live): Promise<void> {
    // A server that says it all the time is asked now and then.
    if (this.#relisting) return;
    this.#relisting = true;
    await new Promise((resolve) => unheld(setTimeout(resolve, live.relisted ? RELIST_MS : 0)));
    this.#relisting = false;
    live.relisted = true;
    try {
      live.listing = await live.connection.list();
    } catch {
      // Its old tools stay until it answers.
      return;
    }
    for (const listener of this.#listeners) listener();
  }

  async #drop(connection: Connection): Promise<void> {
    const live = await this.#live?.catch(() => undefined);
    if (live?.connection === connection) this.#forget();
    await connection.close();
  }
}
