import type { ClientMethod, Json } from "@pegboard/contract";

/** What a tool asks its client for; the signal fires when nobody waits for the answer any more. */
export interface Question {
  readonly key: string;
  readonly method: ClientMethod;
  readonly params: Json;
  readonly signal: AbortSignal;
}

interface Open extends Question {
  readonly over: AbortController;
  /** The client has been asked. */
  asked: boolean;
  resolve(answer: Json): void;
  reject(reason: unknown): void;
}

/** The questions of one call that wait for an answer. */
export class Questions {
  readonly #open = new Map<string, Open>();
  readonly #given = new Map<string, Json>();
  readonly #changed: () => void;
  #over: (() => unknown) | undefined;

  /** `changed` is called whenever there is another question. */
  constructor(changed: () => void) {
    this.#changed = changed;
  }

  /** Those that have no answer yet. */
  get open(): readonly Question[] {
    return [...this.#open.values()];
  }

  /** Those that the client has not been asked yet; it is taken to be asked now. */
  takeFresh(): readonly Question[] {
    const fresh = [...this.#open.values()].filter(({ asked }) => !asked);
    for (const question of fresh) question.asked = true;
    return fresh;
  }

  /** Asks, and waits for the answer. A question whose key is taken gets a key of its own. */
  ask(key: string, method: ClientMethod, params: Json): Promise<Json> {
    if (this.#over) return Promise.reject(this.#over() as Error);
    const given = this.#given.get(key);
    this.#given.delete(key);
    if (given !== undefined && fits(method, given)) return Promise.resolve(given);
    const { promise, resolve, reject } = Promise.withResolvers<Json>();
    const over = new AbortController();
    let own = key;
    for (let count = 2; this.#open.has(own); count++) own = `${key}-${count}`;
    this.#open.set(own, { key: own, method, params, signal: over.signal, over, asked: false, resolve, reject });
    this.#changed();
    return promise;
  }

  /** Keeps an answer that came before the question. */
  foresee(key: string, answer: Json): void {
    this.#given.set(key, answer);
  }

  /** Takes an answer; one that does not fit the question makes it be asked again. Whether there was such a question. */
  reply(key: string, answer: Json | undefined): boolean {
    const question = this.#open.get(key);
    if (!question) return false;
    if (answer === undefined || !fits(question.method, answer)) question.asked = false;
    else {
      this.#open.delete(key);
      question.resolve(answer);
    }
    return true;
  }

  /** The client could not answer. */
  fail(key: string, reason: unknown): void {
    const question = this.#open.get(key);
    this.#open.delete(key);
    question?.reject(reason);
  }

  /** Nobody waits for answers any more. The reason is made when somebody wants to know: mostly nobody does. */
  end(reason: () => unknown): void {
    this.#over ??= reason;
    for (const question of this.#open.values()) {
      question.over.abort();
      question.reject(reason());
    }
    this.#open.clear();
  }
}

/** Whether an answer has the form of one to such a question; what it says is for whoever asked to check. */
function fits(method: ClientMethod, answer: Json): boolean {
  if (typeof answer !== "object" || answer === null || Array.isArray(answer)) return false;
  const { action, roots, role } = answer as Readonly<Record<string, Json>>;
  if (method === "roots/list") return Array.isArray(roots);
  if (method === "sampling/createMessage") return typeof role === "string";
  return action === "accept" || action === "decline" || action === "cancel";
}
