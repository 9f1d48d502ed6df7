import { PegboardError, toFailure } from "../core/error.ts";
import type { Control } from "../core/control.ts";
import type { AssistantPart, EndReason, Model, ModelCall, ModelPart, ModelRequest, Usage } from "../core/model.ts";
import { callsOf, textOf } from "./transcript.ts";
import { pause } from "./pause.ts";

/** The whole answer of a model. */
export interface Turn {
  readonly content: readonly AssistantPart[];
  readonly calls: readonly ModelCall[];
  readonly text: string;
  readonly reason: EndReason;
  readonly usage: Usage;
}

/** What a turn tells as it goes. */
export interface TurnDeps {
  readonly control: Control;
  /** How long the model may be silent. */
  readonly silenceMs: number;
  delta(piece: { readonly text?: string; readonly reasoning?: string }): void;
  /** An answer came that does not count, and was paid for all the same. */
  wasted(usage: Usage): void;
  /** A try failed; the next follows after a while. */
  retrying(retry: number, waitMs: number, error: PegboardError): void;
}

/** A longer answer is none: the stream would fill the memory. */
const MOST_CHARACTERS = 16 * 1024 * 1024;
const TRIES = 5;
const FIRST_WAIT_MS = 500;
const LONGEST_WAIT_MS = 60_000;

/**
 * Asks the model once. What can pass is tried again, with growing waits or when the provider says; what a failed try
 * streamed does not count. Throws the last error, `cancelled`, or what ended the run.
 */
export async function takeTurn(model: Model, request: ModelRequest, deps: TurnDeps): Promise<Turn> {
  for (let tries = 1; ; tries++) {
    try {
      return await attempt(model, request, deps);
    } catch (thrown) {
      deps.control.throwIfCancelled();
      const error = toError(thrown, model);
      const waitMs = waitBefore(tries, error);
      if (!error.retryable || tries >= TRIES || waitMs > LONGEST_WAIT_MS) throw error;
      deps.retrying(tries, waitMs, error);
      await pause(waitMs, deps.control);
    }
  }
}

async function attempt(model: Model, request: ModelRequest, deps: TurnDeps): Promise<Turn> {
  const stop = new AbortController();
  let fail!: (reason: PegboardError) => void;
  const stopped = new Promise<never>((_, reject) => {
    fail = (reason) => {
      stop.abort(reason);
      reject(reason);
    };
  });
  stopped.catch(() => {});
  const leave = deps.control.onCancel(fail);
  const watch = watchSilence(deps.silenceMs, () => fail(silent(model, deps.silenceMs)));
  let parts: AsyncIterator<ModelPart> | undefined;
  try {
    deps.control.throwIfCancelled();
    parts = model.stream(request, stop.signal)[Symbol.asyncIterator]();
    const answer = new Collected();
    for (;;) {
      const next = await Promise.race([parts.next(), stopped]);
      if (next.done) throw cutOff(model);
      watch.heard();
      const part = next.value;
      if (part.type === "end") {
        const problem = answer.problem(part.reason, model);
        if (!problem) return answer.toTurn(part.reason, part.usage);
        deps.wasted(part.usage);
        throw problem;
      }
      if (!answer.add(part)) throw endless(model);
      if (part.type !== "call" && part.text !== "")
        deps.delta(part.type === "text" ? { text: part.text } : { reasoning: part.text });
    }
  } finally {
    watch[Symbol.dispose]();
    leave();
    void leaveStream(parts);
  }
}

/** Without that anybody waits: a stream that hangs would hang here too. */
async function leaveStream(parts: AsyncIterator<ModelPart> | undefined): Promise<void> {
  try {
    await parts?.return?.();
  } catch {
    // What it would have said does not count any more.
  }
}

/** Joins the pieces of an answer. */
class Collected {
  readonly #content: AssistantPart[] = [];
  #characters = 0;

  /** Whether the answer is not too long yet. */
  add(part: AssistantPart): boolean {
    const last = this.#content.at(-1);
    if (part.type !== "call" && last?.type === part.type && last.meta === undefined) {
      this.#content[this.#content.length - 1] = { ...part, text: last.text + part.text };
    } else if (part.type === "call" || part.text !== "" || part.meta !== undefined) this.#content.push(part);
    this.#characters += part.type === "call" ? JSON.stringify(part.input).length : part.text.length;
    return this.#characters <= MOST_CHARACTERS;
  }

  /** Why the answer does not count. */
  problem(reason: EndReason, model: Model): PegboardError | undefined {
    if (reason === "filter") return new PegboardError("unavailable", `The filter of ${model.id} stopped the answer`);
    if (this.#calls.length > 0 || this.#text.trim() !== "") return undefined;
    return new PegboardError("unavailable", `${model.id} answered with nothing (it ended with "${reason}")`, {
      retryable: reason !== "length",
    });
  }

  toTurn(reason: EndReason, usage: Usage): Turn {
    return { content: this.#content, calls: this.#calls, text: this.#text, reason, usage };
  }

  get #calls(): readonly ModelCall[] {
    return callsOf(this.#content);
  }

  get #text(): string {
    return textOf(this.#content);
  }
}

/** Calls `late` when nothing was heard for so long. One timer for the whole answer. */
function watchSilence(silenceMs: number, late: () => void): Disposable & { heard(): void } {
  let heardAt = performance.now();
  const check = () => {
    const left = silenceMs - (performance.now() - heardAt);
    if (left <= 0) late();
    else timer = setTimeout(check, left);
  };
  let timer = setTimeout(check, silenceMs);
  return { heard: () => void (heardAt = performance.now()), [Symbol.dispose]: () => clearTimeout(timer) };
}

// Half of the wait is left to chance, so that many runs do not come back at the same moment.
function waitBefore(tries: number, { details }: PegboardError): number {
  const { retryAfterMs } = Object(details) as { retryAfterMs?: unknown };
  if (typeof retryAfterMs === "number" && retryAfterMs >= 0) return retryAfterMs;
  const longest = FIRST_WAIT_MS * 2 ** (tries - 1);
  return Math.round(longest / 2 + (Math.random() * longest) / 2);
}

function toError(thrown: unknown, model: Model): PegboardError {
  if (thrown instanceof PegboardError) return thrown;
  const { message } = toFailure(thrown);
  return new PegboardError("unavailable", `${model.id} failed: ${message}`, { cause: thrown });
}

function cutOff(model: Model): PegboardError {
  return new PegboardError("unavailable", `The answer of ${model.id} was cut off`, { retryable: true });
}

function endless(model: Model): PegboardError {
  return new PegboardError("unavailable", `The answer of ${model.id} is longer than ${MOST_CHARACTERS} characters`);
}

function silent(model: Model, ms: number): PegboardError {
  return new PegboardError("unavailable", `${model.id} said nothing for ${ms / 1000} seconds`, { retryable: true });
}
