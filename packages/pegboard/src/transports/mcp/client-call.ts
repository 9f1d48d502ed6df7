import type { ClientMethod, Json, LogLevel } from "@pegboard/contract";
import type { ApprovalAnswer } from "../../core/approval.ts";
import { cannotBeAsked, cannotComeBack } from "../../core/client-refusal.ts";
import { PegboardError } from "../../core/error.ts";
import { newId } from "../../core/new-id.ts";
import type { Session } from "../../core/session.ts";
import type { Asked, FormAnswer } from "./approval-form.ts";
import { Asks, type OpenAsk } from "./asks.ts";
import type { Attendant } from "./attendant.ts";
import type { CallWork, RunningCall } from "./call-work.ts";
import type { Report } from "./progress.ts";
import { type Question, Questions } from "./questions.ts";

/**
 * How a call stands: it has a result, somebody at the client is to be asked, nobody there can be and it waits, or it goes on
 * without the client.
 */
export type Standing<T> =
  | { readonly state: "over"; readonly result: T }
  | { readonly state: "asks"; readonly asks: readonly OpenAsk[]; readonly questions: readonly Question[] }
  | { readonly state: "waits"; readonly waiting: readonly OpenAsk[] }
  | { readonly state: "detached" };

/** What a call is made with. */
export interface ClientCallDeps {
  readonly session: Session;
  /** How long a client waits that could not ask anybody. */
  readonly waitMs: number;
  /** The call is over. */
  ended(call: ClientCall<unknown>): void;
}

/**
 * One call of a client, which begins when somebody waits for it. It goes on while nobody does, as long as it waits for an
 * answer or has let its client go: the client comes back, or the answer comes from elsewhere. Most ask nobody and are not
 * cancelled: what only others need is made when it is needed.
 */
export class ClientCall<T> implements RunningCall {
  readonly id = newId();
  readonly earlier: ApprovalAnswer | undefined;
  readonly #work: CallWork<T>;
  readonly #deps: ClientCallDeps;
  #questions: Questions | undefined;
  #asks: Asks | undefined;
  #control: AbortController | undefined;
  #cancelled = false;
  #running: Promise<void> | undefined;
  /** How often somebody waited for it. */
  rounds = 0;
  #attendant: Attendant | undefined;
  #methods: readonly ClientMethod[] = [];
  #detached = false;
  #left = false;
  #told = false;
  #result: { readonly value: T } | undefined;
  #wake: (() => void) | undefined;

  constructor(work: CallWork<T>, deps: ClientCallDeps, earlier?: ApprovalAnswer) {
    this.#work = work;
    this.earlier = earlier;
    this.#deps = deps;
  }

  get tool(): string {
    return this.#work.tool;
  }

  get input(): Json {
    return this.#work.input;
  }

  /** Resolves when it is over; at once as long as it has not begun. */
  get over(): Promise<void> {
    return this.#running ?? Promise.resolve();
  }

  get staysAsked(): boolean {
    return this.#deps.session.closing && this.left;
  }

  get signal(): AbortSignal {
    this.#control ??= new AbortController();
    if (this.#cancelled) this.#control.abort();
    return this.#control.signal;
  }

  /** What it asks its client. */
  get questions(): Questions {
    if (!this.#questions) {
      this.#questions = new Questions(() => this.#changed());
      if (this.#cancelled) this.#questions.end(wasCancelled);
      else if (this.#result) this.#questions.end(isOver);
    }
    return this.#questions;
  }

  /** Whether its client left while it waited for approval, and for nothing that only the client can answer. */
  get left(): boolean {
    return this.#left && !this.#detached && !this.#questions?.open.length;
  }

  /** Whether somebody was told what it yielded, or waits for it. */
  get isAttended(): boolean {
    return this.#told || this.#attendant !== undefined;
  }

  /** The requests that wait for an answer. */
  get asks(): readonly OpenAsk[] {
    return this.#asks?.open ?? NONE;
  }

  /** What it yielded, once it is over. */
  get result(): T | undefined {
    return this.#result?.value;
  }

  get methods(): readonly ClientMethod[] {
    return this.#attendant?.methods ?? this.#methods;
  }

  async ask(key: string, method: ClientMethod, params: Json = {}): Promise<Json> {
    if (this.methods.includes(method)) return this.questions.ask(key, method, params);
    throw cannotBeAsked(method);
  }

  get comesBack(): boolean {
    return this.#detached || this.#attendant?.tasks === true;
  }

  log(level: LogLevel, message: Json): void {
    this.#attendant?.log?.(level, message);
  }

  detach({ required = false }: { readonly required?: boolean } = {}): boolean {
    this.#detached = this.comesBack;
    if (required && !this.#detached) throw cannotComeBack();
    if (this.#detached) this.#changed();
    return this.#detached;
  }

  /** Waits until there is something to tell the client. Who waits now takes the place of who waited before. */
  async attend(attendant: Attendant): Promise<Standing<T>> {
    const { signal } = attendant;
    const cancel = () => this.cancel();
    this.rounds++;
    this.#attendant = attendant;
    this.#methods = attendant.methods;
    this.#left = false;
    this.#changed();
    if (signal.aborted) cancel();
    signal.addEventListener("abort", cancel);
    this.#running ??= this.#run();
    try {
      for (;;) {
        if (this.#detached) return this.#leave({ state: "detached" });
        if (this.#result) {
          this.#told = true;
          return { state: "over", result: this.#result.value };
        }
        const canAsk = attendant.methods.includes("elicitation/create");
        const asks = (canAsk && this.#asks?.takeFresh()) || NONE;
        const questions = this.#questions?.takeFresh() ?? NONE;
        if (asks.length > 0 || questions.length > 0) return this.#leave({ state: "asks", asks, questions });
        const stuck = this.#asks?.areStuck(canAsk);
        const waiting = this.asks;
        const changed = await this.#change(stuck ? this.#deps.waitMs : undefined);
        if (this.#attendant !== attendant) return { state: "waits", waiting };
        if (!changed && !this.#result) return this.#leave({ state: "waits", waiting });
      }
    } finally {
      signal.removeEventListener("abort", cancel);
      if (this.#attendant === attendant) this.#attendant = undefined;
    }
  }

  /** Takes the client's answer to an approval request; without one the client is asked again. */
  answer(id: string, answer: FormAnswer | undefined): void {
    const given = this.#asks?.hear(id, answer);
    try {
      if (given) this.#deps.session.answer(id, given);
    } catch {
      // Somebody else was faster: theirs counts.
    }
    this.#changed();
  }

  /** Nobody at the client decides about this request. */
  dismiss(id: string): void {
    this.answer(id, { action: "cancel" });
  }

  cancel(): void {
    this.#cancelled = true;
    this.#control?.abort();
    if (this.#running) this.#work.cancel?.(this.id);
    this.#questions?.end(wasCancelled);
  }

  /** A call that this one made, or a run, asks. */
  asked(request: Asked): void {
    (this.#asks ??= new Asks()).add(request);
    this.#changed();
  }

  /** A request of it was answered, wherever. */
  answered(id: string): void {
    if (this.#asks?.end(id)) this.#changed();
  }

  reported(report: Report): void {
    this.#attendant?.progress?.(report);
  }

  #leave(standing: Standing<T>): Standing<T> {
    this.#left = true;
    return standing;
  }

  async #run(): Promise<void> {
    const running = this.#work.run(this);
    if (this.#cancelled) this.#work.cancel?.(this.id);
    this.#result = { value: await running };
    this.#asks?.endAll();
    this.#questions?.end(isOver);
    this.#changed();
    this.#deps.ended(this);
  }

  /** Waits for a change; false when so many milliseconds go by without one. */
  #change(ms: number | undefined): Promise<boolean> {
    return new Promise((resolve) => {
      const timer = ms === undefined ? undefined : setTimeout(() => resolve(false), ms);
      this.#wake = () => {
        clearTimeout(timer);
        resolve(true);
      };
    });
  }

  #changed(): void {
    const wake = this.#wake;
    this.#wake = undefined;
    wake?.();
  }
}

const NONE: readonly never[] = [];

const wasCancelled = () => new PegboardError("cancelled", "The call was cancelled");
const isOver = () => new PegboardError("cancelled", "The call is over");
