import { type Asked, type FormAnswer, toApprovalAnswer } from "./approval-form.ts";

/** A request that waits; the signal fires when it is answered. */
export interface OpenAsk extends Asked {
  readonly signal: AbortSignal;
}

interface Ask extends OpenAsk {
  readonly over: AbortController;
  /** Somebody at the client has been asked. */
  asked: boolean;
  /** Nobody there decided: it is up to others. */
  dismissed: boolean;
}

/** The approval requests of one call that wait for an answer. */
export class Asks {
  readonly #asks = new Map<string, Ask>();

  get open(): readonly OpenAsk[] {
    return [...this.#asks.values()];
  }

  /** Those that nobody at the client has been asked yet; they are taken to be asked now. */
  takeFresh(): readonly OpenAsk[] {
    const fresh = [...this.#asks.values()].filter(({ asked }) => !asked);
    for (const ask of fresh) ask.asked = true;
    return fresh;
  }

  /** Whether there are any, and nobody at the client decides about them. */
  areStuck(canAsk: boolean): boolean {
    return this.#asks.size > 0 && this.#asks.values().every((ask) => !canAsk || ask.dismissed);
  }

  add(request: Asked): void {
    const over = new AbortController();
    this.#asks.set(request.id, { ...request, over, signal: over.signal, asked: false, dismissed: false });
  }

  /** Takes what the client says to one of them: what that means; without an answer the client is asked again. */
  hear(id: string, answer: FormAnswer | undefined): ReturnType<typeof toApprovalAnswer> {
    const ask = this.#asks.get(id);
    if (!ask) return undefined;
    const given = answer && toApprovalAnswer(answer, ask);
    if (!answer) ask.asked = false;
    else if (!given) ask.dismissed = true;
    return given;
  }

  /** One was answered, wherever. Whether it waited. */
  end(id: string): boolean {
    this.#asks.get(id)?.over.abort();
    return this.#asks.delete(id);
  }

  endAll(): void {
    for (const id of this.#asks.keys()) this.end(id);
  }
}
