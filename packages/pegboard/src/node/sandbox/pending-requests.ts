import { ERRORS, type Failure, type PluginHost, type ToolContext } from "@pegboard/contract";
import { PegboardError } from "../../core/error.ts";

/** What a call lends to the code that it runs; `run` only to that of a plugin. */
export type CallContext = Pick<ToolContext, "signal" | "progress" | "call" | "client"> &
  Partial<Pick<PluginHost, "run">>;

interface Pending {
  readonly context: CallContext | undefined;
  /** The call has been answered already: nobody waits for what it yields. */
  abandoned: boolean;
  resolve(value: unknown): void;
  reject(error: PegboardError): void;
}

/** What the inside was asked and has not answered, by number. */
export class PendingRequests {
  readonly #pending = new Map<number, Pending>();

  /** Whether somebody waits for an answer. */
  get isBusy(): boolean {
    return this.#pending.values().some(({ abandoned }) => !abandoned);
  }

  /** Notes a request, and resolves or rejects with its answer. For one that is abandoned nobody waits. */
  add(id: number, context: CallContext | undefined, abandoned: boolean): Promise<unknown> {
    const { promise, resolve, reject } = Promise.withResolvers<unknown>();
    this.#pending.set(id, { context, abandoned, resolve, reject });
    return promise;
  }

  delete(id: number): void {
    this.#pending.delete(id);
  }

  /** What the call of a request lends, as long as it is not answered. */
  contextOf(id: number): CallContext | undefined {
    return this.#pending.get(id)?.context;
  }

  /** Nobody waits for this one any more. Whether there was one. */
  abandon(id: number): boolean {
    const pending = this.#pending.get(id);
    if (pending) pending.abandoned = true;
    return pending !== undefined;
  }

  /** Takes an answer of the inside, which is not to be trusted. */
  settle(id: number, value: unknown, error: Failure | undefined): void {
    const pending = this.#pending.get(id);
    if (!pending) return;
    if (!error) return pending.resolve(value);
    const { code, message, retryable } = Object(error) as Failure;
    const known = Object.hasOwn(ERRORS, String(code)) ? code : "tool_error";
    pending.reject(new PegboardError(known, String(message), { retryable: retryable === true }));
  }

  /** There will be no more answers, for this reason. */
  fail(why: string): void {
    const calls = [...this.#pending.values()].filter(({ context }) => context).length;
    for (const { context, reject } of this.#pending.values()) {
      // One call alone has brought the end about itself; of several nobody knows which.
      if (!context) reject(new PegboardError("unavailable", why));
      else if (calls === 1) reject(new PegboardError("tool_error", why));
      else
        reject(
          new PegboardError("interrupted", `${why}. This call was under way; whether it had an effect is not known`),
        );
    }
  }
}
