import type { Paid } from "../core/event.ts";
import type { Message, Model, Usage } from "../core/model.ts";
import type { AgentRun } from "./agent-run.ts";
import { Spending } from "./budget.ts";
import { countOld, estimateTokens, isFull, summaryMessage, summaryRequest } from "./compaction.ts";
import { canShorten } from "./shorten-results.ts";
import { applyChange, type TranscriptChange } from "./transcript.ts";
import { takeTurn } from "./turn.ts";

/** What a window needs of whoever holds the conversation. */
export interface ContextWindowDeps {
  readonly run: AgentRun;
  readonly model: Model;
  /** Pays for a summary. */
  charge(usage: Usage): Paid;
}

/** The messages that an agent's model reads, kept to what it takes. What becomes of them is in the log. */
export class ContextWindow {
  readonly #deps: ContextWindowDeps;
  #messages: Message[];
  /** The tokens of the messages: what the provider counted last, or an estimate where that is more, and what came since. */
  #tokens: number;
  /** What the model takes at most, as it showed by refusing more. */
  #shown = Infinity;

  constructor(messages: readonly Message[], deps: ContextWindowDeps) {
    this.#messages = [...messages];
    this.#tokens = estimateTokens(messages);
    this.#deps = deps;
  }

  get messages(): readonly Message[] {
    return this.#messages;
  }

  /** How many tokens a request may hold. */
  get most(): number {
    const { model, run } = this.#deps;
    return Math.min(model.contextTokens ?? run.workbench.limits.contextTokens, this.#shown);
  }

  get isFull(): boolean {
    return isFull(this.#tokens, this.most);
  }

  /** Adds an answer, or what became of its calls: both are on record by events of their own. */
  push(message: Message): void {
    this.#messages.push(message);
    this.#tokens += estimateTokens([message]);
  }

  /** Takes notice of what the provider counted. */
  counted({ input, output }: Usage): void {
    this.#tokens = Math.max(this.#tokens, input + output || 0);
  }

  /** Changes the messages, on record. */
  async change(change: TranscriptChange): Promise<void> {
    await this.#deps.run.record("transcript-change", change);
    this.#messages = applyChange(this.#messages, change);
    this.#tokens = change.added ? this.#tokens + estimateTokens([change.added]) : estimateTokens(this.#messages);
  }

  /** Makes room when it is full: a summary for the beginning, then shorter results. */
  async makeRoom(): Promise<void> {
    if (!this.isFull) return;
    const most = this.most;
    const count = countOld(this.#messages, most);
    if (count > 0) {
      const old = this.#messages.slice(0, count);
      const { text, ...paid } = await this.#summarise(old);
      await this.change({ replaced: { messages: count, by: summaryMessage(old, text) }, ...paid });
    }
    this.#tokens = estimateTokens(this.#messages);
    const results = this.#messages.reduce((sum, one) => sum + (one.role === "tool" ? one.results.length : 0), 0);
    const shortened = Math.floor((most * 2) / Math.max(results, 1));
    if (this.isFull && canShorten(this.#messages, shortened)) await this.change({ shortened });
  }

  /** The provider takes no request as long as this one. Whether it is shorter now. */
  async shrink(): Promise<boolean> {
    const before = this.#messages;
    this.#shown = Math.floor(estimateTokens(before) / 2);
    this.#tokens = Infinity;
    await this.makeRoom();
    return this.#messages !== before;
  }

  /** A summary, if there is one, and what all tries to get it used. */
  async #summarise(old: readonly Message[]): Promise<Paid & { readonly text: string | undefined }> {
    const { run, model } = this.#deps;
    const { control, workbench } = run;
    const spent = new Spending({});
    const charge = (usage: Usage) => spent.charge(usage, this.#deps.charge(usage).cost ?? 0);
    const quiet = { control, silenceMs: workbench.limits.modelSilenceMs, wasted: charge, delta() {}, retrying() {} };
    let summary: string | undefined;
    try {
      const { text, usage } = await takeTurn(model, summaryRequest(old), quiet);
      charge(usage);
      summary = text.trim() === "" ? undefined : text;
    } catch {
      control.throwIfCancelled();
    }
    return { text: summary, usage: spent.usage, ...(spent.cost > 0 && { cost: spent.cost }) };
  }
}
