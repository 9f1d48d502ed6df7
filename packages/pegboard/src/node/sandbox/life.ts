import type { PluginHost, Result } from "@pegboard/contract";
import { messageOf, PegboardError } from "../../core/error.ts";
import { toFailedResult } from "../../core/result.ts";
import type { Recipe } from "../load-recipe.ts";
import type { Channel, ChannelListener } from "./channel.ts";
import { answerClient, type ToClient } from "./client-line.ts";
import { answerHost } from "./host-line.ts";
import { type CallContext, PendingRequests } from "./pending-requests.ts";
import type { ToHost, ToPlugin } from "./plugin-protocol.ts";
import type { Request, SentTools, ToOutside } from "./protocol.ts";
import { toSentError } from "./sent-value.ts";

/** What a life is made of. */
export interface LifeDeps {
  /** Names it in messages. */
  readonly label: string;
  /** Starts a process or thread. Rejects when there must be none. */
  start(listener: ChannelListener): Promise<Channel>;
  /** Text that the tools wrote. */
  output(text: string): void;
  /** After so long without a call and without a session's instance it ends. */
  readonly idleMs?: number;
}

const IDLE_MS = 5 * 60_000;
const LOAD_MS = 30_000;
/** Code that does not even take notice of the end of a call within this time is stuck. */
const STUCK_MS = 1_000;
/** No number of an instance: the plugin itself. */
const PLUGIN = 0;

/** How a request is made. */
export interface RequestOptions {
  /** Of a call. */
  readonly context?: CallContext;
  /** After so long without an answer everything ends. */
  readonly timeoutMs?: number;
  /** It keeps nothing from ending: whoever asked does not wait for ever. */
  readonly loose?: boolean;
}

/** One run of the process or thread, from its start to its end. */
export class Life {
  readonly #deps: LifeDeps;
  readonly #instances = new Set<number>();
  readonly #pending = new PendingRequests();
  readonly #loaded = new Map<string, Promise<SentTools>>();
  readonly #watches = new Map<number, () => void>();
  readonly #over: () => void;
  #channel!: Channel;
  #count = 0;
  #why: string | undefined;
  #lastOutput = "";
  #idle: NodeJS.Timeout | undefined;
  #quiet: PromiseWithResolvers<void> | undefined;
  #lent: { readonly host: PluginHost; over(why: string): void } | undefined;

  /** Starts it. `over` is called when it has ended. */
  static async begin(deps: LifeDeps, over: () => void): Promise<Life> {
    const life = new Life(deps, over);
    life.#channel = await deps.start({
      message: (message) => life.#receive(message as ToOutside),
      output: (text) => life.#note(text),
      ended: (reason) => life.#end(reason),
    });
    life.#rest();
    return life;
  }

  private constructor(deps: LifeDeps, over: () => void) {
    this.#deps = deps;
    this.#over = over;
  }

  get isOver(): boolean {
    return this.#why !== undefined;
  }

  load(recipe: Recipe): Promise<SentTools> {
    const key = keyOf(recipe);
    let loaded = this.#loaded.get(key);
    if (!loaded) {
      loaded = this.request({ type: "load", recipe }, { timeoutMs: LOAD_MS }) as Promise<SentTools>;
      this.#loaded.set(key, loaded);
      loaded.catch(() => this.#loaded.delete(key));
    }
    return loaded;
  }

  request(request: Request, { context, timeoutMs, loose = false }: RequestOptions): Promise<unknown> {
    const id = ++this.#count;
    const answered = this.#send({ ...request, id }, context, loose);
    const timer =
      timeoutMs === undefined
        ? undefined
        : setTimeout(() => this.#stuck(`it did not answer within ${timeoutMs / 1000} seconds`), timeoutMs);
    const stopWatching = context && this.#watch(id, context.signal);
    return answered.finally(() => {
      clearTimeout(timer);
      stopWatching?.();
      this.#pending.delete(id);
      this.#rest();
    });
  }

  // Rejects also with what keeps it from being sent.
  async #send(request: Request & { readonly id: number }, context: CallContext | undefined, loose: boolean) {
    if (this.isOver) throw new PegboardError("unavailable", this.#why!);
    const answered = this.#pending.add(request.id, context, loose);
    clearTimeout(this.#idle);
    this.#channel.hold(true);
    this.#channel.send(request);
    return answered;
  }

  /** Tells the plugin inside. */
  tell(message: ToPlugin): void {
    if (!this.isOver) this.#channel.send(message);
  }

  /** Lends the plugin inside its host: from now on it does not end for want of calls. `over` hears why it ended. */
  lend(host: PluginHost, over: (why: string) => void): void {
    this.#lent = { host, over };
    this.keep(PLUGIN);
  }

  /** Has the plugin inside say when a resource of it changes, until that is disposed. */
  watch(index: number, uri: string, changed: () => void): Disposable {
    const watch = ++this.#count;
    this.#watches.set(watch, changed);
    this.tell({ type: "watch", watch, index, uri });
    return {
      [Symbol.dispose]: () => {
        if (this.#watches.delete(watch)) this.tell({ type: "unwatch", watch });
      },
    };
  }

  /** Does not end for want of calls as long as an instance of a session is kept. */
  keep(instance: number): void {
    this.#instances.add(instance);
    this.#rest();
  }

  release(instance: number): void {
    this.#instances.delete(instance);
    this.#rest();
  }

  /** Resolves when nothing is under way. */
  async whenQuiet(): Promise<void> {
    if (this.#pending.isBusy && !this.isOver) await (this.#quiet ??= Promise.withResolvers()).promise;
  }

  async close(): Promise<void> {
    clearTimeout(this.#idle);
    if (this.isOver) return;
    this.#end("it was closed");
    this.#channel.hold(true);
    await this.#channel.close();
  }

  /** Tells the inside when the call is ended early, and ends it altogether when it takes no notice. */
  #watch(id: number, signal: AbortSignal): () => void {
    const abort = () => {
      if (this.isOver || !this.#pending.abandon(id)) return;
      this.#noticing.set(
        id,
        setTimeout(() => this.#stuck("it did not react when a call was ended"), STUCK_MS),
      );
      this.#channel.send({ type: "abort", id });
    };
    if (signal.aborted) abort();
    signal.addEventListener("abort", abort, { once: true });
    return () => {
      signal.removeEventListener("abort", abort);
      this.#noticed(id);
    };
  }

  readonly #noticing = new Map<number, NodeJS.Timeout>();

  #noticed(id: number): void {
    clearTimeout(this.#noticing.get(id));
    this.#noticing.delete(id);
  }

  #receive(message: ToOutside): void {
    if (typeof message !== "object" || message === null) return;
    switch (message.type) {
      case "reply":
        return this.#pending.settle(message.id, message.value, message.error);
      case "progress":
        return this.#pending.contextOf(message.id)?.progress(String(message.message), toAmount(message));
      case "call":
        return void this.#passOn(message);
      case "client-ask":
      case "client-log":
      case "client-detach":
        return void this.#askClient(message);
      case "watched":
        return this.#watches.get(message.watch)?.();
      case "waiting":
        return this.#channel.hold(false);
      case "alive":
        this.#noticed(message.id);
        return this.#rest();
      default:
        return void this.#askHost(message);
    }
  }

  async #askClient(message: ToClient): Promise<void> {
    const context = message.of === undefined ? undefined : this.#pending.contextOf(message.of);
    const answer = await answerClient(message, context?.client);
    if (!answer || this.isOver) return;
    try {
      this.#channel.send(answer);
    } catch (error) {
      this.#channel.send({ type: "client-answer", id: answer.id, error: toSentError(error) });
    }
  }

  async #askHost(message: ToHost): Promise<void> {
    if (!this.#lent) return;
    const of = message.type === "run" ? message.of : undefined;
    const context = of === undefined ? undefined : this.#pending.contextOf(of);
    const answer = await answerHost(message, of === undefined ? this.#lent.host : context);
    if (answer) this.tell(answer);
  }

  async #passOn({ id, of, tool, input }: ToOutside & { type: "call" }): Promise<void> {
    const context = of === undefined ? this.#lent?.host : this.#pending.contextOf(of);
    const ended = new PegboardError("cancelled", "The call around this one has ended");
    const result = context ? await context.call(String(tool), input ?? null) : toFailedResult(ended);
    if (this.isOver) return;
    const send = (called: Result) => this.#channel.send({ type: "called", id, result: called });
    try {
      send(result);
    } catch (error) {
      send(toFailedResult(new PegboardError("tool_error", messageOf(error))));
    }
  }

  #note(text: string): void {
    this.#lastOutput = (this.#lastOutput + text).slice(-2_000);
    this.#deps.output(text);
  }

  #stuck(reason: string): void {
    if (this.isOver) return;
    this.#end(reason);
    this.#channel.kill();
  }

  #end(reason: string): void {
    if (this.isOver) return;
    const why = `The process of ${this.#deps.label} ended: ${reason}${outOfMemory(this.#lastOutput)}`;
    this.#why = why;
    clearTimeout(this.#idle);
    this.#pending.fail(why);
    this.#quiet?.resolve();
    this.#over();
    this.#lent?.over(why);
  }

  /** With nothing under way, this process may end without it, and after a while it ends itself. */
  #rest(): void {
    if (this.isOver || this.#pending.isBusy) return;
    this.#quiet?.resolve();
    this.#quiet = undefined;
    this.#channel.hold(false);
    clearTimeout(this.#idle);
    if (this.#instances.size > 0) return;
    this.#idle = setTimeout(() => void this.close(), this.#deps.idleMs ?? IDLE_MS).unref();
  }
}

/** What tells one recipe from another. */
export function keyOf(recipe: Recipe): string {
  return JSON.stringify(recipe);
}

function toAmount({ current, total }: { readonly current?: number; readonly total?: number }) {
  return current === undefined ? undefined : { current, ...(total !== undefined && { total }) };
}

function outOfMemory(output: string): string {
  return output.includes("heap out of memory") ? " (out of memory)" : "";
}
