import type { Json } from "@pegboard/contract";
import { PegboardError } from "./error.ts";
import type { EventData } from "./event.ts";
import type { UserPart } from "./model.ts";
import type { Run, RunOptions } from "./run.ts";

/** How a chat is held. With `continue` it goes on with the history of that run. */
export interface ChatOptions extends Omit<RunOptions, "signal" | "attachments" | "before"> {
  /** What becomes of a prompt while the agent works: it waits its turn, or is refused with `busy`. As many wait as limits allow. */
  readonly whenBusy?: "queue" | "refuse";
}

/** What holds for one prompt; `model` is that of the chat when absent. */
type PromptOptions = Pick<RunOptions, "signal" | "attachments" | "model" | "tools">;

/** What a session lends its chats. */
export interface ChatDeps {
  /** How many prompts may wait behind the one at work. */
  readonly waiting: number;
  run(prompt: Json, options: RunOptions): Run;
  change(run: string, change: EventData["transcript-change"]): Promise<void>;
}

/** A conversation with one agent, prompt by prompt: each run goes on with the history of the one before. */
export class Chat {
  readonly #deps: ChatDeps;
  readonly #options: RunOptions;
  readonly #waiting: number;
  #last: string | undefined;
  #before: UserPart[] = [];
  /** How many prompts wait or are at work, and when the last of them is done. */
  #open = 0;
  #done: Promise<void> | undefined;

  constructor(deps: ChatDeps, { whenBusy = "queue", continue: last, ...options }: ChatOptions = {}) {
    this.#deps = deps;
    this.#options = options;
    this.#last = last;
    this.#waiting = whenBusy === "refuse" ? 0 : deps.waiting;
  }

  /** Resolves to the run of this prompt once it has started. Rejects with `busy` where prompts do not wait, or too many do. */
  async send(prompt: Json, options: PromptOptions = {}): Promise<Run> {
    this.#throwIfFull();
    const before = this.#done;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#done = promise;
    this.#open++;
    const end = () => {
      this.#open--;
      resolve();
    };
    await before;
    try {
      return this.#start(prompt, options, end);
    } catch (error) {
      end();
      throw error;
    }
  }

  /** Adds a message that the model reads with the next prompt that starts, without asking it now. */
  async inject(text: string): Promise<void> {
    const part: UserPart = { type: "text", text };
    // A run at work has read what it goes on from.
    if (this.#last === undefined || this.#open > 0) this.#before.push(part);
    else await this.#deps.change(this.#last, { added: { role: "user", content: [part] } });
  }

  /** Forgets the conversation, also that of a run at work; what the agent is told by its file stays. */
  async clear(): Promise<void> {
    const last = this.#last;
    this.#last = undefined;
    this.#before = [];
    if (last !== undefined) await this.#deps.change(last, { cleared: true });
  }

  #throwIfFull(): void {
    if (this.#open <= this.#waiting) return;
    const wait = this.#waiting > 0 ? `, and ${this.#waiting} prompts wait` : " on the prompt before";
    throw new PegboardError("busy", `The agent is still at work${wait}: wait for it, or cancel it`, {
      retryable: true,
    });
  }

  #start(prompt: Json, options: PromptOptions, end: () => void): Run {
    const [last, before] = [this.#last, this.#before];
    const run = this.#deps.run(prompt, {
      ...this.#options,
      ...options,
      ...(last !== undefined && { continue: last }),
      ...(before.length > 0 && { before }),
    });
    this.#last = run.id;
    this.#before = [];
    // Before anybody else hears of the end: who then sends the next prompt goes on from this one.
    void run.result.then(({ turns }) => {
      // A run that never asked its model left nothing to go on from.
      if (turns === 0 && this.#last === run.id) {
        this.#last = last;
        this.#before = [...before, ...this.#before];
      }
      end();
    });
    return run;
  }
}
