import { PegboardError } from "../core/error.ts";
import type { Paid } from "../core/event.ts";
import type { Message, Models, Usage } from "../core/model.ts";
import { Acceptance } from "./acceptance.ts";
import type { FinalAnswer } from "./answer.ts";
import { makeCalls, refuseCalls } from "./calls.ts";
import { ContextWindow } from "./context-window.ts";
import { ModelTurns, type ModelTurnsDeps } from "./model-turns.ts";
import { orCancelled } from "./or-cancelled.ts";
import { Repetition } from "./repetition.ts";
import { passTurnGates } from "./run-hooks.ts";
import { type Earlier, takeUp } from "./take-up.ts";
import { callsOf, textOf, userMessage } from "./transcript.ts";
import type { Turn } from "./turn.ts";

/** What an agent works with. */
export interface ConversationDeps extends Omit<ModelTurnsDeps, "window" | "charge"> {
  readonly models: Pick<Models, "cost">;
  readonly maxTurns: number;
  /** Answers a call that only reads with a notice when the same answer of the model has made it already. */
  readonly noticesRepeats: boolean;
}

/**
 * One agent talking to its model: answer, calls, answer, until an answer counts. Throws a `PegboardError` when it cannot
 * go on.
 */
export class Conversation {
  readonly #deps: ConversationDeps;
  readonly #window: ContextWindow;
  readonly #turns: ModelTurns;
  readonly #acceptance: Acceptance;
  readonly #repetition: Repetition;
  /** What is known of the calls of an answer that was left open. */
  #earlier: ReadonlyMap<string, Earlier> | undefined;

  constructor(messages: readonly Message[], deps: ConversationDeps) {
    const { run, agent, model } = deps;
    this.#deps = deps;
    this.#acceptance = new Acceptance(agent, run.from?.state);
    this.#repetition = run.from?.state.repetition ?? new Repetition();
    const charge = (usage: Usage) => this.#charge(usage);
    this.#window = new ContextWindow(messages, { run, model, charge });
    this.#turns = new ModelTurns({ ...deps, window: this.#window, charge });
  }

  async hold(): Promise<FinalAnswer> {
    const { run, maxTurns } = this.#deps;
    let left = await this.#takeUp();
    for (;;) {
      run.control.throwIfCancelled();
      const turn = left ?? (await this.#next(maxTurns));
      left = undefined;
      run.text = turn.text === "" ? run.text : turn.text;
      if (turn.calls.length > 0) await this.#call(turn);
      else {
        const answer = await this.#judge(turn);
        if (answer && !(await this.#awaitOthers())) return answer;
        if (answer && run.turns >= maxTurns) return this.#endLate(answer);
      }
    }
  }

  /** Adds what others had to say meanwhile. */
  async #hear(): Promise<void> {
    for (const { text, ...about } of this.#deps.run.given.mailbox.take())
      await this.#window.change({ added: userMessage(text), ...about });
  }

  /** Waits for word of the work that was given away. Whether there is any, which the model must read. */
  async #awaitOthers(): Promise<boolean> {
    const { given, control, place } = this.#deps.run;
    const waits = given.isOpen;
    if (waits) await place.lend(() => given.mailbox.wait(control));
    else await this.#hear();
    return waits;
  }

  /** Ends with an answer after which others have something to say, when there is no turn left to read it in. */
  async #endLate(answer: FinalAnswer): Promise<FinalAnswer> {
    this.#deps.run.warn(LATE);
    do await this.#hear();
    while (await this.#awaitOthers());
    return answer;
  }

  /** The answer that the run was at when its process ended. */
  async #takeUp(): Promise<Turn | undefined> {
    const { run, maxTurns } = this.#deps;
    if (!run.from) return undefined;
    this.#earlier = await takeUp(run, run.from);
    const { state } = run.from;
    const isLate = !state.answer && state.answered && run.turns >= maxTurns;
    if (isLate) run.warn(LATE);
    const answer = isLate ? state.answered : state.answer;
    if (answer?.data.message.role !== "assistant") return undefined;
    const { message, reason, usage } = answer.data;
    const calls = callsOf(message.content);
    return { content: message.content, calls, text: textOf(message.content), reason, usage };
  }

  async #next(maxTurns: number): Promise<Turn> {
    const { run } = this.#deps;
    await this.#hear();
    run.spending.throwIfSpent();
    if (run.turns >= maxTurns)
      throw new PegboardError("budget_limit", `The run took ${run.turns} turns, which is the limit, without an answer`);
    if (run.workbench.hooks.beforeTurn.length > 0) await this.#passGates();
    await this.#window.makeRoom();
    // Again, and at once before the turn: what works beside it may have used up what was left.
    run.spending.throwIfSpent();
    return this.#turns.ask(++run.turns);
  }

  /** Lets hooks decide whether the model is asked, and adds what they want it to read. */
  async #passGates(): Promise<void> {
    const { run, model } = this.#deps;
    const last = this.#window.messages.at(-1);
    for (const note of await orCancelled(passTurnGates(run, model.id, last), run.control))
      await this.#window.change({ added: userMessage(note) });
  }

  #charge(usage: Usage): Paid {
    const { run, model, models } = this.#deps;
    const cost = models.cost(model.id, usage);
    if (cost === undefined)
      run.warn(`The price of ${model.id} is not known, so its tokens are not in the cost: set it under "prices"`);
    run.spending.charge(usage, cost ?? 0);
    return { usage, ...(cost !== undefined && { cost }) };
  }

  async #call({ calls }: Turn): Promise<void> {
    const { run } = this.#deps;
    const verdict = this.#repetition.judge(calls);
    if (verdict === "end")
      throw new PegboardError(
        "loop",
        `The model keeps making the same calls: ${calls.map(({ tool }) => tool).join(", ")}`,
      );
    if (verdict === "refuse") {
      await this.#window.change({ added: { role: "tool", results: refuseCalls(calls, SAME_AGAIN) } });
      return;
    }
    const results = await makeCalls(
      calls,
      this.#turns.tools,
      run,
      run.turns,
      (tool, { ok }) => {
        if (ok) this.#acceptance.count(tool);
      },
      { earlier: this.#earlier, noticesRepeats: this.#deps.noticesRepeats },
    );
    this.#earlier = undefined;
    this.#repetition.note(results);
    this.#window.push({ role: "tool", results });
  }

  /** The answer if it counts; else the model is told what is missing. */
  async #judge({ text }: Turn): Promise<FinalAnswer | undefined> {
    const said = await this.#acceptance.judge(text);
    if ("text" in said) return said;
    await this.#window.change({ added: userMessage(said.tell), why: said.why });
    return undefined;
  }
}

const LATE = "Word of the work that the agent gave away came after its last turn: its answer does not know of it";

const SAME_AGAIN =
  "Not called: these very calls were made several times with the same results. Do something else, or answer with what you know.";
